"""Forms of ``secondary``: the JSON objects that each family stores beside its score.

Those of political tasks are in :mod:`tasks.political.secondary`.

Optional keys are absent if the value does not exist.
"""

# Without `from __future__ import annotations`, which would hide the optional keys from the interpreter.
from typing import NotRequired, TypedDict

VERBS_ONLY = ("simverb-3500", "verb-143", "yp-130")
"""Similarity sets of verbs, not compared with times of words of any part of speech (Auguste et al. 2017)."""


class Confusions(TypedDict):
    """``confusion[gold][predicted]``: counts summed over ``seeds``, classes in the order of ``labels``."""

    labels: list[str]
    confusion: list[list[int]]
    seeds: int


class UnknownWords(TypedDict):
    """Out-of-vocabulary words of the test texts; ``commonest`` holds pairs of a word and its count."""

    tokens: int
    types: int
    commonest: list[list[str | int]]


class TrainedFigures(TypedDict):
    """Secondary results of trained tasks, in addition to one mean per secondary metric.

    ``spans``: [true positives, false positives, false negatives] by span type.
    """

    classes: Confusions
    spans: NotRequired[dict[str, list[int]]]
    unknown_words: UnknownWords


class SimilarityFigures(TypedDict):
    """Word similarity: numbers of pairs, and correlations."""

    known: int
    pairs: int
    rho: float
    unknown_as_zero: float | None


class CategoryCounts(TypedDict):
    """Numbers of questions of a category."""

    correct: int
    known: int
    questions: int


class AnalogyShares(TypedDict):
    """Precision at 1, overall and by groups of categories; None without questions."""

    total: float | None
    strict: float
    semantic: float | None
    semantic_strict: float | None
    syntactic: float | None
    syntactic_strict: float | None
    categories: dict[str, CategoryCounts]


class AnalogyFigures(AnalogyShares):
    """Analogies by 3CosAdd; ``cosmul`` has the shares by 3CosMul."""

    known: int
    correct: int
    questions: int
    cosmul: AnalogyShares


class GroupFigures(TypedDict):
    """A group of words: accuracy of its trials (None: too few known words), number of its words and of known ones."""

    accuracy: float | None
    known: int
    words: int


class OddOneOutFigures(TypedDict):
    """Word groups: number of the language's words, of known ones, and of phrases, which are left out."""

    known: int
    words: int
    phrases: int
    groups: dict[str, GroupFigures]


class AlignedDimension(TypedDict):
    """A dimension with its property (None if the dimension is constant) and its words with the largest values."""

    dimension: int
    property: str | None
    r: float
    words: list[str]


class QvecFigures(TypedDict):
    """QVEC: number of the oracle's words, and of known ones."""

    known: int
    words: int
    dimensions: list[AlignedDimension]


class CcaFigures(TypedDict):
    """QVEC-CCA: number of the oracle's words and of known ones, and canonical correlations."""

    known: int
    words: int
    properties: int
    correlations: list[float]


class Intrusion(TypedDict):
    """A dimension's words, the intruder, and its distance ratio."""

    dimension: int
    words: list[str]
    intruder: str
    ratio: float


class IntrusionFigures(TypedDict):
    """Word intrusion: the ratio of each run, and numbers of dimensions."""

    runs: list[float]
    dimensions: int
    left_out: int
    examples: list[Intrusion]


class SharedPairs(TypedDict):
    """ρ of reaction times and a similarity set's scores over the pairs in both."""

    rho: float | None
    pairs: int


class PrimingPart(SharedPairs):
    """ρ of cosines and reaction times over the known pairs of a part.

    ``within_target`` is −ρ of their deviations from the mean of the same target, over ``within_pairs``: known pairs
    whose target has several.
    """

    known: int
    within_target: float | None
    within_pairs: int


class PrimingFigures(PrimingPart):
    """Semantic priming: the headline's part, every part, similarity sets (None: missing; once also ``VERBS_ONLY``)."""

    partitions: dict[str, PrimingPart]
    similarity_sets: dict[str, SharedPairs] | None


class MapFigures(TypedDict):
    """Word map; lists have one entry per word."""

    words: list[str]
    x: list[float]
    y: list[float]
    supersenses: list[str | None]


class ProbeFigures(TypedDict):
    """A probe over mean vectors: the chosen C and its accuracy in cross-validation."""

    C: float
    validation: float


class PairProbe(TypedDict):
    """One pair of newsgroups: accuracy on ``n`` test posts, and the chosen C."""

    accuracy: float
    n: int
    C: float


class NewsgroupFigures(TypedDict):
    """20 Newsgroups, by pair of groups."""

    pairs: dict[str, PairProbe]


class KnownPairs(TypedDict):
    """Accuracy over the pairs with two known words; None without any."""

    accuracy: float | None
    n: int


class MetaphorFigures(TypedDict):
    """Metaphor task: accuracy of each fold, and of known pairs."""

    folds: list[float]
    known: KnownPairs


class OneWordFigures(TypedDict):
    """A :class:`tasks.associations.weat.OfOneWord`."""

    d: float | None
    p: float


class AssociationFigures(TypedDict):
    """An association test: number of the words of its lists, of known ones, and the result of each known target word.

    ``left_out`` has the excluded known words, with the reason, and is absent if there are none. ``p`` is over
    ``partitions``, all of them if ``exact``. ``runs`` has d for every run of the same settings, None for a run without
    d, and is absent for a single file.
    """

    known: int
    words: int
    missing: list[str]
    p: float
    partitions: int
    exact: bool
    single: dict[str, OneWordFigures]
    left_out: NotRequired[dict[str, str]]
    runs: NotRequired[list[float | None]]
