"""Figures in handwritten pages: a command replaces only the text between two marks."""

from __future__ import annotations

import re
from pathlib import Path


def marks(name: str) -> tuple[str, str]:
    """The two marker lines around the output of ``name`` in a page."""
    return f"<!-- {name} -->", f"<!-- end of {name} -->"


def put(name: str, text: str, page: Path) -> bool:
    """Replace the text between the marks; False if the page has none and is unchanged."""
    begin, end = marks(name)
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    old = page.read_text(encoding="utf-8")
    if not pattern.search(old):
        return False
    page.write_text(pattern.sub(lambda _: f"{begin}\n{text}\n{end}", old), encoding="utf-8")
    return True
