"""Tables in handwritten pages: a command replaces only the text between two marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path


def marks(name: str) -> tuple[str, str]:
    """The two marker lines around the output of ``name`` in a page."""
    return f"<!-- {name} -->", f"<!-- end of {name} -->"


def put(name: str, text: str, page: Path) -> None:
    """Replace the text between the marks.

    Raises
    ------
    ValueError
        the page has no such marks; it is unchanged.
    """
    begin, end = marks(name)
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    old = page.read_text(encoding="utf-8")
    if not pattern.search(old):
        raise ValueError(f"{page} has no place for the {name}: add the lines {begin} and {end}.")
    page.write_text(pattern.sub(lambda _: f"{begin}\n{text}\n{end}", old), encoding="utf-8")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 1) -> list[str]:
    """The lines of a Markdown table; the first ``words`` columns are words, the others numbers."""
    rules = ["---"] * words + ["---:"] * (len(head) - words)
    return [f"| {' | '.join(cells)} |" for cells in (head, rules, *rows)]
