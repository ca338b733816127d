"""Settings of a training, and its results with the technical criteria of an upload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from tasks.errors import InputError

if TYPE_CHECKING:  # the command line's help imports this module, and nothing large
    from tasks.vectors import Embedding, Matrix

Algorithm = Literal["skip-gram", "cbow", "fasttext", "glove"]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)
EPOCHS = 5
"""Passes of gensim's algorithms (Rodriguez & Spirling 2019, §8)."""
MOST_RUNS = 20


def check_bounds(settings: object, bounds: Mapping[str, tuple[int, int]]) -> None:
    """Reject settings out of range, naming the first one.

    Raises
    ------
    InputError
        ``out-of-range``.
    """
    for name, (least, most) in bounds.items():
        value = getattr(settings, name)
        if not least <= value <= most:
            message = f"The {name.replace('_', ' ')} must be from {least} to {most:,}, not {value}."
            raise InputError("out-of-range", message, field=name)


@dataclass(frozen=True)
class Plan:
    """Settings of a training.

    Parameters
    ----------
    algorithm : one of ``ALGORITHMS``.
    window : tokens on each side.
    dimensions : D.
    minimum_count : rarer words get no vector.
    iterations : passes over the text, for GloVe the maximum; None: 5, for GloVe 100.
    runs : number of trainings, which differ only in the seed.
    seed : of the first run; the others have consecutive seeds.
    resample : draw every run's documents with replacement, by its seed.
    """

    algorithm: Algorithm
    window: int = 6
    dimensions: int = 100
    minimum_count: int = 10
    iterations: int | None = None
    runs: int = 1
    seed: int = 1
    resample: bool = False

    def __post_init__(self) -> None:
        """Reject settings that cannot be trained, naming the setting."""
        if self.algorithm not in ALGORITHMS:
            raise InputError("unknown-algorithm", f"The algorithms are {', '.join(ALGORITHMS)}.", field="algorithm")
        check_bounds(
            self,
            {"window": (1, 100), "dimensions": (2, 2_000), "minimum_count": (1, 1_000_000), "runs": (1, MOST_RUNS)},
        )

    @property
    def name(self) -> str:
        """``glove-w6-d100``, ``glove-w6-d100-resampled``."""
        return f"{self.algorithm}-w{self.window}-d{self.dimensions}{'-resampled' if self.resample else ''}"


@dataclass(frozen=True)
class Criteria:
    """Technical criteria of one run (Rodriguez & Spirling 2019, §4.1; docs/protocol.md §5.7), as stated in an upload.

    Parameters
    ----------
    corpus, licence : title and licence of the text.
    algorithm, window, dimensions, minimum_count, seed : the settings.
    tokens, words : size of the text and of the vocabulary.
    loss : final loss. GloVe: mean of f·(error)² over the pairs in the last iteration; gensim: loss of the last epoch
        divided by the epoch's tokens; None for fastText, which does not report it.
    iterations : number of passes.
    converged : GloVe stopped by its tolerance; None for algorithms with a fixed number of passes.
    minutes : wall-clock time, including counting.
    processor_minutes : CPU time of all threads together, which a busy machine hardly changes.
    """

    corpus: str
    licence: str
    algorithm: str
    window: int
    dimensions: int
    minimum_count: int
    seed: int
    tokens: int
    words: int
    loss: float | None
    iterations: int
    converged: bool | None
    minutes: float
    processor_minutes: float


@dataclass(frozen=True)
class Fit:
    """Result of fitting an algorithm to a text.

    Parameters
    ----------
    words : V words by falling frequency.
    matrix : float32, shape (V, D).
    losses : of every iteration, as in :class:`Criteria`.
    iterations, converged, tokens : see :class:`Criteria`.
    """

    words: list[str]
    matrix: Matrix
    losses: tuple[float, ...]
    iterations: int
    converged: bool | None
    tokens: int


@dataclass(frozen=True)
class TrainedRun:
    """Vectors of one run with their criteria."""

    embedding: Embedding
    criteria: Criteria
    losses: tuple[float, ...] = ()
