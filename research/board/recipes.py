"""The board's entries, in the order in which they are made. The baseline (SVD-PPMI) is already on it.

Trained ones have a recipe each; those that others have published are listed by the client (``vecboard/public.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tasks.local_training.plan import Algorithm
from tasks.suite import Suite
from vecboard.public import PUBLIC, PublicEntry


class UnknownEntry(Exception):
    """The board has no entry with this id; the message lists the ids."""


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
class Recipe:
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
    def source(self) -> Recipe | None:
        """The entry whose file this one is made from: controls are shaped like skip-gram of the same dimension."""
        if self.algorithm in ("random", "shuffled"):
            return Recipe("skip-gram", self.dimensions, 5)
        return None


RECIPES = (
    Recipe("svd-ppmi", 50, 5),
    Recipe("cbow", 50, 5),
    Recipe("skip-gram", 50, 5),
    Recipe("glove", 50, 10),
    Recipe("fasttext", 50, 5),
    Recipe("skip-gram", 100, 5),
    Recipe("random", 100),
    Recipe("shuffled", 100),
    Recipe("skip-gram", 100, 10),
    Recipe("glove", 100, 10),
    Recipe("skip-gram", 100, 2),
    Recipe("cbow", 100, 5),
    Recipe("fasttext", 100, 5),
    Recipe("skip-gram", 300, 5),
)
"""In the order in which they are made, so that the board is comparable wherever it stops. First every algorithm at the
cheapest dimension; then the controls; GloVe and skip-gram with one window; the windows; the most expensive last."""


BoardEntry: TypeAlias = Recipe | PublicEntry


def board_entries(suite: Suite) -> tuple[BoardEntry, ...]:
    """All that the board of a suite is made of: the trained entries, then the public ones that are measured with it."""
    return (*RECIPES, *(entry for entry in PUBLIC if entry.measured == suite.id))


def board_entry(named: str) -> BoardEntry:
    """The trained or public entry with this id.

    Raises
    ------
    UnknownEntry
        for an unknown id.
    """
    for known in (*RECIPES, *PUBLIC):
        if known.id == named:
            return known
    ids = ", ".join(known.id for known in (*RECIPES, *PUBLIC))
    raise UnknownEntry(f"There is no entry {named!r}; the entries are {ids}.")


def recipe(named: str) -> Recipe:
    """The recipe of the trained entry with this id.

    Raises
    ------
    UnknownEntry
        for an unknown id.
    """
    found = board_entry(named)
    if isinstance(found, Recipe):
        return found
    raise UnknownEntry(f"{named} is published, not trained here: vecboard public {named} fetches and submits it.")
