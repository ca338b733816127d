"""Small vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tasks.vectors import Embedding, content_hash


def embedding(words: Sequence[str], matrix: Any, name: str = "test", language: str = "en") -> Embedding:
    rows = np.asarray(matrix, dtype=np.float32)
    return Embedding(name, list(words), rows, content_hash(words, rows), language)


def random_embedding(words: Sequence[str], seed: int = 0, dimensions: int = 8, name: str = "test") -> Embedding:
    return embedding(words, np.random.default_rng(seed).standard_normal((len(words), dimensions)), name)


def words(count: int, prefix: str = "w") -> list[str]:
    return [f"{prefix}{i}" for i in range(count)]
