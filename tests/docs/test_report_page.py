"""Links and headings that the page on reports names are on the site."""

from __future__ import annotations

import re

from tests.docs.blocks import DOCS, ROOT

ROOMS = ("benchmark", "extensions")
NAMED = re.compile(r"(?<![*\w])\*([A-Z][^*]+)\*(?![*\w])")


def test_what_the_page_names_in_italics_is_on_the_site() -> None:
    sources = [path for kind in ("html", "py") for room in ROOMS for path in (ROOT / room).rglob(f"*.{kind}")]
    site = " ".join(path.read_text(encoding="utf-8") for path in sources)
    named = {" ".join(name.split()) for name in NAMED.findall((DOCS / "report.md").read_text(encoding="utf-8"))}
    assert len(named) > 5
    assert {name for name in named if not re.search(rf"[>\"}}]{re.escape(name)}[<\"{{ ]", site)} == set()
