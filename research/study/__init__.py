"""The study of docs/political.md: local training on two corpora, compared as in Rodriguez & Spirling (2019)."""
