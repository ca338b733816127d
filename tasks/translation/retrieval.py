"""Which word of one space is nearest to a word of another: by cosine, and by CSLS, which discounts hubs.

Products of vocabularies are made in blocks: of 200,000 words on either side, no more than 64 MB at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.associations.alignment import Rows32
from tasks.processes import Progress, no_progress

NEIGHBOURHOOD = 10
"""Neighbours whose mean cosine makes a word a hub (Conneau et al. 2018, §2.3)."""
_ROWS, _COLUMNS = 8_192, 1_024
_ENTRIES = 1 << 24
"""Cosines at a time where all columns are needed at once."""
Ints = NDArray[np.int64]


def hubness(
    rows: Rows32, others: Rows32, count: int = NEIGHBOURHOOD, progress: Progress = no_progress
) -> NDArray[np.float32]:
    """Mean cosine of each row with the ``count`` nearest of the others, r of CSLS; shape (n,).

    Source: Conneau, Lample, Ranzato, Denoyer & Jégou (2018), Word translation without parallel data, equation 2.

    Parameters
    ----------
    rows, others : unit rows of the same space, shapes (n, D) and (m, D); m at least 1.
    """
    count = min(count, len(others))
    means = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _ROWS):
        block = rows[start : start + _ROWS]
        best = np.full((len(block), count), -np.inf, dtype=np.float32)
        for first in range(0, len(others), _COLUMNS):
            cosines = block @ others[first : first + _COLUMNS].T
            some = np.flatnonzero(cosines.max(axis=1) > best[:, 0])  # the later the block, the fewer
            best[some] = _largest(np.concatenate([best[some], cosines[some]], axis=1), count)
        means[start : start + len(block)] = best.mean(axis=1)
        progress((start + len(block)) / len(rows), "neighbourhoods")
    return means


def _largest(values: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """The ``count`` largest values of each row, the smallest of them first."""
    values.partition(values.shape[1] - count, axis=1)
    return values[:, -count:]


def ranks(queries: Rows32, candidates: Rows32, right: Sequence[Ints], hubs: NDArray[np.float32]) -> Ints:
    """How many candidates come before each query's first right one, by cosine and by CSLS; shape (n, 2).

    CSLS is 2 cos(x, y) − r(x) − r(y) (Conneau et al. 2018, equation 3); r(x) orders nothing. Of candidates with equal
    scores the first in the file comes first.

    Parameters
    ----------
    queries, candidates : unit rows of the same space, shapes (n, D) and (m, D).
    right : rows of each query's right candidates, at least one.
    hubs : r of every candidate, shape (m,), from :func:`hubness`.
    """
    found = np.empty((len(queries), 2), dtype=np.int64)
    size = max(1, _ENTRIES // len(candidates))
    for start in range(0, len(queries), size):
        scores = queries[start : start + size] @ candidates.T
        for method in range(2):
            if method == 1:
                scores *= 2
                scores -= hubs
            for i, row in enumerate(scores, start=start):
                found[i, method] = _rank(row, right[i])
    return found


def _rank(scores: NDArray[np.float32], right: Ints) -> int:
    best = scores[right].max()
    first = right[scores[right] == best].min()
    return int(np.count_nonzero(scores > best) + np.count_nonzero(scores[:first] == best))


def nearest(queries: Rows32, candidates: Rows32, hubs: NDArray[np.float32], count: int) -> Ints:
    """Rows of the best candidates of a few queries by CSLS, best first; shape (n, count) or fewer."""
    return np.argsort(-(2 * (queries @ candidates.T) - hubs), axis=1, kind="stable")[:, :count]
