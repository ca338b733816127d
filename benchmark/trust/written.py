"""Tables that commands of research/ write between two marks of a page in docs/, as the program ships them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings

_SHARE = re.compile(r"-?\d+(?:\.\d+)?(?= %)")


@dataclass(frozen=True)
class Written:
    """The sentence above a table, its head, and its rows."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@cache
def table_of(page: str, name: str, docs: Path | None = None) -> Written | None:
    """The first table between the marks ``name`` of a page; None where there is none."""
    path = (docs or settings.BASE_DIR / "docs") / page
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- end of {name} -->", text, re.DOTALL)
    caption, _, table = (found[1] if found else "").partition("\n\n")
    lines = table.partition("\n\n")[0].strip().splitlines()
    if len(lines) < 3:
        return None
    head, _, *rows = [[cell.strip(" *") for cell in line.strip("|").split(" | ")] for line in lines]
    return Written(caption, head, rows)


def share(cell: str) -> float | None:
    """``94.0 % (chunk.fixed)`` as 94.0; None for what is not a share."""
    found = _SHARE.match(cell)
    return float(found[0]) if found else None
