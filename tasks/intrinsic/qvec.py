"""QVEC and QVEC-CCA: do dimensions match linguistic annotations of words? (docs/protocol.md §4.3)"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.datasets.examples import Example, OracleWord
from tasks.errors import NoScore
from tasks.metrics.correlation import alignment, canonical_correlations, column_correlations, qvec, qvec_cca
from tasks.results import CellResult, Coverage, Interval, Mode
from tasks.secondary import AlignedDimension, CcaFigures, QvecFigures
from tasks.statistics.intervals import jackknife_interval
from tasks.vectors import UNKNOWN, Embedding

TOP_WORDS = 10
JACKKNIFE_GROUPS = 20
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Oracle:
    """Words with the weights of their properties.

    Parameters
    ----------
    words : W distinct words, in file order; of a repeated word the last entry counts.
    properties : P names, in alphabetical order.
    weights : float64, shape (W, P).
    """

    words: tuple[str, ...]
    properties: tuple[str, ...]
    weights: Floats


def oracle_of(examples: Iterable[Example]) -> Oracle:
    """The matrix of an oracle's words."""
    words = {example.word: example.features for example in examples if isinstance(example, OracleWord)}
    properties = tuple(sorted({name for features in words.values() for name in features}))
    column = {name: i for i, name in enumerate(properties)}
    weights = np.zeros((len(words), len(properties)))
    for row, features in enumerate(words.values()):
        for name, weight in features.items():
            weights[row, column[name]] = weight
    return Oracle(tuple(words), properties, weights)


@dataclass(frozen=True)
class Common:
    """Words common to oracle and vectors, in the oracle's order.

    Parameters
    ----------
    words : n words.
    vectors : float64, shape (n, D), unscaled.
    weights : shape (n, P).
    of : number of words in the oracle.
    """

    words: list[str]
    properties: tuple[str, ...]
    vectors: Floats
    weights: Floats
    coverage: Coverage
    of: int


def common_words(task: Task, embedding: Embedding, context: Context) -> Common:
    """Words in both, with identical spelling.

    Raises
    ------
    NoScore
        fewer than ten words in both.
    DataUnavailable
        the oracles are missing.
    """
    oracle = oracle_of(context.data.load(task.data)[task.options["part"]])
    rows = embedding.find(oracle.words)
    is_known = rows != UNKNOWN
    count = int(is_known.sum())
    least = task.family.number("least known")
    if count < least:
        raise NoScore(f"The vocabulary has {count} of the oracle's {len(oracle.words):,} words; a score needs {least}.")
    share = count / len(oracle.words)
    return Common(
        [word for word, there in zip(oracle.words, is_known, strict=True) if there],
        oracle.properties,
        embedding.matrix[rows[is_known]].astype(np.float64),
        oracle.weights[is_known],
        Coverage(share, share),
        len(oracle.words),
    )


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """QVEC: the sum over dimensions of the largest Pearson correlation with a property.

    Compare only vectors of equal dimensions, as the sum grows with them. ``secondary``: ``known`` of ``words``, and
    ``dimensions``: for each its aligned ``property`` (None: the dimension is constant), ``r`` and the ten oracle
    ``words`` with the largest values.

    Raises
    ------
    NoScore
        fewer than ten words in both, or every dimension is constant.
    DataUnavailable
        the oracles are missing.
    """
    watch = Stopwatch(task, mode, context)
    common = common_words(task, embedding, context)
    best, r = alignment(column_correlations(common.vectors, common.weights))
    if (best < 0).all():
        raise NoScore(f"Every dimension has one and the same value for all {len(common.words):,} words of the oracle.")
    context.progress(0.5, f"{len(common.words):,} words")
    score = float(r.sum())
    return watch.result(
        score=score,
        interval=_interval(common, score, qvec),
        n=len(common.words),
        coverage=common.coverage,
        secondary=QvecFigures(
            known=len(common.words),
            words=common.of,
            dimensions=_table(common, best.tolist(), r.tolist()),
        ),
    )


def _table(common: Common, best: list[int], r: list[float]) -> list[AlignedDimension]:
    top = np.argsort(-common.vectors, axis=0, kind="stable")[:TOP_WORDS].T
    return [
        {
            "dimension": i,
            "property": common.properties[best[i]] if best[i] >= 0 else None,
            "r": round(r[i], 6),
            "words": [common.words[row] for row in rows],
        }
        for i, rows in enumerate(top.tolist())
    ]


def evaluate_cca(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """QVEC-CCA: the mean canonical correlation of vectors and properties.

    ``secondary``: ``known`` of ``words``, number of ``properties`` among common words, and canonical ``correlations``.

    Raises
    ------
    NoScore
        fewer than ten words in both, or no more of them than dimensions plus properties, which any vectors would fit;
        or the common words have no property, or all vectors are equal.
    DataUnavailable
        the oracles are missing.
    """
    watch = Stopwatch(task, mode, context)
    common = common_words(task, embedding, context)
    properties = int(common.weights.any(axis=0).sum())
    if len(common.words) <= common.vectors.shape[1] + properties:
        raise NoScore(
            f"The vocabulary has {len(common.words)} of the oracle's {common.of:,} words, and the "
            f"vectors have {common.vectors.shape[1]} dimensions: any numbers can be turned to fit the {properties} "
            f"properties of so few words. A score needs more than {common.vectors.shape[1] + properties} words."
        )
    correlations = canonical_correlations(common.vectors, common.weights)
    if not correlations.any():
        raise NoScore("The vectors of all words in the oracle point the same way: there is nothing to align.")
    context.progress(0.5, f"{len(common.words):,} words")
    score = float(correlations.mean())
    return watch.result(
        score=score,
        interval=_interval(common, score, lambda vectors, weights: qvec_cca(vectors, weights) or 0.0),
        n=len(common.words),
        coverage=common.coverage,
        secondary=CcaFigures(
            known=len(common.words),
            words=common.of,
            properties=properties,
            correlations=[round(float(value), 6) for value in correlations],
        ),
    )


def _interval(common: Common, score: float, measure: Callable[[Floats, Floats], float]) -> Interval | None:
    """Jackknife interval over words; a bootstrap of maximal correlations would be biased upwards."""
    groups = min(JACKKNIFE_GROUPS, len(common.words))

    def without(group: int) -> float:
        others = np.arange(len(common.words)) % groups != group
        return measure(common.vectors[others], common.weights[others])

    with threadpool_limits(limits=1):  # for small matrices a second thread costs more than it saves
        return jackknife_interval(without, score, groups)
