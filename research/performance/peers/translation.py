"""Word translation in plain NumPy, with MUSE's batch sizes.

``python -m research.performance.peers.translation LEFT.npy RIGHT.npy SPLIT.npz WORDS`` learns a rotation, finds the
neighbourhoods of the first WORDS words, ranks every test word's translation by cosine, and prints its cost.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes

BATCH, NEIGHBOURS = 1_024, 10
Rows = NDArray[np.float32]


def unit_rows(matrix: Rows) -> Rows:
    """Rows minus their mean, then to length 1."""
    centred = matrix - matrix.mean(axis=0)
    units: Rows = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    return units


def neighbourhoods(rows: Rows, others: Rows) -> Rows:
    """Mean cosine of each row with the nearest of the others, a batch of rows at a time."""
    means = []
    for start in range(0, len(rows), BATCH):
        cosines = rows[start : start + BATCH] @ others.T
        means.append(np.partition(cosines, -NEIGHBOURS, axis=1)[:, -NEIGHBOURS:].mean(axis=1))
    return np.concatenate(means)


def ranks(queries: Rows, candidates: Rows, right: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of candidates nearer to each query than its translation, a batch of queries at a time."""
    nearer = []
    for start in range(0, len(queries), BATCH):
        cosines = queries[start : start + BATCH] @ candidates.T
        answers = np.take_along_axis(cosines, right[start : start + BATCH, None], axis=1)
        nearer.append((cosines > answers).sum(axis=1))
    return np.concatenate(nearer)


def main() -> None:
    """Run it on the stored arrays."""
    first, second, split, words = sys.argv[1:]
    left, right = (unit_rows(np.load(path)) for path in (first, second))
    with np.load(split) as stored:
        learn, test = stored["learn"], stored["test"]
    rotation, _ = orthogonal_procrustes(left[learn], right[learn])
    mapped = left @ rotation
    wall, processor = time.perf_counter(), time.process_time()
    hubs = neighbourhoods(right[: int(words)], mapped)
    took = time.perf_counter() - wall, time.process_time() - processor
    test_ranks = ranks(mapped[test], right, test)
    print(json.dumps({"took": took, "hubs": hubs.tolist(), "precision": float((test_ranks == 0).mean())}))


if __name__ == "__main__":
    main()
