"""The choices of a plan, its models, and what they give; it loads nothing else, as web processes hold it for good."""

from __future__ import annotations

from dataclasses import dataclass, field

LOCAL = "local"
SVD = "svd"


@dataclass(frozen=True)
class Settings:
    """Choices that a claim is measured over, and what fixes the random numbers.

    Parameters
    ----------
    windows, dimensions : of the vectors.
    samples : bootstrap samples of units, in addition to the whole corpus.
    deals : random divisions of the units into the two groups.
    minimum_count : rarer words are not counted.
    algorithm : ``svd``, whose vectors don't depend on a seed, or one of :mod:`tasks.local_training`, which trains every
        sample with a seed of its own.
    seed : of samples, deals and draws.
    """

    windows: tuple[int, ...] = (2, 5, 10)
    dimensions: tuple[int, ...] = (50, 100, 200)
    samples: int = 32
    deals: int = 999
    minimum_count: int = 10
    algorithm: str = SVD
    seed: int = 1


@dataclass(frozen=True)
class Model:
    """A sample of the corpus (0: the whole), a window, and the dimensions that come from one training."""

    sample: int
    window: int
    dimensions: tuple[int, ...]


@dataclass(frozen=True)
class Analysis:
    """The number of a claim by one choice of everything; ``without`` is the word left out, if any."""

    start: str
    window: int
    dimensions: int
    sample: int
    without: str
    effect: float | None


@dataclass(frozen=True)
class ByChance:
    """The number in the whole corpus with one setting, and the numbers by chance: of dealt units or of other words."""

    start: str
    window: int
    dimensions: int
    dealt: str
    observed: float
    values: list[float]


@dataclass(frozen=True)
class Measured:
    """All that one model gives."""

    analyses: list[Analysis] = field(default_factory=list)
    by_chance: list[ByChance] = field(default_factory=list)
