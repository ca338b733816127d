"""Paragraphs of text collections."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from isal import igzip


def plain_paragraphs(path: Path) -> Iterator[str]:
    """Lines of a plain or gzipped UTF-8 text, one paragraph a line, without their ends."""
    if path.suffix == ".gz":
        with igzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            yield from (line.rstrip("\r\n") for line in file)
    else:
        with path.open(encoding="utf-8", newline="\n") as file:
            yield from (line.rstrip("\r\n") for line in file)
