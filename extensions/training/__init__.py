"""Vectors trained on texts of one's own."""

from __future__ import annotations

COMMANDS = {
    "train": ("command", "train skip-gram, CBOW, fastText or GloVe vectors on a corpus"),
    "tag": ("command", "write a corpus with marked words, for separability"),
}
