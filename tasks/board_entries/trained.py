"""The entries of the board that are trained on the suite's corpus, in the order in which they are made.

The baseline (SVD-PPMI) is already on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tasks.local_training.plan import Algorithm

Floor = Literal["svd-ppmi", "random", "shuffled"]
TITLES: dict[Algorithm | Floor, str] = {
    "skip-gram": "Skip-gram",
    "cbow": "CBOW",
    "fasttext": "fastText",
    "glove": "GloVe",
    "svd-ppmi": "SVD-PPMI",
    "random": "Random vectors",
    "shuffled": "Shuffled skip-gram",
}


@dataclass(frozen=True)
class TrainedEntry:
    """How one entry's vectors are made.

    Parameters
    ----------
    algorithm : how they are trained, or the kind of control.
    dimensions : D.
    window : tokens on each side; None for controls.
    """

    algorithm: Algorithm | Floor
    dimensions: int
    window: int | None = None

    @property
    def id(self) -> str:
        """``skip-gram-w5-d100``; short and stable: used in files, commands and reports."""
        window = "" if self.window is None else f"-w{self.window}"
        return f"{self.algorithm}{window}-d{self.dimensions}"

    @property
    def title(self) -> str:
        """Its name on the board."""
        window = "" if self.window is None else f", window {self.window}"
        return f"{TITLES[self.algorithm]}{window}, {self.dimensions} dimensions"

    @property
    def source(self) -> TrainedEntry | None:
        """The entry whose file this one is made from: controls are shaped like skip-gram of the same dimension."""
        if self.algorithm in ("random", "shuffled"):
            return TrainedEntry("skip-gram", self.dimensions, 5)
        return None


TRAINED = (
    TrainedEntry("svd-ppmi", 50, 5),
    TrainedEntry("cbow", 50, 5),
    TrainedEntry("skip-gram", 50, 5),
    TrainedEntry("glove", 50, 10),
    TrainedEntry("fasttext", 50, 5),
    TrainedEntry("skip-gram", 100, 5),
    TrainedEntry("random", 100),
    TrainedEntry("shuffled", 100),
    TrainedEntry("skip-gram", 100, 10),
    TrainedEntry("glove", 100, 10),
    TrainedEntry("skip-gram", 100, 2),
    TrainedEntry("cbow", 100, 5),
    TrainedEntry("fasttext", 100, 5),
    TrainedEntry("skip-gram", 300, 5),
)
"""In the order in which they are made, so that the board is comparable wherever it stops. First every algorithm at the
cheapest dimension; then the controls; GloVe and skip-gram with one window; the windows; the most expensive last."""


def trained_entry(named: str) -> TrainedEntry | None:
    """The entry with this id; None if none of them has it."""
    return next((entry for entry in TRAINED if entry.id == named), None)
