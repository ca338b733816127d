"""Changes to pages before and after the renderer: marks of fences, intervals in tables.

Marks behind a fence's language (``sh server``) are for the tests; the renderer knows only the language.
"""

from __future__ import annotations

import re
from typing import Any

INTERVAL = re.compile(r"\((−?[\d.]+) to (−?[\d.]+)\)(?=[^<>]*</t[dh]>)")
MARKED = re.compile(r"^```(\w+) server$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Remove the marks: with them the block would be shown as a line of text."""
    return MARKED.sub(r"```\1", markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Keep an interval in brackets on one line of its cell."""
    return INTERVAL.sub("(\\1\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}\\2)", html)
