"""Stability of runs (Rodriguez & Spirling 2019, §4.3; docs/protocol.md §5.5), and subgroups: are general vectors closer
to one group's use of words (appendix D)?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from tasks.errors import InputError, NoScore
from tasks.neighbours import Neighbour
from tasks.political.compare import LEAST_VARIANCE, distribution
from tasks.political.secondary import Distribution, Stability
from tasks.political.vocabulary import CommonVocabulary, Floats, cut_to_common, nearest
from tasks.results import Interval
from tasks.statistics.intervals import interval_of_mean
from tasks.vectors import Embedding

MOST_RUNS = 20


def runs_of(embeddings: Sequence[Embedding]) -> CommonVocabulary:
    """Cut runs to their common words.

    Raises
    ------
    NoScore
        fewer than two runs, more than twenty, or fewer than 200 words in common.
    """
    if not 2 <= len(embeddings) <= MOST_RUNS:
        count = "is one run" if len(embeddings) == 1 else f"are {len(embeddings)} runs"
        raise NoScore(f"Stability compares from 2 to {MOST_RUNS} runs of the same settings; there {count}.")
    return cut_to_common(embeddings)


def pair_correlations(cosines: NDArray[np.floating]) -> Floats:
    """Pearson correlation of every pair of runs around every cue.

    Parameters
    ----------
    cosines : of k cues with n words in each of r runs, shape (r, k, n).

    Returns
    -------
    float64, shape (r·(r-1)/2, k)
        pairs in the order of ``itertools.combinations``; NaN if a run's cosines do not vary.
    """
    centred = cosines.astype(np.float64)
    centred -= centred.mean(axis=2, keepdims=True)
    variances = np.einsum("rkn,rkn->rk", centred, centred)
    defined = variances > LEAST_VARIANCE * cosines.shape[2]
    centred /= np.sqrt(np.where(defined, variances, 1.0))[:, :, None]
    rows = []
    for i, j in combinations(range(len(cosines)), 2):
        correlations = np.clip(np.einsum("kn,kn->k", centred[i], centred[j]), -1.0, 1.0)
        rows.append(np.where(defined[i] & defined[j], correlations, np.nan))
    return np.array(rows).reshape(-1, cosines.shape[1])


def stability(correlations: Floats) -> Stability | None:
    """Summary of :func:`pair_correlations`; None if no cue has a correlation in every pair.

    Parameters
    ----------
    correlations : shape (pairs, k).
    """
    complete = correlations[:, np.isfinite(correlations).all(axis=0)]
    if complete.size == 0:
        return None
    by_cue = complete.mean(axis=0)
    return {
        "mean": float(complete.mean()),
        "interval": interval_of_mean(by_cue),
        "pairs": complete.mean(axis=1).tolist(),
        "quantiles": np.quantile(complete, [0.0, 0.25, 0.5, 0.75, 1.0]).tolist(),
        "cues": int(complete.shape[1]),
    }


def stability_of(runs: CommonVocabulary, cues: Sequence[str]) -> Stability | None:
    """Stability over the cues known to all runs; None without any."""
    places = runs.distinct(cues)
    blocks = [pair_correlations(cosines) for _, cosines in runs.cosines(places)]
    return stability(np.concatenate(blocks, axis=1)) if blocks else None


def averaged_neighbours(runs: CommonVocabulary, cues: Sequence[str], count: int) -> dict[str, list[Neighbour]]:
    """Nearest words by cosine averaged over the runs; vectors of different runs are never averaged.

    Returns
    -------
    dict
        nearest words of each cue known to all runs, nearest first.
    """
    places = runs.places(cues)
    names, rows = list(places), list(places.values())
    neighbours: dict[str, list[Neighbour]] = {}
    for block, cosines in runs.cosines(rows):
        for cue, place, mean in zip(names[block], rows[block], cosines.mean(axis=0), strict=True):
            neighbours[cue] = [Neighbour(runs.words[i], float(mean[i])) for i in nearest(mean, place, count)]
    return neighbours


@dataclass(frozen=True)
class GroupDifference:
    """One group's agreement with the reference minus another's, cue by cue.

    Parameters
    ----------
    first, second : the groups.
    mean : over the cues.
    interval : 95 %, Student's t over the cues.
    p : of Wilcoxon's two-sided signed-rank test over the cues; None without differences.
    cues : number of cues.
    """

    first: str
    second: str
    mean: float
    interval: Interval | None
    p: float | None
    cues: int


@dataclass(frozen=True)
class Subgroups:
    """Agreement of every group with the reference.

    Parameters
    ----------
    groups : Pearson correlation with the reference over the cues, by group.
    cues : the same for each cue; None for a cue that is not known to all, or a zero vector in one.
    differences : of every two groups.
    common_words : number of words common to all files.
    """

    groups: Mapping[str, Distribution]
    cues: Mapping[str, Mapping[str, float] | None]
    differences: tuple[GroupDifference, ...]
    common_words: int


def compare_subgroups(
    groups: Mapping[str, Sequence[Embedding]], reference: Embedding, cues: Sequence[str]
) -> Subgroups:
    """Compare each group's vectors with the reference, on the words common to all files.

    A group may have several runs: their cosines are averaged, never their vectors.

    Raises
    ------
    NoScore
        fewer than 200 common words, or no cue with a non-zero vector in all files.
    InputError
        fewer than two groups.
    """
    if len(groups) < 2:
        raise InputError("one-group", "A comparison of groups needs the vectors of at least two.", field="group")
    files = [embedding for runs in groups.values() for embedding in runs]
    cut = cut_to_common([reference, *files])
    places_of_cues = cut.places(cues)
    if not places_of_cues:
        raise NoScore(f"None of the {len(cues)} cues is known to all {len(files) + 1} files.")
    sizes = [len(runs) for runs in groups.values()]
    places = cut.distinct(cues)
    correlations = _with_reference(cut, places, sizes)
    # A zero vector has no correlations; its cue is left out, like a cue that a file lacks.
    complete = np.flatnonzero(np.isfinite(correlations).all(axis=0))
    if len(complete) == 0:
        raise NoScore("No cue has a correlation in every group: of each, the vector of some file is zeros.")
    columns = {places[column]: i for i, column in enumerate(complete.tolist())}
    by_group = dict(zip(groups, correlations[:, complete], strict=True))
    summaries = {name: distribution(values) for name, values in by_group.items()}
    figures: dict[str, Mapping[str, float] | None] = dict.fromkeys(cues)
    figures |= {
        cue: {name: float(by_group[name][columns[place]]) for name in groups}
        for cue, place in places_of_cues.items()
        if place in columns
    }
    pairs = tuple(difference(a, b, by_group[a] - by_group[b]) for a, b in combinations(groups, 2))
    return Subgroups({name: s for name, s in summaries.items() if s}, figures, pairs, len(cut))


def _with_reference(cut: CommonVocabulary, places: Sequence[int], sizes: Sequence[int]) -> Floats:
    """Correlation of every group's averaged cosines with the reference's, shape (groups, cues)."""
    ends = np.cumsum([1, *sizes])
    blocks = []
    for _, cosines in cut.cosines(places):
        averaged = [cosines[begin:end].mean(axis=0) for begin, end in pairwise(ends)]
        blocks.append(np.stack([pair_correlations(np.stack([cosines[0], group]))[0] for group in averaged]))
    return np.concatenate(blocks, axis=1)


def difference(first: str, second: str, differences: Floats) -> GroupDifference:
    """Mean, interval and test of differences of two groups, shape (cues,)."""
    values = differences[np.isfinite(differences)]
    p = float(wilcoxon(values).pvalue) if len(values) > 1 and np.any(values != 0) else None
    return GroupDifference(first, second, float(values.mean()), interval_of_mean(values), p, len(values))
