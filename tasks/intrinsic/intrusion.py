"""Word intrusion: does a dimension group words that belong together? (docs/protocol.md §4.4)"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.errors import NoScore
from tasks.intrinsic.columns import DimensionOrder, order_of
from tasks.metrics.distances import distance_ratios
from tasks.results import Coverage, Mode, TaskResult
from tasks.secondary import Intrusion, IntrusionFigures
from tasks.statistics.bootstrap import resampled_means
from tasks.statistics.intervals import percentile_interval
from tasks.vectors import Embedding, Matrix

EXAMPLES = 5
NONE = -1
_SETS_A_BLOCK = 256
Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> TaskResult:
    """DistRatio over the dimensions: mean and sd of ten seeded runs.

    The intruder of a dimension is drawn from its lower half and from the top tenth of another dimension. ``interval``:
    bootstrap over dimensions. ``secondary``: the ratio of each of the ``runs``, ``dimensions`` scored and ``left_out``
    (no word can be the intruder, or the top words do not differ), and ``examples``: sets of the first run.

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
        interval=percentile_interval(resampled_means(ratios[:, scored].mean(axis=0))),
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
    """A row for every run and dimension, NONE if no word is in its lower half and another's top tenth.

    Every such word is equally likely. A word of the lower half is never in the top tenth of the same dimension, so any
    top tenth it is in belongs to another dimension.

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
    """The ratio of each dimension with one run's intruders, NaN if it has none; shape (D,)."""
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
