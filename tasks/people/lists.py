"""Lists of context words to compare: from vectors, from people, or uploaded; cut to the words of both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tasks.people.associations import LIST_LENGTH, normalise
from tasks.people.triads import Lists, different_pairs
from tasks.political.human import cosines_of, first_found, ranks_of
from tasks.political.neighbours import nearest
from tasks.vectors import UNKNOWN, Embedding

_FIRST_LOOK = 500
_MOST_NAMED = 3


class WordSource(Protocol):
    """The source of a list."""

    def knows(self, word: str) -> bool:
        """Whether the word could be in one of its lists."""

    def best(self, cues: Iterable[str], keep: Callable[[str], bool]) -> dict[str, list[str]]:
        """The first ten words for each cue that ``keep`` accepts, normalised; a cue that it lacks is absent."""


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
        found = {}
        for cue in cues:
            own = normalise(cue)
            if own in self._lists:
                words = dict.fromkeys(word for word in self._lists[own] if word != own and keep(word))
                found[cue] = list(words)[:LIST_LENGTH]
        return found


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
        found = cosines_of(self._embedding, cues)
        return {cue: self._nearest(cue, cosines, keep) for cue, cosines in found.items()}

    def _nearest(self, cue: str, cosines: NDArray[np.float64], keep: Callable[[str], bool]) -> list[str]:
        """Words that differ only in case are one word to a reader: only the nearest is kept."""
        row, own = first_found(self._embedding, cue), normalise(cue)
        look = min(_FIRST_LOOK, len(cosines))
        while True:
            found: dict[str, None] = {}
            for place in nearest(cosines, row, look).tolist():
                word = normalise(self._embedding.words[place])
                if word != own and any(map(str.isalnum, word)) and word not in found and keep(word):
                    found[word] = None
                    if len(found) == LIST_LENGTH:
                        return list(found)
            if look == len(cosines):
                return list(found)
            look = min(look * 10, len(cosines))


def compared(candidate: WordSource, baseline: WordSource, cues: Sequence[str]) -> tuple[dict[str, Lists], list[str]]:
    """The two lists of every cue, each cut to words that the other side has too.

    Returns
    -------
    (lists, problems)
        lists of the cues that can be shown, and one sentence per reason why others cannot.
    """
    ours, theirs = candidate.best(cues, baseline.knows), baseline.best(cues, candidate.knows)
    lists: dict[str, Lists] = {}
    problems: dict[str, list[str]] = {}
    for cue in cues:
        if cue not in ours or cue not in theirs:
            side = "candidate" if cue not in ours else "baseline"
            problems.setdefault(f"The {side} has no list for {{}}.", []).append(cue)
        elif not ours[cue] or not theirs[cue]:
            side, other = ("candidate", "baseline") if not ours[cue] else ("baseline", "candidate")
            problems.setdefault(f"The {other}'s vocabulary has no word of the {side}'s list for {{}}.", []).append(cue)
        elif len(different_pairs(ours[cue], theirs[cue])) == 0:
            problems.setdefault("The two lists for {} contain no two different words.", []).append(cue)
        else:
            lists[cue] = Lists(tuple(ours[cue]), tuple(theirs[cue]))
    return lists, [sentence.format(_named(found)) for sentence, found in problems.items()]


def _named(cues: Sequence[str]) -> str:
    """A short list: “a”, “b” and 5 more."""
    quoted = ", ".join(f"“{cue}”" for cue in cues[:_MOST_NAMED])
    return quoted if len(cues) <= _MOST_NAMED else f"{quoted} and {len(cues) - _MOST_NAMED} more"


def cosine_ranks(embedding: Embedding, words: Mapping[str, Iterable[str]]) -> dict[str, dict[str, float]]:
    """Rank of words by cosine with their cue in the full vocabulary, in which the cue itself has a rank.

    Parameters
    ----------
    words : words of each cue. Out-of-vocabulary words and cues are left out, and so are further spellings of a row.

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
        found = ranks_of(cosines, np.array(list(first), dtype=np.int64))
        ranks[cue] = dict(zip(first.values(), found.tolist(), strict=True))
    return ranks


def _row_of_word(embedding: Embedding, word: str) -> int:
    """The word's row; vector files write names of several words with underscores or hyphens."""
    spellings = dict.fromkeys(word.replace(" ", blank) for blank in " _-")
    return next((row for spelling in spellings if (row := first_found(embedding, spelling)) != UNKNOWN), UNKNOWN)
