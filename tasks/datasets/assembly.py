"""Files made from several published ones. Every routine yields the stored content, verified by its SHA-256."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

Routine = Callable[[Sequence[Path]], Iterator[str]]
"""Gives the lines (without their ends) of a file from the downloaded ones, in the order of the recipe's addresses."""

_MINIMUM_LINE, _MINIMUM_ARTICLE = 8, 40
_MARKUP = re.compile(r"[<>{}|]|\[\[|\]\]|&[a-z]+;|https?://")
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*$")
_NEWSGROUPS = (
    "sci.med",
    "sci.space",
    "rec.sport.baseball",
    "rec.sport.hockey",
    "alt.atheism",
    "soc.religion.christian",
    "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware",
)


def wiki_sample(sources: Sequence[Path]) -> Iterator[str]:
    """Paragraphs of WikiExtractor files, cleaned by the rules in the notes of ``wiki-corpus``.

    Dropped are titles, headings, lines under 8 words, lines without a sentence end, lines with left-over markup,
    repeated paragraphs, and articles with fewer than 40 words left.
    """
    seen: set[str] = set()
    for source in sources:
        for article in _articles(source):
            kept = [line for line in article if _is_paragraph(line) and line not in seen]
            if sum(len(line.split()) for line in kept) >= _MINIMUM_ARTICLE:
                fresh = list(dict.fromkeys(kept))
                seen.update(fresh)
                yield from fresh


def _articles(source: Path) -> Iterator[list[str]]:
    """Lines of each ``<doc …>`` element, without its first line, which is the title."""
    lines: list[str] = []
    for line in source.read_text(encoding="utf-8").split("\n"):
        if line.startswith("<doc "):
            lines = []
        elif line.startswith("</doc>"):
            yield lines[1:]
        else:
            lines.append(line.strip())


def _is_paragraph(line: str) -> bool:
    long_enough = len(line.split()) >= _MINIMUM_LINE
    return long_enough and bool(_SENTENCE_END.search(line)) and not _MARKUP.search(line)


def newsgroups(split: str) -> Routine:
    """Posts of eight groups from the canonical archive ``20news-bydate.tar.gz``, one JSON object per line.

    Groups are in a fixed order, the posts of a group by number; bytes are decoded as Latin-1.
    """

    def lines(sources: Sequence[Path]) -> Iterator[str]:
        posts = {(group, number): text for part, group, number, text in _posts(sources[0]) if part == split}
        for group, number in sorted(posts, key=lambda post: (_NEWSGROUPS.index(post[0]), int(post[1]))):
            row = {"split": split, "group": group, "id": number, "text": posts[group, number]}
            yield json.dumps(row, ensure_ascii=False)

    return lines


def _posts(source: Path) -> Iterator[tuple[str, str, str, str]]:
    """Part, group, number and text of the posts of the eight groups, in one pass: going back unpacks from the start."""
    with tarfile.open(source, "r|*") as archive:
        for member in archive:
            folder, _, place = member.name.partition("/")
            group, _, number = place.partition("/")
            content = archive.extractfile(member) if number and group in _NEWSGROUPS else None
            if content is not None:
                yield folder.removeprefix("20news-bydate-"), group, number, content.read().decode("latin-1")


ROUTINES: dict[str, Routine] = {
    "wiki-sample": wiki_sample,
    "20news-train": newsgroups("train"),
    "20news-test": newsgroups("test"),
}
"""What :class:`tasks.datasets.recipes.Assembled` recipes name."""
