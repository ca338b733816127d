"""What one rater is shown: triads drawn from two lists, practice, screeners, order and sides, all from one seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Side = Literal["left", "right"]
Kind = Literal["practice", "cue", "screener"]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Check:
    """A practice item or a screener: a cue, the word that fits it and one that clearly does not."""

    cue: str
    right: str
    wrong: str


@dataclass(frozen=True)
class Lists:
    """The two lists of a cue, best first."""

    candidate: tuple[str, ...]
    baseline: tuple[str, ...]


@dataclass(frozen=True)
class Item:
    """One triad as shown. ``candidate`` is the candidate's side in a cue's triad, ``correct`` the answer of a check."""

    kind: Kind
    cue: str
    left: str
    right: str
    candidate: Side | None = None
    correct: Side | None = None

    def as_dict(self) -> dict[str, str | None]:
        return asdict(self)


def different_pairs(candidate: Sequence[str], baseline: Sequence[str]) -> Rows:
    """Every pair of one word from each list that are not the same word.

    Returns
    -------
    int64, shape (pairs, 2)
        places in the candidate's and in the baseline's list, from 0; no row where there is nothing to choose between.
    """
    pairs = [(i, j) for i, first in enumerate(candidate) for j, second in enumerate(baseline) if first != second]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def draw_pairs(candidate: Sequence[str], baseline: Sequence[str], generator: np.random.Generator, n: int) -> Rows:
    """Draw triads as raters get them: each word of a list is equally likely, the same word twice is drawn again.

    Returns
    -------
    int64, shape (n, 2)
        places in the two lists, from 0.

    Raises
    ------
    ValueError
        the lists contain no two different words.
    """
    pairs = different_pairs(candidate, baseline)
    if len(pairs) == 0:
        raise ValueError("these lists contain no two different words to choose between")
    drawn: Rows = pairs[generator.integers(0, len(pairs), size=n)]
    return drawn


def session(lists: Mapping[str, Lists], practice: Sequence[Check], screeners: Sequence[Check], seed: int) -> list[Item]:
    """The items of one rater: practice first, then cues and screeners in a shuffled order, sides shuffled too.

    Parameters
    ----------
    lists : the lists of each cue.
    practice, screeners : items with a right answer.
    seed : the same seed and lists give the same session.

    Raises
    ------
    ValueError
        the lists of a cue contain no two different words.
    """
    generator = np.random.default_rng(seed)
    shown = [_triad(cue, lists[cue], generator) for cue in lists]
    shown += [_check("screener", check, generator) for check in screeners]
    order = generator.permutation(len(shown))
    return [_check("practice", check, generator) for check in practice] + [shown[place] for place in order]


def _triad(cue: str, lists: Lists, generator: np.random.Generator) -> Item:
    i, j = draw_pairs(lists.candidate, lists.baseline, generator, 1)[0]
    first, second = lists.candidate[i], lists.baseline[j]
    if generator.random() < 0.5:
        return Item("cue", cue, first, second, candidate="left")
    return Item("cue", cue, second, first, candidate="right")


def _check(kind: Kind, check: Check, generator: np.random.Generator) -> Item:
    if generator.random() < 0.5:
        return Item(kind, check.cue, check.right, check.wrong, correct="left")
    return Item(kind, check.cue, check.wrong, check.right, correct="right")
