"""A map of frequent words in the plane by t-SNE, coloured by supersense."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.errors import NoScore
from tasks.intrinsic.map_words import ORACLE_PART, map_words
from tasks.intrinsic.qvec import Oracle, oracle_of
from tasks.metrics.distances import unit_rows
from tasks.results import Coverage, Mode, TaskResult
from tasks.secondary import MapFigures
from tasks.vectors import UNKNOWN, Embedding, Matrix


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> TaskResult:
    """Positions of the suite's 1,000 words in the plane; the score is their trustworthiness.

    Seeded, on unit vectors. ``secondary``: ``words``, their positions ``x`` and ``y`` in [0, 1] on one scale, and their
    ``supersenses`` (None: not in the oracle).

    Raises
    ------
    NoScore
        fewer than 50 of the words are known, or too few of their vectors differ.
    DataUnavailable
        the oracle is missing.
    """
    watch = Stopwatch(task, mode, context)
    listed = map_words()
    senses = supersenses(oracle_of(context.data.load(task.data)[ORACLE_PART]))
    rows = context.suite.look_up.rows(embedding, listed)
    known = rows != UNKNOWN
    words = [word for word, there in zip(listed, known, strict=True) if there]
    least = task.family.number("least known")
    if len(words) < least:
        raise NoScore(
            f"The vocabulary has {len(words)} of the map's {len(listed):,} words; a map needs at least {least}."
        )
    units = unit_rows(embedding.matrix[rows[known]])
    if len(np.unique(units, axis=0)) < least:
        raise NoScore("The vectors of the map's words are too much alike to be told apart on a map.")
    context.progress(0.1, f"t-SNE of {len(words)} words")
    plane, trust = positions(units, task.options["perplexity"], task.options["seed"], task.family.number("neighbours"))
    share = len(words) / len(listed)
    return watch.result(
        score=trust,
        n=len(words),
        coverage=Coverage(share, share),
        secondary=MapFigures(
            words=words,
            x=[round(float(x), 4) for x in plane[:, 0]],
            y=[round(float(y), 4) for y in plane[:, 1]],
            supersenses=[senses.get(word) for word in words],
        ),
    )


def positions(units: Matrix, perplexity: float, seed: int, neighbours: int) -> tuple[NDArray[np.float64], float]:
    """t-SNE positions, shape (n, 2), moved and scaled into the unit square, and their trustworthiness.

    Parameters
    ----------
    units : n unit vectors, shape (n, D).
    neighbours : number of neighbours per word for trustworthiness.
    """
    from sklearn.manifold import TSNE, trustworthiness

    model = TSNE(2, perplexity=min(perplexity, (len(units) - 1) / 3), init="pca", random_state=seed, n_jobs=1)
    with threadpool_limits(limits=1):
        plane = model.fit_transform(units).astype(np.float64)
        trust = float(trustworthiness(units, plane, n_neighbors=neighbours))
    corner = plane.min(axis=0)
    return (plane - corner) / max(float(np.ptp(plane, axis=0).max()), 1e-12), trust


def supersenses(oracle: Oracle) -> dict[str, str]:
    """Each word's supersense with the largest weight (``noun.person``); of equal ones the alphabetically first."""
    best = oracle.weights.argmax(axis=1)
    return {
        word: oracle.properties[i].removeprefix("semcor.") for word, i in zip(oracle.words, best.tolist(), strict=True)
    }
