"""Errors for users: the problem, its place and the remedy."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ROOTS = (Path(__file__).parents[1], Path(sys.prefix), Path(sys.base_prefix))


class VecboardError(Exception):
    """Base class of every error that this package raises on purpose."""


@dataclass(eq=False)
class InputError(VecboardError):
    """Invalid input of the user. Never retried, because the result would be the same.

    Parameters
    ----------
    code : short, stable, kebab-case name of the case, for programs (``"wrong-field-count"``).
    message : one or two whole sentences: the problem and the remedy.
    line : line of the file, counted from 1, if any.
    word : the word on that line, if any.
    field : name of the form or API field that the error belongs to.
    """

    code: str
    message: str
    line: int | None = None
    word: str | None = None
    field: str | None = "file"

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        """Support pickling, by which worker pools pass errors between processes."""
        return type(self), (self.code, self.message, self.line, self.word, self.field)

    def as_dict(self) -> dict[str, str | int]:
        """The error object of the API: ``{code, message, line?, word?, field?}``."""
        parts = {"code": self.code, "message": self.message, "line": self.line, "word": self.word, "field": self.field}
        return {name: value for name, value in parts.items() if value is not None}


@dataclass(eq=False)
class DataUnavailable(VecboardError):
    """A data set is missing, restricted by its licence, or damaged; only its tasks are unavailable.

    Parameters
    ----------
    dataset : id of the data set.
    reason : one sentence with the reason and the way to make it available.
    """

    dataset: str
    reason: str

    def __str__(self) -> str:
        return self.reason

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.dataset, self.reason)


class UnknownName(VecboardError, KeyError):
    """Unknown suite, task or data set; the message lists the valid names."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(eq=False)
class NoScore(VecboardError):
    """A task ran but has no score for these vectors (for example too few known pairs).

    Parameters
    ----------
    reason : one sentence, shown in the blank cell.
    """

    reason: str

    def __str__(self) -> str:
        return self.reason

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.reason,)


class Fault(RuntimeError):
    """A failure of this program or machine whose message is for users: without paths, and without texts of theirs."""


def class_of(error: BaseException) -> str:
    """An exception without its message, which may quote a user's text or a path of this machine."""
    number = error.errno if isinstance(error, OSError) else None
    return type(error).__name__ + (f": {os.strerror(number)}" if number else "")


def places_of(error: BaseException | None) -> Iterator[str]:
    """Lines for a log: an exception and those that led to it, without messages, and where each was raised."""
    while error is not None:
        yield class_of(error)
        for frame in traceback.extract_tb(error.__traceback__):
            path = Path(frame.filename)
            root = next((root for root in _ROOTS if path.is_relative_to(root)), path.parent)
            yield f'  File "{path.relative_to(root)}", line {frame.lineno}, in {frame.name}'
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
