"""The line with which word2vec's two forms may begin: ``count dimensions``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tasks.vector_files.limits import Limits
from tasks.vector_files.lines import BLANKS, BYTE_ORDER_MARK
from tasks.vector_files.problems import Problem

_HEADER = re.compile(rb"([0-9]+)[ \t]([0-9]+)")
_MOST_DIGITS = 18


@dataclass(frozen=True)
class Header:
    """What a file's first line promises."""

    count: int
    dimensions: int


def header_of(beginning: bytes) -> Header | None:
    """The header in a file's first bytes; None without one. Numbers of more digits than any limit are cut."""
    line = beginning.removeprefix(BYTE_ORDER_MARK).partition(b"\n")[0]
    found = _HEADER.fullmatch(line.rstrip(BLANKS))
    if not found:
        return None
    count, dimensions = (int(digits.lstrip(b"0")[: _MOST_DIGITS + 1] or b"0") for digits in found.groups())
    return Header(count, dimensions)


def check_header(header: Header, limits: Limits) -> None:
    """
    Raises
    ------
    InputError
        ``too-few-dimensions``, ``too-many-dimensions``, ``too-many-words``.
    """
    if header.count > limits.words:
        raise Problem.TOO_MANY_WORDS(limit=limits.words, line=1)
    if header.dimensions > limits.dimensions:
        raise Problem.TOO_MANY_DIMENSIONS(limit=limits.dimensions, line=1)
    if header.dimensions < limits.fewest_dimensions:
        raise Problem.TOO_FEW_DIMENSIONS(found=header.dimensions, fewest=limits.fewest_dimensions, line=1)
