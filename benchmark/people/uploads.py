"""Texts that people upload: tables, and lists of context words. Errors give the line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from django.http import HttpRequest

from benchmark.inputs import json_of, uploaded_bytes
from tasks.errors import InputError
from tasks.people.associations import LONGEST_WORD, normalise

MOST_LIST_WORDS = 100
MOST_ROWS = 200_000
MOST_COLUMNS = 100
"""Every line gets a field for every name of the first: with many of both, a small file would take minutes."""


def uploaded_text(request: HttpRequest, most_bytes: int, *, field: str) -> str:
    """The text of the file that was sent with a form, without a byte order mark; empty if there is none.

    Raises
    ------
    InputError
        it is too large or not text; ``field`` is where the error is shown.
    """
    try:
        return uploaded_bytes(request, most_bytes, field=field).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("no-text", "The file is not UTF-8 text; save it as CSV in UTF-8.", field=field) from error


class UploadedTable:
    """CSV with a first line of names. A field that is missing is empty; names that nobody asks for are left out.

    Parameters
    ----------
    text : of the file, with or without a byte order mark.

    Raises
    ------
    InputError
        while it is read: it is not CSV, or has too many lines.
    """

    def __init__(self, text: str) -> None:
        self._reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), restval="")

    def lacks(self, *names: str) -> list[str]:
        """Which of these columns are not there."""
        return sorted(set(names) - self._names())

    def _names(self) -> set[str]:
        try:
            names = self._reader.fieldnames or ()
        except csv.Error as error:
            raise InputError("bad-csv", f"The first line cannot be read as CSV: {error}.") from error
        if len(names) > MOST_COLUMNS:
            message = f"The first line names {len(names):,} columns; keep the needed ones, {MOST_COLUMNS} at most."
            raise InputError("too-many", message)
        return set(names)

    def __iter__(self) -> Iterator[tuple[int, dict[str, str]]]:
        """(number of the line, its fields)."""
        try:
            for nth, row in enumerate(self._reader, start=1):
                if nth > MOST_ROWS:
                    raise InputError("too-many", f"The file has more than {MOST_ROWS:,} lines; split it.")
                yield self._reader.line_num, row
        except csv.Error as error:
            where = f"Line {self._reader.line_num + 1} cannot be read as CSV"
            raise InputError("bad-csv", f"{where}: {error}. Is a quotation mark missing?") from error


def read_lists(text: str) -> dict[str, list[str]]:
    """Lists from a file: JSON ``{cue: [words, best first]}``, or CSV with the columns ``cue`` and ``word``, best first.

    Raises
    ------
    InputError
        the text is neither; says where and what to write.
    """
    text = text.removeprefix("\ufeff")
    lists = _from_json(text) if text.lstrip().startswith("{") else _from_csv(text)
    if not lists:
        raise InputError("no-lists", "The file contains no lists; use the columns cue and word, one word per line.")
    return lists


def _from_json(text: str) -> dict[str, list[str]]:
    given = json_of(text)
    lists: dict[str, list[str]] = {}
    for cue, words in given.items():
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise InputError("bad-json", f"The list of “{cue}” is not a list of words; write {{cue: [word, word, …]}}.")
        for word in words:
            _add(lists, cue, word, f"the list of “{cue}”")
    return lists


def _from_csv(text: str) -> dict[str, list[str]]:
    table = UploadedTable(text)
    if table.lacks("cue", "word"):
        raise InputError("no-columns", "The first line must name the columns cue and word (cue,word).")
    lists: dict[str, list[str]] = {}
    for line, row in table:
        _add(lists, row["cue"], row["word"], f"line {line}")
    return lists


def _add(lists: dict[str, list[str]], cue: str, word: str, where: str) -> None:
    cue, word = normalise(cue), normalise(word)
    if not cue or not word or len(word) > LONGEST_WORD or len(cue) > LONGEST_WORD:
        raise InputError(
            "bad-word", f"In {where}, a cue or word is empty or longer than {LONGEST_WORD} characters; correct it."
        )
    words = lists.setdefault(cue, [])
    if len(words) >= MOST_LIST_WORDS:
        raise InputError("too-many", f"“{cue}” has more than {MOST_LIST_WORDS} words; keep the best ones.")
    if word not in words and word != cue:
        words.append(word)
