"""Word similarity: do people and vectors rank pairs of words alike? (docs/protocol.md §4.1)"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.datasets.examples import Example, ScoredPair
from tasks.errors import NoScore
from tasks.intrinsic.result import look_up_pairs
from tasks.metrics.correlation import spearman
from tasks.metrics.distances import paired_cosines
from tasks.results import Mode, Outcomes, TaskResult
from tasks.secondary import SimilarityFigures
from tasks.vectors import Embedding


def distinct_pairs(examples: Iterable[Example]) -> list[ScoredPair]:
    """Pairs in order, a repeated *ordered* pair once, with its last score (as eval-word-vectors counts)."""
    scores: dict[tuple[str, str], float] = {}
    for example in examples:
        assert isinstance(example, ScoredPair)
        scores[example.first, example.second] = example.score
    return [ScoredPair(first, second, score) for (first, second), score in scores.items()]


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> TaskResult:
    """Spearman correlation of cosines with human scores, over the pairs with both words known.

    ``outcomes`` has a row for every distinct pair, with ``predicted`` NaN if a word is unknown. ``secondary``:
    ``known`` and ``pairs`` (numbers of distinct pairs), ``rho``, and ``unknown_as_zero``, the correlation over all
    pairs with 0 for an unknown one.

    Raises
    ------
    NoScore
        fewer than ten known pairs, or all their cosines are equal.
    DataUnavailable
        the data set is missing.
    """
    watch = Stopwatch(task, mode, context)
    pairs = distinct_pairs(context.data.load(task.data)[task.options["part"]])
    rows, known, coverage = look_up_pairs(
        context.suite.look_up, embedding, [(pair.first, pair.second) for pair in pairs]
    )
    gold = np.array([pair.score for pair in pairs])
    count = int(known.sum())
    least = task.family.number("least known")
    if count < least:
        raise NoScore(f"The vocabulary has both words of {count} of the {len(pairs)} pairs; a score needs {least}.")
    cosines = np.zeros(len(pairs))
    cosines[known] = paired_cosines(embedding.matrix[rows[known, 0]], embedding.matrix[rows[known, 1]])
    correlation = spearman(cosines[known], gold[known])
    if correlation is None:
        raise NoScore(f"All {count} known pairs have the same cosine, so that nothing ranks them.")
    context.progress(1.0, f"{count} of {len(pairs)} pairs")
    predicted = np.where(known, cosines, np.nan)
    return watch.result(
        score=correlation,
        n=count,
        coverage=coverage,
        secondary=SimilarityFigures(
            known=count, pairs=len(pairs), rho=correlation, unknown_as_zero=spearman(cosines, gold)
        ),
        outcomes=Outcomes.of(predicted=predicted, gold=gold),
    )
