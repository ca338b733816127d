"""Fenced blocks of the documentation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """``words``: what stands behind the fence: language, then marks (``server``)."""

    page: str
    words: tuple[str, ...]
    title: str
    text: str

    @property
    def language(self) -> str:
        return self.words[0] if self.words else ""


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found = []
    for head, text in _FENCE.findall(page.read_text(encoding="utf-8")):
        title = _TITLE.search(head)
        words = tuple(_TITLE.sub("", head).split())
        found.append(Block(page.name, words, title.group(1) if title else "", text))
    return found


def apply(diff: str, text: str) -> str:
    """The text with a diff's hunks applied: each old part has to stand in it exactly once.

    A hunk ends at an empty context line; ``+`` lines before any context go in front of the next hunk's old part.
    """
    pending = ""
    for hunk in re.split(r"^(?: |)\n", diff, flags=re.MULTILINE):
        lines = hunk.splitlines()
        old = "".join(f"{line[1:]}\n" for line in lines if line[:1] in (" ", "-"))
        new = "".join(f"{line[1:]}\n" for line in lines if line[:1] in (" ", "+"))
        if not old:
            pending += new
            continue
        assert text.count(old) == 1, f"this stands {text.count(old)} times, not once:\n{old}"
        text = text.replace(old, pending + new)
        pending = ""
    return text
