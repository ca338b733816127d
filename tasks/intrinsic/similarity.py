"""Word similarity: do people and vectors rank pairs of words alike? (docs/protocol.md §4.1)"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.datasets.examples import Example, ScoredPair, units_of_pairs
from tasks.errors import NoScore
from tasks.metrics.correlation import spearman
from tasks.metrics.distances import paired_cosines
from tasks.results import CellResult, Coverage, Mode, Outcomes
from tasks.secondary import SimilarityFigures
from tasks.vectors import UNKNOWN, Embedding, LookUp, Rows


def look_up_pairs(
    look_up: LookUp, embedding: Embedding, pairs: Sequence[tuple[str, str]]
) -> tuple[Rows, NDArray[np.bool_], Coverage]:
    """Rows of both words of each pair, shape (n, 2); flags of pairs with both known, shape (n,); the coverage.

    Coverage counts words as tokens and pairs as types (docs/protocol.md §1.9).

    >>> from tasks.vectors import LOWER_CASED
    >>> vectors = Embedding.of("two", ["tiger", "cat"], np.eye(2, dtype=np.float32))
    >>> look_up_pairs(LOWER_CASED, vectors, [("Tiger", "cat"), ("cat", "plane")])[2]
    Coverage(tokens=0.75, types=0.5)
    """
    rows = look_up.rows(embedding, [word for pair in pairs for word in pair]).reshape(-1, 2)
    is_known: NDArray[np.bool_] = (rows != UNKNOWN).all(axis=1)
    return rows, is_known, Coverage(tokens=float(np.mean(rows != UNKNOWN)), types=float(np.mean(is_known)))


def distinct_pairs(examples: Iterable[Example]) -> list[ScoredPair]:
    """Pairs in order, a repeated *ordered* pair once, with its last score, as in eval-word-vectors."""
    scores: dict[tuple[str, str], float] = {}
    for example in examples:
        assert isinstance(example, ScoredPair)
        scores[example.first, example.second] = example.score
    return [ScoredPair(first, second, score) for (first, second), score in scores.items()]


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """Spearman correlation of cosines with human scores, over pairs with both words known.

    ``outcomes`` has a row for every distinct pair, with ``predicted`` NaN if a word is unknown, and its two words as
    units. ``secondary``: ``known`` and ``pairs`` (numbers of distinct pairs), ``rho``, and ``unknown_as_zero``, the
    correlation over all pairs with cosine 0 for unknown ones.

    Raises
    ------
    NoScore
        fewer than ten known pairs, or all their cosines are equal.
    DataUnavailable
        the data set is missing.
    """
    watch = Stopwatch(task, mode, context)
    pairs = distinct_pairs(context.data.load(task.data)[task.options["part"]])
    words = [(pair.first, pair.second) for pair in pairs]
    rows, is_known, coverage = look_up_pairs(context.suite.look_up, embedding, words)
    gold = np.array([pair.score for pair in pairs])
    count = int(is_known.sum())
    least = task.family.number("least known")
    if count < least:
        raise NoScore(f"The vocabulary has both words of {count} of the {len(pairs)} pairs; a score needs {least}.")
    cosines = np.zeros(len(pairs))
    cosines[is_known] = paired_cosines(embedding.matrix[rows[is_known, 0]], embedding.matrix[rows[is_known, 1]])
    correlation = spearman(cosines[is_known], gold[is_known])
    if correlation is None:
        raise NoScore(f"All {count} known pairs have the same cosine, so that nothing ranks them.")
    context.progress(1.0, f"{count} of {len(pairs)} pairs")
    predicted = np.where(is_known, cosines, np.nan)
    return watch.result(
        score=correlation,
        n=count,
        coverage=coverage,
        secondary=SimilarityFigures(
            known=count, pairs=len(pairs), rho=correlation, unknown_as_zero=spearman(cosines, gold)
        ),
        outcomes=Outcomes.of(predicted=predicted, gold=gold).with_units(units_of_pairs(words)),
    )
