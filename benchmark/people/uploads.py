"""Texts that people upload: tables, and lists of context words. Errors give the line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from functools import cached_property

from django.http import HttpRequest

from benchmark.inputs import json_of, uploaded_bytes
from tasks.errors import InputError
from tasks.people.free_associations import LONGEST_WORD, normalise
from tasks.text import LeftOut, is_blank, text_of

MOST_LIST_WORDS = 100
MOST_ROWS = 200_000
SEPARATORS = ",;\t"
MOST_COLUMNS = 100
"""Every line gets a field for every name of the first: with many of both, a small file would take minutes."""


def uploaded_text(request: HttpRequest, most_bytes: int, *, field: str) -> str:
    """The text of the file that was sent with a form, without a byte order mark; empty if there is none.

    Raises
    ------
    InputError
        it is too large or not text; ``field`` is where the error is shown.
    """
    return text_of(uploaded_bytes(request, most_bytes, field=field), "the file", field=field)


class UploadedTable:
    """CSV with a first line of names, in any case, between commas, semicolons or tabs.

    A field that is missing is empty; names that nobody asks for are left out, and so are lines of empty cells.

    Parameters
    ----------
    text : of the file, with or without a byte order mark.

    Raises
    ------
    InputError
        while it is read: it is not CSV, or has too many lines.
    """

    def __init__(self, text: str) -> None:
        text = text.removeprefix("\ufeff")
        separator = max(SEPARATORS, key=re.split("[\r\n]", text, maxsplit=1)[0].count)
        self._reader = csv.DictReader(
            io.StringIO(text, newline=""), restval="", delimiter=separator, skipinitialspace=True
        )

    def lacks(self, *names: str) -> list[str]:
        """Which of these columns are not there."""
        return sorted(set(names) - set(self._names))

    @cached_property
    def _names(self) -> list[str]:
        try:
            names = self._reader.fieldnames = [name.strip().lower() for name in self._reader.fieldnames or ()]
        except csv.Error as error:
            raise InputError("bad-csv", f"The first line cannot be read as CSV: {error}.") from error
        if len(names) > MOST_COLUMNS:
            message = f"The first line names {len(names):,} columns; keep the needed ones, {MOST_COLUMNS} at most."
            raise InputError("too-many", message)
        return names

    def __iter__(self) -> Iterator[tuple[int, dict[str, str]]]:
        """(number of the line, its fields)."""
        try:
            for nth, row in enumerate(self._reader, start=1):
                if nth > MOST_ROWS:
                    raise InputError("too-many", f"The file has more than {MOST_ROWS:,} lines; split it.")
                if not is_blank("".join(row[name] for name in self._names)):
                    yield self._reader.line_num, row
        except csv.Error as error:
            where = f"Line {self._reader.line_num + 1} cannot be read as CSV"
            raise InputError("bad-csv", f"{where}: {error}. Is a quotation mark missing?") from error


def read_lists(text: str, left_out: LeftOut) -> dict[str, list[str]]:
    """Lists from a file: JSON ``{cue: [words, best first]}``, or CSV with the columns ``cue`` and ``word``, best first.

    Cues and words that are empty or too long are added to ``left_out``.

    Raises
    ------
    InputError
        the text is neither, or has no usable word; says where and what to write.
    """
    text = text.removeprefix("\ufeff")
    lists = _from_json(text, left_out) if text.lstrip().startswith("{") else _from_csv(text, left_out)
    if not lists:
        left_out.refuse()
        raise InputError("no-lists", "The file contains no lists; use the columns cue and word, one word per line.")
    return lists


def _from_json(text: str, left_out: LeftOut) -> dict[str, list[str]]:
    given = json_of(text)
    lists: dict[str, list[str]] = {}
    for cue, words in given.items():
        if not isinstance(words, list):
            message = f"The list of “{cue[:LONGEST_WORD]}” is not a list of words; write {{cue: [word, word, …]}}."
            left_out.add(InputError("bad-json", message))
            continue
        for word in words:
            _add(lists, cue, word if isinstance(word, str) else "", f"the list of “{cue[:LONGEST_WORD]}”", left_out)
    return lists


def _from_csv(text: str, left_out: LeftOut) -> dict[str, list[str]]:
    table = UploadedTable(text)
    if table.lacks("cue", "word"):
        raise InputError("no-columns", "The first line must name the columns cue and word (cue,word).")
    lists: dict[str, list[str]] = {}
    for line, row in table:
        _add(lists, row["cue"], row["word"], f"line {line}", left_out)
    return lists


def _add(lists: dict[str, list[str]], cue: str, word: str, where: str, left_out: LeftOut) -> None:
    cue, word = normalise(cue), normalise(word)
    if not cue or not word or len(word) > LONGEST_WORD or len(cue) > LONGEST_WORD:
        message = f"In {where}, a cue or word is empty or longer than {LONGEST_WORD} characters; correct it."
        left_out.add(InputError("bad-word", message))
        return
    words = lists.setdefault(cue, [])
    if len(words) >= MOST_LIST_WORDS:
        raise InputError("too-many", f"“{cue}” has more than {MOST_LIST_WORDS} words; keep the best ones.")
    if word not in words and word != cue:
        words.append(word)
