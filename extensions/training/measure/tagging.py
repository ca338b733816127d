"""Texts with marked words, for separability (:mod:`tasks.political.separability`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from tasks.errors import InputError
from tasks.political.cues import random_cues
from tasks.political.separability import MARK

TAGGED_WORDS = 100
Read = Callable[[], Iterator[str]]
Tagging = dict[str, Iterator[bool]]
"""Flags of marked occurrences, in text order, by word."""


def tagging(read: Read, *, count: int = TAGGED_WORDS, minimum_count: int = 10, seed: int = 0) -> Tagging:
    """Choose words and half of the occurrences of each, rounded down.

    Parameters
    ----------
    read : returns the lines of the text, tokens joined by spaces.
    count : number of words, drawn from those frequent enough that both halves get a vector.
    minimum_count : least occurrences of a word with a vector.

    Raises
    ------
    InputError
        the text has too few frequent words, or already has marked words.
    """
    counts = Counter(word for line in read() for word in line.split(" "))
    if any(word.endswith(MARK) for word in counts):
        raise InputError("tagged-already", f"The corpus already has words that end in {MARK}.", field="corpus")
    frequent = [word for word, n in counts.items() if n >= 2 * minimum_count and any(map(str.isalpha, word))]
    if len(frequent) < count:
        message = f"Only {len(frequent)} words occur {2 * minimum_count} times; {count} are needed. Give a larger text."
        raise InputError("too-few-words", message, field="corpus")
    generator = np.random.default_rng(seed)
    chosen = {}
    for word in random_cues(frequent, count, seed):
        flags = np.zeros(counts[word], dtype=bool)
        flags[: counts[word] // 2] = True
        chosen[word] = iter(generator.permutation(flags).tolist())
    return chosen


def tagged_lines(read: Read, chosen: Tagging) -> Iterator[str]:
    """The lines with the chosen occurrences marked; consumes the tagging."""
    for line in read():
        yield " ".join(word + MARK if word in chosen and next(chosen[word]) else word for word in line.split(" "))
