"""Marks behind a fence's language (``sh server``) are for the tests; the renderer knows only the language."""

from __future__ import annotations

import re
from typing import Any

MARKED = re.compile(r"^```(\w+) server$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Remove the marks: with them the block would be shown as a line of text."""
    return MARKED.sub(r"```\1", markdown)
