"""Paragraphs of plain text collections."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tasks.datasets.packing import open_packed


def plain_paragraphs(path: Path) -> Iterator[str]:
    """Lines of a UTF-8 text, plain or packed (``.gz``, ``.bz2``), one paragraph a line, without their ends."""
    with path.open("rb") as stored, open_packed(stored, path.suffix) as file:
        for line in file:
            yield line.decode("utf-8").rstrip("\r\n")
