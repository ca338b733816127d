"""The simplest reader that follows docs/protocol.md §1.1; the fast one must agree with it bit for bit."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


@dataclass
class Reading:
    words: list[str]
    matrix: NDArray[np.float32]
    invalid: int
    duplicates: int
    zeros: int


def _trailing_numbers(fields: list[bytes]) -> int:
    numeric = [_NUMBER.fullmatch(field) is not None for field in fields[1:]]
    return len(numeric) if all(numeric) else numeric[::-1].index(False)


def read_plainly(text: bytes) -> Reading | None:
    """Words and matrix of a text file; None if a line is malformed."""
    lines = [line.rstrip(b" \t\r") for line in text.removeprefix(b"\xef\xbb\xbf").rstrip(b" \t\r\n").split(b"\n")]
    header = re.fullmatch(rb"(\d+)[ \t](\d+)", lines[0])
    lines = lines[1:] if header else lines
    counts = Counter(_trailing_numbers(re.split(rb"[ \t]", line)) for line in lines[:1000])
    dimensions = int(header[2]) if header else counts.most_common(1)[0][0]
    commonest, times = counts.most_common(1)[0]
    if commonest != dimensions and counts[dimensions] * 10 < times:
        return None
    found: dict[str, list[np.float32]] = {}
    invalid = zeros = 0
    for line in lines:
        fields = re.split(rb"[ \t]", line)
        head, numbers = fields[:-dimensions], fields[-dimensions:]
        word = line[: len(b" ".join(head))]
        if word.strip(b" \t") != word or not word or not all(_NUMBER.fullmatch(field) for field in numbers):
            return None
        if len(head) > 1 and all(_NUMBER.fullmatch(part) and set(part) & set(b".eE") for part in head[1:]):
            return None
        with np.errstate(over="ignore"):
            vector = [np.float32(float(field)) for field in numbers]
        if not np.isfinite(vector).all():
            return None
        try:
            name = word.decode()
        except UnicodeDecodeError:
            invalid += 1
            continue
        if any(vector):
            found.setdefault(name, vector)
        else:
            zeros += 1
    matrix = np.array(list(found.values()), dtype=np.float32).reshape(len(found), dimensions)
    if header and int(header[1]) != len(lines):
        return None
    return Reading(list(found), matrix, invalid, len(lines) - invalid - zeros - len(found), zeros)
