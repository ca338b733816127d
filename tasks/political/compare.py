"""Ranking correlation: do two embeddings rank the vocabulary alike around a word? (docs/protocol.md §5.2)"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.metrics.correlation import pearson, spearman
from tasks.political.secondary import CueCorrelations, CueSet, Distribution, EveryWord, MovedWord, MovedWords
from tasks.political.vocabulary import CommonVocabulary, overlap
from tasks.processes import Progress, no_progress
from tasks.results import ReferenceUsed
from tasks.vectors import Embedding

CUES_A_BLOCK = 16
"""Cues per block, whose cosines with the whole common vocabulary are in memory at once."""
LEAST_VARIANCE = 1e-10
"""Cosines with less variance have no correlation. The sums of :func:`all_cue_pearson` are exact to about 1e-16, a
millionth of this; with less variance, rounding would reach the fifth digit of a correlation."""
Floats = NDArray[np.float64]


def cue_correlations(
    common: CommonVocabulary, cues: Sequence[str], *, kendall: bool = False
) -> dict[str, CueCorrelations | None]:
    """Correlation of each cue's cosines to all common words (including itself, as in the source's program).

    Parameters
    ----------
    common : the two sides.
    cues : distinct words, looked up by their forms.
    kendall : compute Kendall's τ too (the source's program calls it "rank").

    Returns
    -------
    dict
        every cue in order; None for a cue that is not a common word, or whose cosines on one side are all equal (a
        zero vector, or vectors of one direction).
    """
    correlations: dict[str, CueCorrelations | None] = dict.fromkeys(cues)
    for cue, left, right in _cosine_pairs(common, list(common.places(cues).items())):
        coefficient = pearson(left, right) if min(left.var(), right.var()) > LEAST_VARIANCE else None
        if coefficient is None:
            continue
        tau = _kendall(left, right) if kendall else None
        correlations[cue] = {"pearson": coefficient, "spearman": spearman(left, right), "kendall": tau}
    return correlations


def _kendall(left: Floats, right: Floats) -> float:
    from scipy.stats import kendalltau  # 30 MB that web processes do not need

    return float(kendalltau(left, right).statistic)


def _cosine_pairs(common: CommonVocabulary, places: list[tuple[str, int]]) -> Iterator[tuple[str, Floats, Floats]]:
    for start in range(0, len(places), CUES_A_BLOCK):
        block = places[start : start + CUES_A_BLOCK]
        rows = np.array([place for _, place in block], dtype=np.int64)
        left, right = common.left.cosines(rows), common.right.cosines(rows)
        yield from ((cue, left[i], right[i]) for i, (cue, _) in enumerate(block))


def all_cue_pearson(common: CommonVocabulary, progress: Progress = no_progress) -> Floats:
    """Pearson correlation of every common word as a cue, exactly, without the n × n cosines.

    With unit rows a and b and their means ā and b̄ over the vocabulary, the covariance of word w's cosines is
    a_wᵀ [Σ_v (a_v − ā)(b_v − b̄)ᵀ / n] b_w, and the variances likewise: O(n·d²) instead of O(n²·d). Sums are in double
    precision, over blocks.

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


def distribution(figures: Floats) -> Distribution | None:
    """Summary of the values that are not NaN; None without any. A single value has no ``sd`` and ``se``."""
    finite = figures[np.isfinite(figures)]
    if finite.size == 0:
        return None
    sd = float(finite.std(ddof=1)) if finite.size > 1 else None
    se = sd / math.sqrt(finite.size) if sd is not None else None
    return {
        "mean": float(finite.mean()),
        "sd": sd,
        "se": se,
        "min": float(finite.min()),
        "max": float(finite.max()),
        "n": int(finite.size),
    }


def histogram(figures: Floats, bins: int = 40) -> dict[str, list[float]]:
    """Histogram of correlations in equal bins from -1 to 1: ``edges`` (bins + 1) and ``counts`` (bins)."""
    counts, edges = np.histogram(figures[np.isfinite(figures)], bins=bins, range=(-1.0, 1.0))
    return {"edges": [round(float(edge), 6) for edge in edges], "counts": [int(count) for count in counts]}


def moved(words: Sequence[str], correlations: Floats, count: int = 20) -> MovedWords:
    """The words that moved most (lowest correlation first) and least (highest first).

    Parameters
    ----------
    words : n words.
    correlations : from :func:`all_cue_pearson`, shape (n,); NaN are left out.
    count : length of each list.
    """
    order = np.argsort(correlations, kind="stable")
    order = order[np.isfinite(correlations[order])]

    def listed(places: NDArray[np.intp]) -> list[MovedWord]:
        return [{"word": words[i], "pearson": float(correlations[i])} for i in places]

    return {"most": listed(order[:count]), "least": listed(order[::-1][:count])}


def compare_cues(
    common: CommonVocabulary, cues: Sequence[str], *, kendall: bool = False, neighbours: bool = True
) -> CueSet:
    """Ranking correlations of some cues, and the overlap of their nearest words; spelling variants count once."""
    correlations = cue_correlations(common, cues, kendall=kendall)
    distinct = {common.place(cue): figures for cue, figures in correlations.items() if figures is not None}.values()
    pearsons, spearmans, kendalls = (
        distribution(np.array([figures.get(name) for figures in distinct], dtype=np.float64))
        for name in ("pearson", "spearman", "kendall")
    )
    return {
        "pearson": pearsons,
        "spearman": spearmans,
        "kendall": kendalls,
        "cues": correlations,
        "unknown": [cue for cue, figures in correlations.items() if figures is None],
        "jaccard": overlap(common, [cue for cue in cues if correlations[cue] is not None]) if neighbours else None,
    }


def compare_every_word(common: CommonVocabulary, progress: Progress = no_progress) -> EveryWord:
    """Pearson correlation of every common word as a cue."""
    correlations = all_cue_pearson(common, progress)
    return {
        "pearson": distribution(correlations),
        "histogram": histogram(correlations),
        "moved": moved(common.words, correlations),
        "undefined": int(np.isnan(correlations).sum()),
    }


def described(embedding: Embedding) -> ReferenceUsed:
    """Description of one side's vectors, as stored in results."""
    return {
        "name": embedding.name,
        "sha256": embedding.sha256,
        "words": len(embedding.words),
        "dimensions": embedding.dimensions,
    }
