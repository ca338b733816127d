"""Vectors for the real words of a language's word groups: words of a group lie together."""

from __future__ import annotations

import zlib

import numpy as np

from tasks.datasets.examples import WordGroup
from tasks.datasets.store import DataStore
from tasks.guess_language import COMMON
from tasks.vectors import Embedding, content_hash

DATASET = "paralex"
DIMENSIONS = 20
NOISE = 0.7


def groups(language: str) -> list[WordGroup]:
    """The groups of a language, as the data set has them."""
    return [group for group in DataStore.default().load(DATASET)[language] if isinstance(group, WordGroup)]


def vectors(language: str, seed: int = 0) -> Embedding:
    """The language's most common words, then those of its groups: the n-th word of a group is alike in all languages.

    ``seed`` rotates the space.
    """
    found: dict[str, np.ndarray] = {}
    for word in sorted(COMMON.get(language, ())):
        found[word] = _drawn(f"{language} {word}")
    for group in groups(language):
        for nth, word in enumerate(group.words):
            found.setdefault(word, _drawn(group.name) + NOISE * _drawn(f"{group.name} {nth}"))
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(DIMENSIONS, DIMENSIONS)))[0]
    words, matrix = list(found), (np.stack(list(found.values())) @ rotation).astype(np.float32)
    return Embedding("made", words, matrix, content_hash(words, matrix), language)


def _drawn(name: str) -> np.ndarray:
    return np.random.default_rng(zlib.crc32(name.encode())).normal(size=DIMENSIONS)
