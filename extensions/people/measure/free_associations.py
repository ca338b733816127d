"""Free associations: raters' words normalised, checked, merged and ranked (docs/protocol.md §7.1)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.text import is_blank

WORDS_A_CUE = 10
LIST_LENGTH = 10
LONGEST_WORD = 60
LONGEST_WRITTEN = 120
_CONTROL = dict.fromkeys(code for code in (*range(0x20), *range(0x7F, 0xA0)) if not chr(code).isspace())
Refusal = Literal["empty", "long", "cue", "repeated"]


def normalise(written: str) -> str:
    """Lower-cased, trimmed, inner spaces single, composed characters (NFC); the spelling is not changed.

    Control characters, which a database may reject, are removed. Invisible text becomes empty.
    """
    if is_blank(written):
        return ""
    return " ".join(unicodedata.normalize("NFC", written.translate(_CONTROL)).lower().split())


def as_written(written: str) -> str:
    """The form stored with the normalised word: trimmed and cut, without control characters."""
    return written.translate(_CONTROL).strip()[:LONGEST_WRITTEN]


def refusal(word: str, cue: str, before: Sequence[str]) -> Refusal | None:
    """Reason to reject a normalised word, or None.

    Parameters
    ----------
    word : normalised.
    cue : the cue shown to the rater.
    before : normalised earlier words of this rater for the cue.
    """
    if not any(character.isalnum() for character in word):
        return "empty"
    if len(word) > LONGEST_WORD:
        return "long"
    if word == normalise(cue):
        return "cue"
    return "repeated" if word in before else None


@dataclass(frozen=True)
class Mention:
    """A word with the number of raters who gave it; ``rank`` from 1, by mentions, ties by first mention."""

    word: str
    mentions: int
    rank: int
    variants: tuple[str, ...] = ()


def ranked(answers: Iterable[Sequence[str]], merged: Mapping[str, str] | None = None) -> list[Mention]:
    """All words given for a cue, most mentions first; ties in the order of first mention.

    Parameters
    ----------
    answers : normalised words of each rater, in the raters' starting order.
    merged : variant → the word it is merged into. A rater who gave both counts once.

    Returns
    -------
    list of Mention
        the first ten are the human list.
    """
    merged = merged or {}
    counts: dict[str, int] = {}
    variants: dict[str, dict[str, None]] = {}
    for words in answers:
        for word in dict.fromkeys(target(written, merged) for written in words):
            counts[word] = counts.get(word, 0) + 1
        for written in words:
            word = target(written, merged)
            if written != word:
                variants.setdefault(word, {})[written] = None
    by_mentions = sorted(counts.items(), key=lambda item: -item[1])  # stable: first mention first
    return [
        Mention(word, count, rank, tuple(variants.get(word, ())))
        for rank, (word, count) in enumerate(by_mentions, start=1)
    ]


def target(word: str, merged: Mapping[str, str]) -> str:
    """The word that a variant is merged into, through chains of merges; a cycle ends where it closes."""
    followed = {word}
    while (following := merged.get(word, word)) not in followed:
        followed.add(following)
        word = following
    return word
