"""What word tasks share: looking up their words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.results import Coverage
from tasks.vectors import UNKNOWN, Embedding, LookUp, Rows


def look_up_pairs(
    look_up: LookUp, embedding: Embedding, pairs: Sequence[tuple[str, str]]
) -> tuple[Rows, NDArray[np.bool_], Coverage]:
    """Rows of both words of each pair, shape (n, 2); whether both are known, shape (n,); the coverage.

    Coverage counts words as tokens and pairs as types (docs/protocol.md §1.9).
    """
    rows = look_up.rows(embedding, [word for pair in pairs for word in pair]).reshape(-1, 2)
    known: NDArray[np.bool_] = (rows != UNKNOWN).all(axis=1)
    return rows, known, Coverage(tokens=float(np.mean(rows != UNKNOWN)), types=float(np.mean(known)))
