"""Word intrusion: does a dimension group words that belong together? (docs/protocol.md §4.4)

Words are ordered by a dimension from the largest value down, equal values in file order, so that every share of the
order holds the same number of words, even in constant dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.errors import NoScore
from tasks.metrics.distances import distance_ratios
from tasks.results import CellResult, Coverage, Mode
from tasks.secondary import Intrusion, IntrusionFigures
from tasks.statistics.intervals import interval_of_mean
from tasks.vectors import Embedding, Matrix

EXAMPLES = 5
NONE = -1
_SETS_A_BLOCK = 256
Rows = NDArray[np.int64]
Floats = NDArray[np.float64]
_COLUMN_BYTES = 32 * 2**20
Flags = NDArray[np.bool_]
Column = NDArray[np.float32]


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """DistRatio over the dimensions: mean and sd of ten seeded runs.

    A dimension's intruder is drawn from the words in its lower half and in the top tenth of another dimension.
    ``interval``: Student's t over the dimensions. ``secondary``: the ratio of each of the ``runs``, ``dimensions``
    scored and ``left_out`` (without a possible intruder, or with equal top words), and ``examples``: sets of the first
    run.

    Raises
    ------
    NoScore
        no dimension can be scored.
    """
    watch = Stopwatch(task, mode, context)
    k, runs = task.options["k"], task.options["runs"]
    order = order_of(embedding.matrix, k, context.threads, lambda share: context.progress(0.8 * share, "dimensions"))
    drawn = intruders(order, runs, task.options["seed"])
    context.progress(0.9, f"{runs} runs")
    ratios = np.stack([ratios_of(embedding.matrix, order.top, run) for run in drawn])
    scored = np.asarray(np.isfinite(ratios).all(axis=0))
    if not scored.any():
        raise NoScore("No dimension sets five words apart from the others: their values are all equal.")
    of_runs = ratios[:, scored].mean(axis=1)
    return watch.result(
        score=float(of_runs.mean()),
        sd=float(of_runs.std(ddof=1)),
        interval=interval_of_mean(ratios[:, scored].mean(axis=0)),
        seeds=runs,
        n=int(scored.sum()),
        coverage=Coverage(1.0, 1.0),
        secondary=IntrusionFigures(
            runs=[round(float(ratio), 6) for ratio in of_runs],
            dimensions=int(scored.sum()),
            left_out=int((~scored).sum()),
            examples=_examples(embedding, order.top, drawn[0], ratios[0], scored),
        ),
    )


def intruders(order: DimensionOrder, runs: int, seed: int) -> Rows:
    """Rows of the intruders, NONE for a dimension without a word in its lower half and another's top tenth.

    All such words are equally likely. A word in the lower half cannot be in the top tenth of the same dimension.

    Returns
    -------
    int64, shape (runs, D)
    """
    words = len(order.tops)
    drawn = np.full((runs, len(order.top)), NONE, dtype=np.int64)
    shares = np.random.default_rng(seed).random(drawn.shape)
    prominent = order.tops > 0
    for i, bits in enumerate(order.lower):
        able = np.flatnonzero(np.unpackbits(bits, count=words).view(bool) & prominent)
        if able.size:
            drawn[:, i] = able[(shares[:, i] * able.size).astype(np.int64)]
    return drawn


def ratios_of(matrix: Matrix, top: Rows, drawn: Rows) -> Floats:
    """DistRatio of each dimension with one run's intruders, NaN without an intruder; shape (D,)."""
    ratios = np.full(len(top), np.nan)
    able = np.flatnonzero(drawn != NONE)
    for start in range(0, len(able), _SETS_A_BLOCK):
        chosen = able[start : start + _SETS_A_BLOCK]
        words, intruding = matrix[top[chosen]].astype(np.float64), matrix[drawn[chosen]].astype(np.float64)
        ratios[chosen] = distance_ratios(words, intruding)
    return ratios


def _examples(
    embedding: Embedding, top: Rows, drawn: Rows, ratios: Floats, scored: NDArray[np.bool_]
) -> list[Intrusion]:
    """A few sets, spread evenly over the dimensions with a score."""
    able = np.flatnonzero(scored)
    chosen = able[np.unique(np.linspace(0, len(able) - 1, min(EXAMPLES, len(able))).round().astype(int))]
    return [
        {
            "dimension": i,
            "words": [embedding.words[row] for row in top[i].tolist()],
            "intruder": embedding.words[int(drawn[i])],
            "ratio": round(float(ratios[i]), 6),
        }
        for i in chosen.tolist()
    ]


@dataclass(frozen=True)
class DimensionOrder:
    """The order of V words by each of D dimensions, in parts.

    Parameters
    ----------
    top : rows of the first k words of each dimension, best first, shape (D, k).
    lower : packed bits, shape (D, ⌈V / 8⌉): membership in the dimension's lower half (the last V // 2 words).
    tops : number of dimensions with the word in the top tenth (the first V // 10), shape (V,).
    """

    top: NDArray[np.int64]
    lower: NDArray[np.uint8]
    tops: NDArray[np.int32]


def first_of(column: Column, count: int) -> Flags:
    """The first ``count`` words of the order by one dimension, as flags, shape (V,)."""
    if count <= 0:
        return np.zeros(len(column), dtype=bool)
    if count >= len(column):
        return np.ones(len(column), dtype=bool)
    place = len(column) - count
    threshold = np.partition(column, place)[place]
    first: Flags = column > threshold
    ties = np.flatnonzero(column == threshold)
    first[ties[: count - int(first.sum())]] = True
    return first


def order_of(
    matrix: Matrix, k: int, threads: int = 1, progress: Callable[[float], None] = lambda _: None
) -> DimensionOrder:
    """The order of words by every dimension, in the parts that word intrusion needs; reads a few columns at a time.

    Parameters
    ----------
    matrix : float32, shape (V, D), possibly memory-mapped; V ≥ k.
    k : number of top words to keep.
    threads : does not change the result.
    progress : called with the share of the dimensions done, in [0, 1].
    """
    words, dimensions = matrix.shape
    top = np.empty((dimensions, k), dtype=np.int64)
    lower = np.empty((dimensions, (words + 7) // 8), dtype=np.uint8)
    tops = np.zeros(words, dtype=np.int32)
    with ThreadPoolExecutor(threads) as pool:
        for start, columns in _columns(matrix):
            parts = pool.map(lambda column: _parts(column, k), columns)
            for i, (best, bits, tenth) in enumerate(parts, start):
                top[i], lower[i] = best, bits
                tops += tenth
            progress((start + len(columns)) / dimensions)
    return DimensionOrder(top, lower, tops)


def _columns(matrix: Matrix) -> Iterator[tuple[int, Matrix]]:
    """Consecutive columns as contiguous rows: index of the first, and an array of shape (columns, V)."""
    words, dimensions = matrix.shape
    size = int(np.clip(_COLUMN_BYTES // (4 * words), 1, dimensions))
    for start in range(0, dimensions, size):
        yield start, np.ascontiguousarray(matrix[:, start : start + size].T)


def _parts(column: Column, k: int) -> tuple[NDArray[np.int64], NDArray[np.uint8], Flags]:
    words = len(column)
    tenth = first_of(column, words // 10)
    # Sort few words: the top k are in the top tenth, if that is large enough.
    among = np.flatnonzero(tenth if words // 10 >= k else first_of(column, k))
    best = among[np.argsort(-column[among], kind="stable")[:k]]
    return best, np.packbits(~first_of(column, words - words // 2)), tenth
