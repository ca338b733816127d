"""Subgroups: are general vectors closer to one group's use of words? (Rodriguez & Spirling 2019, appendix D)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from scipy.stats import wilcoxon

from tasks.errors import InputError, NoScore
from tasks.political.compare import distribution
from tasks.political.secondary import Distribution
from tasks.political.subgroups import pair_correlations
from tasks.political.vocabulary import CommonVocabulary, Floats, cut_to_common
from tasks.results import Interval
from tasks.statistics.intervals import interval_of_mean
from tasks.vectors import Embedding


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
