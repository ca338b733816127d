"""Every section of docs/protocol.md that code, tests and pages cite is a numbered heading of it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.docs.blocks import DOCS, ROOT

PAGE = "docs/protocol.md"
WRITTEN = (".html", ".js", ".md", ".py", ".sh", ".toml", ".txt", ".yaml", ".yml")
THIS = Path(__file__).relative_to(ROOT).as_posix()
_HEADING = re.compile(r"^#{2,3} ((\d+(?:\.\d+)?) .+)$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_SECTION = r"§\d+(?:\.\d+)*"
_CITED = re.compile(rf"docs/protocol\.md((?:(?:,|\sand|,\sand|\sto)?[\s#]+{_SECTION})+)")
_LINKED = re.compile(r"\[([^\]]*)\]\((?:(?:\.\./)*(?:docs/)?protocol\.md)?#([\w-]+)\)")
"""A link to a place on the page: from another page, or from the page itself."""


def sections(page: str) -> dict[str, str]:
    """Anchor of each numbered heading, by its number."""
    headings = _HEADING.findall(_FENCE.sub("", page))
    return {number: re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading).lower()) for heading, number in headings}


def unknown(text: str, known: dict[str, str]) -> list[str]:
    """Citations and numbered links of a text that lead to none of the sections."""
    cited = [section for places in _CITED.findall(text) for section in re.findall(_SECTION, places)]
    wrong = [section for section in cited if section[1:] not in known]
    for label, anchor in _LINKED.findall(text):
        wrong += [label for section in re.findall(_SECTION, label) if known.get(section[1:]) != anchor]
    return wrong


def written() -> Iterator[Path]:
    """Text files under version control, or about to be."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    paths = (ROOT / name for name in names if name.endswith(WRITTEN) and name != THIS)
    return (path for path in paths if path.is_file())


KNOWN = sections((DOCS / "protocol.md").read_text(encoding="utf-8"))


def test_every_cited_section_exists() -> None:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in written()}
    assert [(name, wrong) for name, text in texts.items() if (wrong := unknown(text, KNOWN))] == []
    cited = [name for name, text in texts.items() if _CITED.search(text)]
    assert len(cited) > 50, f"only {cited} cite {PAGE}: are citations written in another form?"
