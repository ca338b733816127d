"""Paragraphs of text collections: plain text and Wikipedia dumps."""

from __future__ import annotations

import bz2
import re
from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path

from tasks.datasets.packing import open_unpacked

_ARTICLES = ("0",)
_MINIMUM_WORDS = 50
_HEADING = re.compile(r"=+[^=].*=+$")
_LIST_MARKS = re.compile(r"^[*#:;]+\s*")
_QUOTE_MARKS = re.compile(r"'{2,}")
_LEFT_OVER = ("|", "!", "{", "}", "__")


def plain_paragraphs(path: Path) -> Iterator[str]:
    """Lines of a plain or gzipped UTF-8 text, one paragraph a line, without their ends."""
    with _open(path) as file:
        for line in file:
            yield line.decode("utf-8").rstrip("\r\n")


def wikipedia_dump_paragraphs(path: Path) -> Iterator[str]:
    """Paragraphs of the articles of a MediaWiki XML dump (``.bz2``, ``.gz`` or plain), in the dump's order.

    gensim's reader finds the pages and removes templates, references, tables, links and tags. What it leaves is settled
    here: headings and rests of tables are dropped; list marks, bold and italics are removed from their lines.
    Redirects, pages of other name spaces and articles under 50 words are left out (gensim's own limit).
    """
    from gensim.corpora.wikicorpus import extract_pages, filter_wiki  # slow to import, and only a dump needs it

    with _open(path) as file:
        for _, source, _ in extract_pages(file, _ARTICLES):
            if source and not source.lstrip()[:9].lower().startswith("#redirect"):
                paragraphs = [text for line in filter_wiki(source).split("\n") if (text := _paragraph(line))]
                if sum(len(text.split()) for text in paragraphs) >= _MINIMUM_WORDS:
                    yield from paragraphs


def _paragraph(line: str) -> str:
    """The line's text, or nothing if it is a heading, the rest of a table or has no letter or digit at all."""
    line = _LIST_MARKS.sub("", line.strip())
    if not line or _HEADING.match(line) or line.startswith(_LEFT_OVER):
        return ""
    text = _QUOTE_MARKS.sub("", line)
    return text if any(character.isalnum() for character in text) else ""


def _open(path: Path) -> BufferedIOBase:
    if path.suffix == ".bz2":
        return bz2.open(path, "rb")
    return open_unpacked(path, gzipped=path.suffix == ".gz")
