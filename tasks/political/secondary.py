"""Values that political tasks store with their scores, as in :mod:`tasks.secondary`."""

# Not `from __future__ import annotations`: it would hide from the interpreter which keys are not required.
from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from tasks.results import Interval, ReferenceUsed

Jaccard = dict[str, dict[str, float]]
"""Jaccard index by number of neighbours, in the ``full`` and the ``common`` vocabulary."""


class Distribution(TypedDict):
    """Mean, sample standard deviation, standard error of the mean, minimum and maximum of n values.

    A single value has no ``sd`` and ``se``.
    """

    mean: float
    sd: float | None
    se: float | None
    min: float
    max: float
    n: int


class Against(TypedDict):
    """The other side of a comparison with the reference."""

    common_words: int
    reference: ReferenceUsed


class CueCorrelations(TypedDict):
    """Ranking correlations around one cue; None if the cosines of a side are all equal."""

    pearson: float | None
    spearman: float | None
    kendall: NotRequired[float | None]


class CueSet(TypedDict):
    """Ranking correlations of a set of cues.

    ``pearson``, ``spearman`` and ``kendall`` are over the known cues: None without any, Kendall's τ also if it wasn't
    requested. ``cues`` has every cue in order, None for one that is out of vocabulary in one or both; ``unknown`` names
    those. ``jaccard`` is that of their nearest words (:func:`tasks.political.vocabulary.overlap`).
    """

    pearson: Distribution | None
    spearman: Distribution | None
    kendall: Distribution | None
    cues: dict[str, CueCorrelations | None]
    unknown: list[str]
    jaccard: Jaccard | None


class BothNeighbours(TypedDict):
    """Nearest words of a cue on both sides."""

    entry: list[str]
    reference: list[str]


class CuesCompared(CueSet, Against):
    """Cues compared with the reference."""


class PoliticalFigures(CuesCompared):
    """The same for the political cues, with their ``neighbours``."""

    neighbours: NotRequired[dict[str, BothNeighbours]]


class MovedWord(TypedDict):
    """A word and the correlation of its rankings."""

    word: str
    pearson: float


class MovedWords(TypedDict):
    """The words that moved most and least."""

    most: list[MovedWord]
    least: list[MovedWord]


class EveryWord(TypedDict):
    """Pearson correlation of every common word: its distribution, and the words that moved most and least.

    ``undefined`` counts the words without a correlation.
    """

    pearson: Distribution | None
    histogram: Mapping[str, Sequence[float]]
    moved: MovedWords
    undefined: int


class EveryWordFigures(EveryWord, Against):
    """Every common word compared with the reference."""


class CueDeviation(TypedDict):
    """Log rank deviation around one cue.

    ``full`` : mean of log((r_model − r_human)² + 1), r_model in the whole vocabulary (including the cue itself, as in
    the source's program), r_human among all ``mentioned`` words. ``within``: the same, with both ranked among the
    ``known`` words. ``relative``: ``within``, divided by its expectation for a random order; None for a single one.
    """

    full: float
    within: float
    relative: float | None
    known: int
    mentioned: int


class ChanceFigures(TypedDict):
    """Random orders of as many known words: 95 % of ``relative``, whose mean is 1; mean of ``within``."""

    interval: list[float]
    within: float


class HumanFigures(TypedDict):
    """Distance from people's lists: distributions over the cues, and every cue.

    A cue is None if it is unknown, or none of its words is known. The mean of ``relative`` has expectation 1 for random
    orders, regardless of missing words, and weights cues equally, as Student's interval over cues assumes.
    """

    full: Distribution | None
    within: Distribution | None
    relative: Distribution | None
    cues: dict[str, CueDeviation | None]
    chance: NotRequired[ChanceFigures | None]


class Stability(TypedDict):
    """Agreement of runs over a number of cues: mean over pairs and cues, with a 95 % interval over the cues (None for
    a single cue); the mean of each of the r·(r-1)/2 ``pairs``; and minimum, quartiles and maximum of all correlations.
    """

    mean: float
    interval: Interval | None
    pairs: list[float]
    quantiles: list[float]
    cues: int


class AveragedNeighbour(TypedDict):
    """A word near a cue, by cosine averaged over runs."""

    word: str
    cosine: float


class StabilityFigures(TypedDict):
    """Stability over several runs of the same settings; ``political`` is None without cues in the language."""

    runs: int
    common_words: int
    random: Stability
    political: Stability | None
    neighbours: dict[str, list[AveragedNeighbour]]
    sha256: list[str]


class SeparabilityFigures(TypedDict):
    """Separability in a tagged corpus: mean cosine of both halves of a word, and of two other words."""

    same: float
    random: float
