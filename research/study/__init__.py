"""The study of docs/political.md: local training on two corpora, compared as Rodriguez & Spirling (2019) compare it."""
