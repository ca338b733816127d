"""Values that political tasks store with their scores, as in :mod:`tasks.secondary`."""

# Not `from __future__ import annotations`: it would hide from the interpreter which keys are not required.
from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from tasks.results import ReferenceUsed

Jaccard = dict[str, dict[str, float]]
"""Jaccard index by number of neighbours, in the ``full`` and the ``common`` vocabulary."""


class DistributionFigures(TypedDict):
    """A :class:`tasks.political.compare.Distribution`."""

    mean: float
    sd: float | None  # None for a single value, like se
    se: float | None
    min: float
    max: float
    n: int


class Against(TypedDict):
    """The other side of a comparison with the reference."""

    common_words: int
    reference: ReferenceUsed


class CueCorrelations(TypedDict):
    """Ranking correlations around one cue."""

    pearson: float | None
    spearman: float | None
    kendall: NotRequired[float | None]


class CueSetFigures(TypedDict):
    """A :class:`tasks.political.compare.CueSet`."""

    pearson: DistributionFigures | None
    spearman: DistributionFigures | None
    kendall: DistributionFigures | None
    cues: dict[str, CueCorrelations | None]
    unknown: list[str]
    jaccard: Jaccard | None


class BothNeighbours(TypedDict):
    """Nearest words of a cue on both sides."""

    entry: list[str]
    reference: list[str]


class CuesCompared(CueSetFigures, Against):
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


class EveryWordShape(TypedDict):
    """A :class:`tasks.political.compare.EveryWord`."""

    pearson: DistributionFigures | None
    histogram: Mapping[str, Sequence[float]]
    moved: MovedWords
    undefined: int


class EveryWordFigures(EveryWordShape, Against):
    """Every common word compared with the reference."""


class DeviationFigures(TypedDict):
    """Log rank deviation around one cue; see :class:`tasks.political.human.CueDeviation`."""

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
    """Distance from people's lists: distributions over the cues, and every cue (None: unknown)."""

    full: DistributionFigures | None
    within: DistributionFigures | None
    relative: DistributionFigures | None
    cues: dict[str, DeviationFigures | None]
    chance: NotRequired[ChanceFigures | None]


class StabilityPart(TypedDict):
    """A :class:`tasks.political.subgroups.Stability`."""

    mean: float
    interval: list[float] | None
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
    random: StabilityPart
    political: StabilityPart | None
    neighbours: dict[str, list[AveragedNeighbour]]
    sha256: list[str]


class SeparabilityFigures(TypedDict):
    """Separability in a tagged corpus: mean cosine of both halves of a word, and of two other words."""

    same: float
    random: float
