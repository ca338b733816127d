"""Triads: two lists of context words for each cue, and one rater's session drawn from them by a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from extensions.people.measure.free_associations import LIST_LENGTH, normalise
from tasks.political.human import cosines_of, first_row, ranks_of
from tasks.political.vocabulary import nearest
from tasks.vectors import UNKNOWN, Embedding

Side = Literal["left", "right"]
Kind = Literal["practice", "cue", "screener"]
Rows = NDArray[np.int64]
_FIRST_LOOK = 500
_MOST_NAMED = 3


@dataclass(frozen=True)
class Check:
    """A practice item or a screener: a cue, a word that fits it, and one that clearly does not."""

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
    """One triad as shown. ``candidate``: the candidate's side in a cue's triad; ``correct``: the answer of a check."""

    kind: Kind
    cue: str
    left: str
    right: str
    candidate: Side | None = None
    correct: Side | None = None


def different_pairs(candidate: Sequence[str], baseline: Sequence[str]) -> Rows:
    """Every pair of different words, one from each list.

    Returns
    -------
    int64, shape (pairs, 2)
        places in the candidate's and in the baseline's list, from 0; no rows without two different words.
    """
    pairs = [(i, j) for i, first in enumerate(candidate) for j, second in enumerate(baseline) if first != second]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def draw_pairs(candidate: Sequence[str], baseline: Sequence[str], generator: np.random.Generator, n: int) -> Rows:
    """Draw triads as for raters: words of a list are equally likely, and the same word twice is drawn again.

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
    """The items of one rater: practice, then cues and screeners in random order, with random sides.

    Parameters
    ----------
    lists : the lists of each cue.
    practice, screeners : items with a right answer.
    seed : fixes the session, given the lists.

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


class WordSource(Protocol):
    """The source of a list."""

    def knows(self, word: str) -> bool:
        """True if the word could be in one of its lists."""

    def best(self, cues: Iterable[str], keep: Callable[[str], bool]) -> dict[str, list[str]]:
        """The first ten normalised words for each known cue that ``keep`` accepts."""


class FixedLists:
    """Lists given by people or uploaded. Every word counts as known.

    Parameters
    ----------
    lists : words of each cue, best first.
    """

    def __init__(self, lists: Mapping[str, Sequence[str]]) -> None:
        self._lists = {normalise(cue): [normalise(word) for word in words] for cue, words in lists.items()}

    def knows(self, word: str) -> bool:
        return True

    def best(self, cues: Iterable[str], keep: Callable[[str], bool]) -> dict[str, list[str]]:
        lists = {}
        for cue in cues:
            spelling = normalise(cue)
            if spelling in self._lists:
                words = dict.fromkeys(word for word in self._lists[spelling] if word != spelling and keep(word))
                lists[cue] = list(words)[:LIST_LENGTH]
        return lists


class Neighbours:
    """The nearest words of an embedding by cosine, over its full vocabulary.

    Parameters
    ----------
    embedding : the vectors.
    """

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding

    def knows(self, word: str) -> bool:
        return int(self._embedding.find_lower_cased([word])[0]) != UNKNOWN

    def best(self, cues: Iterable[str], keep: Callable[[str], bool]) -> dict[str, list[str]]:
        by_cue = cosines_of(self._embedding, cues)
        return {cue: self._nearest(cue, cosines, keep) for cue, cosines in by_cue.items()}

    def _nearest(self, cue: str, cosines: NDArray[np.float64], keep: Callable[[str], bool]) -> list[str]:
        """Words that differ only in case are one word to a reader: only the nearest is kept."""
        row, spelling = first_row(self._embedding, cue), normalise(cue)
        look = min(_FIRST_LOOK, len(cosines))
        while True:
            words: dict[str, None] = {}
            for place in nearest(cosines, row, look).tolist():
                word = normalise(self._embedding.words[place])
                if word != spelling and any(map(str.isalnum, word)) and word not in words and keep(word):
                    words[word] = None
                    if len(words) == LIST_LENGTH:
                        return list(words)
            if look == len(cosines):
                return list(words)
            look = min(look * 10, len(cosines))


def compared(candidate: WordSource, baseline: WordSource, cues: Sequence[str]) -> tuple[dict[str, Lists], list[str]]:
    """The two lists of every cue, each cut to words known to the other side.

    Returns
    -------
    (lists, problems)
        lists of the cues that can be shown, and a sentence per reason for leaving out others.
    """
    of_candidate, of_baseline = candidate.best(cues, baseline.knows), baseline.best(cues, candidate.knows)
    lists: dict[str, Lists] = {}
    problems: dict[str, list[str]] = {}
    for cue in cues:
        if cue not in of_candidate or cue not in of_baseline:
            side = "candidate" if cue not in of_candidate else "baseline"
            problems.setdefault(f"The {side} has no list for {{}}.", []).append(cue)
        elif not of_candidate[cue] or not of_baseline[cue]:
            side, other = ("candidate", "baseline") if not of_candidate[cue] else ("baseline", "candidate")
            problems.setdefault(f"The {other}'s vocabulary has no word of the {side}'s list for {{}}.", []).append(cue)
        elif len(different_pairs(of_candidate[cue], of_baseline[cue])) == 0:
            problems.setdefault("The two lists for {} contain no two different words.", []).append(cue)
        else:
            lists[cue] = Lists(tuple(of_candidate[cue]), tuple(of_baseline[cue]))
    return lists, [sentence.format(_named(named)) for sentence, named in problems.items()]


def _named(cues: Sequence[str]) -> str:
    """A short list: “a”, “b” and 5 more."""
    quoted = ", ".join(f"“{cue}”" for cue in cues[:_MOST_NAMED])
    return quoted if len(cues) <= _MOST_NAMED else f"{quoted} and {len(cues) - _MOST_NAMED} more"


def cosine_ranks(embedding: Embedding, words: Mapping[str, Iterable[str]]) -> dict[str, dict[str, float]]:
    """Rank of words by cosine with their cue in the full vocabulary, including the cue itself.

    Parameters
    ----------
    words : words of each cue. Words and cues out of vocabulary and further spellings of a row are left out.

    Returns
    -------
    dict
        cue → word → rank from 1; equal cosines share their mean rank.
    """
    ranks = {}
    for cue, cosines in cosines_of(embedding, words).items():
        first: dict[int, str] = {}
        for word in words[cue]:
            first.setdefault(_row_of_word(embedding, word), word)
        first.pop(UNKNOWN, None)
        places = ranks_of(cosines, np.array(list(first), dtype=np.int64))
        ranks[cue] = dict(zip(first.values(), places.tolist(), strict=True))
    return ranks


def _row_of_word(embedding: Embedding, word: str) -> int:
    """The word's row; vector files join names of several words with underscores or hyphens."""
    spellings = dict.fromkeys(word.replace(" ", blank) for blank in " _-")
    return next((row for spelling in spellings if (row := first_row(embedding, spelling)) != UNKNOWN), UNKNOWN)
