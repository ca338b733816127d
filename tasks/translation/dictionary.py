"""Bilingual dictionaries as MUSE writes them: on each line a word and its translation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.errors import InputError
from tasks.text import LeftOut

MOST_PAIRS = 500_000
LONGEST = 200
"""Characters of a term."""
_FIELD = "dictionary"
_LINE_ENDS = re.compile("\r\n|\n|\r")


@dataclass(frozen=True)
class Dictionary:
    """Pairs of words.

    Parameters
    ----------
    pairs : (word, translation), each once, in the file's order; a word with several translations has several.
    several_words : pairs left out because one of their terms has several words.
    left_out : a sentence that counts and names the lines without two terms of fair length; empty if there are none.
    """

    pairs: tuple[tuple[str, str], ...]
    several_words: int = 0
    left_out: str = ""


def read_dictionary(text: str, most_pairs: int = MOST_PAIRS) -> Dictionary:
    """Read lines of a word, a space or tab, and its translation; only tabs allow terms of several words.

    Raises
    ------
    InputError
        there are too many pairs, or no usable line; it says where.
    """
    pairs: dict[tuple[str, str], None] = {}
    several = 0
    left_out = LeftOut()
    for line, written in enumerate(_LINE_ENDS.split(text), start=1):
        try:
            terms = _terms(written, line)
        except InputError as error:
            left_out.add(error)
            continue
        if any(" " in term for term in terms):
            several += 1
        elif terms:
            pairs[terms[0], terms[1]] = None
        if len(pairs) > most_pairs:
            message = f"The dictionary has more than {most_pairs:,} pairs, the limit; line {line} is one too many."
            raise InputError("too-many-pairs", message, line=line, field=_FIELD)
    if not pairs:
        if not several:
            left_out.refuse()
        message = (
            "The dictionary has no pair of single words. Write a word, a space or tab, and its translation on each "
            "line."
        )
        raise InputError("no-pairs", message, field=_FIELD)
    return Dictionary(tuple(pairs), several, left_out.sentence("Lines"))


def _terms(text: str, line: int) -> list[str]:
    """The two terms of a line, spaces within them single; none for an empty line."""
    parts = [" ".join(part.split()) for part in (text.split("\t") if "\t" in text else text.split())]
    terms = [part for part in parts if part]
    if len(terms) not in (0, 2):
        message = (
            f"Line {line} of the dictionary has {len(terms)} term{'' if len(terms) == 1 else 's'} instead of two. "
            "Write a word, a space or tab (no comma or semicolon), and its translation; terms of several words need "
            "the tab."
        )
        raise InputError("wrong-field-count", message, line=line, field=_FIELD)
    long = next((term for term in terms if len(term) > LONGEST), None)
    if long is not None:
        message = f"A term on line {line} of the dictionary is longer than {LONGEST} characters: “{long[:20]}…”."
        raise InputError("word-too-long", message, line=line, word=long[:LONGEST], field=_FIELD)
    return terms
