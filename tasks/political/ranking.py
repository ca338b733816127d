"""Ranking correlation: do two embeddings rank the vocabulary alike around a word? (docs/protocol.md §5.2)"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from tasks.metrics.correlation import pearson, spearman
from tasks.political.figures import DistributionFigures, MovedWord, MovedWords
from tasks.political.vocabulary import CommonVocabulary
from tasks.processes import Progress, no_progress

CUES_A_BLOCK = 16
"""Number of cues whose cosines with the whole common vocabulary are in memory at once."""
LEAST_VARIANCE = 1e-10
"""Cosines with less variance have no correlation. The sums of :func:`all_cue_pearson` are exact to about 1e-16, a
millionth of this: below it, rounding would reach the fifth digit of a correlation, and soon the first."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CueCorrelation:
    """Agreement of two rankings around one cue; a coefficient is None if one side has only one distinct cosine."""

    pearson: float | None
    spearman: float | None
    kendall: float | None = None


def cue_correlations(
    common: CommonVocabulary, cues: Sequence[str], *, kendall: bool = False
) -> dict[str, CueCorrelation | None]:
    """Correlation of each cue's cosines to all common words (including itself, as in the source's program).

    Parameters
    ----------
    common : the two sides.
    cues : distinct words, looked up by their forms.
    kendall : compute Kendall's τ too (the source's program calls it "rank").

    Returns
    -------
    dict
        every cue in order; None for one that is not a common word, or whose cosines do not vary on a side (its vector
        is zero, or all vectors point the same way).
    """
    found: dict[str, CueCorrelation | None] = dict.fromkeys(cues)
    for cue, left, right in _cosine_pairs(common, list(common.places(cues).items())):
        coefficient = pearson(left, right) if min(left.var(), right.var()) > LEAST_VARIANCE else None
        if coefficient is None:
            continue
        tau = _kendall(left, right) if kendall else None
        found[cue] = CueCorrelation(coefficient, spearman(left, right), tau)
    return found


def _kendall(left: Floats, right: Floats) -> float:
    from scipy.stats import kendalltau  # 30 MB that a web process, which only reads results, need not hold

    return float(kendalltau(left, right).statistic)


def _cosine_pairs(common: CommonVocabulary, known: list[tuple[str, int]]) -> Iterator[tuple[str, Floats, Floats]]:
    for start in range(0, len(known), CUES_A_BLOCK):
        block = known[start : start + CUES_A_BLOCK]
        rows = np.array([place for _, place in block], dtype=np.int64)
        left, right = common.left.cosines(rows), common.right.cosines(rows)
        yield from ((cue, left[i], right[i]) for i, (cue, _) in enumerate(block))


def all_cue_pearson(common: CommonVocabulary, progress: Progress = no_progress) -> Floats:
    """Pearson correlation of every common word as a cue, exactly, without the n × n cosines.

    With unit rows a and b and their means ā and b̄ over the vocabulary, the covariance of word w's cosines is
    a_wᵀ [Σ_v (a_v − ā)(b_v − b̄)ᵀ / n] b_w, and the variances likewise: O(n·d²) where all pairs would take O(n²·d).
    Sums run in double precision over blocks.

    Returns
    -------
    float64, shape (n,)
        in [-1, 1]; NaN for a word without correlation (a zero vector, or cosines that do not vary).
    """
    within_left, within_right, between = _moments(common, progress)
    correlations = np.full(len(common), np.nan)
    for places, left, right in _paired_blocks(common):
        covariance = np.einsum("ij,ij->i", left @ between, right)
        variance_left = np.einsum("ij,ij->i", left @ within_left, left)
        variance_right = np.einsum("ij,ij->i", right @ within_right, right)
        defined = (variance_left > LEAST_VARIANCE) & (variance_right > LEAST_VARIANCE)
        scale = np.sqrt(np.where(defined, variance_left * variance_right, 1.0))
        correlations[places] = np.where(defined, np.clip(covariance / scale, -1.0, 1.0), np.nan)
        progress(0.5 + 0.5 * places.stop / len(common), "correlating every word")
    return correlations


def _moments(common: CommonVocabulary, progress: Progress) -> tuple[Floats, Floats, Floats]:
    """Covariance matrices of the unit rows: left (d₁, d₁), right (d₂, d₂), and of left with right (d₁, d₂)."""
    d_left, d_right = common.left.embedding.dimensions, common.right.embedding.dimensions
    sum_left, sum_right = np.zeros(d_left), np.zeros(d_right)
    left2, right2, both = np.zeros((d_left, d_left)), np.zeros((d_right, d_right)), np.zeros((d_left, d_right))
    for places, left, right in _paired_blocks(common):
        sum_left += left.sum(axis=0)
        sum_right += right.sum(axis=0)
        left2 += left.T @ left
        right2 += right.T @ right
        both += left.T @ right
        progress(0.5 * places.stop / len(common), "multiplying vectors")
    n = len(common)
    mean_left, mean_right = sum_left / n, sum_right / n
    return (
        left2 / n - np.outer(mean_left, mean_left),
        right2 / n - np.outer(mean_right, mean_right),
        both / n - np.outer(mean_left, mean_right),
    )


def _paired_blocks(common: CommonVocabulary) -> Iterator[tuple[slice, Floats, Floats]]:
    size = min(common.left.block, common.right.block)
    for start in range(0, len(common), size):
        places = slice(start, min(start + size, len(common)))
        yield places, common.left.unit_rows(places), common.right.unit_rows(places)


@dataclass(frozen=True)
class Distribution:
    """Mean, standard deviation (of a sample), standard error of the mean, least and greatest of n figures."""

    mean: float
    sd: float | None
    se: float | None
    min: float
    max: float
    n: int

    def as_dict(self) -> DistributionFigures:
        """JSON-able form for results and pages."""
        return cast(DistributionFigures, asdict(self))


def distribution(figures: Floats) -> Distribution | None:
    """Summary of the figures that are not NaN; None if there is none, no spread of a single one."""
    finite = figures[np.isfinite(figures)]
    if finite.size == 0:
        return None
    sd = float(finite.std(ddof=1)) if finite.size > 1 else None
    se = sd / math.sqrt(finite.size) if sd is not None else None
    return Distribution(float(finite.mean()), sd, se, float(finite.min()), float(finite.max()), int(finite.size))


def histogram(figures: Floats, bins: int = 40) -> dict[str, list[float]]:
    """Histogram of correlations in equal bins from -1 to 1: ``edges`` (bins + 1) and ``counts`` (bins)."""
    counts, edges = np.histogram(figures[np.isfinite(figures)], bins=bins, range=(-1.0, 1.0))
    return {"edges": [round(float(edge), 6) for edge in edges], "counts": [int(count) for count in counts]}


def moved(words: Sequence[str], correlations: Floats, count: int = 20) -> MovedWords:
    """The words that moved most (lowest correlation first) and least (highest first).

    Parameters
    ----------
    words : n words.
    correlations : of :func:`all_cue_pearson`, shape (n,); words without one are left out.
    count : how many of each.
    """
    order = np.argsort(correlations, kind="stable")
    order = order[np.isfinite(correlations[order])]

    def listed(places: NDArray[np.intp]) -> list[MovedWord]:
        return [{"word": words[i], "pearson": float(correlations[i])} for i in places]

    return {"most": listed(order[:count]), "least": listed(order[::-1][:count])}
