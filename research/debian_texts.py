"""The LibreOffice help in several languages, read from unpacked Debian packages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

TITLE, LICENCE = "LibreOffice help", "MPL 2.0"
PACKAGE = "libreoffice-help-{language}"
PAGES = "usr/share/libreoffice/help/{language}/text/**/*.html"
LEAST_WORDS = 5
"""Minimum length of a paragraph; shorter ones are headings, button names and table cells."""
_BLOCKS = {"p", "li", "td", "th", "dt", "dd", "div", "h1", "h2", "h3", "h4", "title", "body"}
_NO_PROSE = {"pre", "script", "style", "head"}


def paragraphs_of_help(folder: Path, language: str) -> Iterator[str]:
    """Paragraphs of at least ``LEAST_WORDS`` words, without duplicates, because pages share many."""
    return (text for _, paragraphs in pages_of_help(folder, language) for text in paragraphs)


def pages_of_help(folder: Path, language: str) -> Iterator[tuple[Path, list[str]]]:
    """Those paragraphs by page; pages without one are left out."""
    seen: set[str] = set()
    for path in sorted(folder.glob(PAGES.format(language=language))):
        texts = dict.fromkeys(text for text in html_paragraphs(path) if len(text.split()) >= LEAST_WORDS)
        own = [text for text in texts if text not in seen]
        seen.update(own)
        if own:
            yield path, own


def html_paragraphs(path: Path) -> Iterator[str]:
    """The text of every block of an HTML page."""
    page = _HtmlText()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    page.end()
    yield from page.paragraphs


class _HtmlText(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.paragraphs: list[str] = []
        self._text: list[str] = []
        self._without_prose = 0

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self._without_prose += tag in _NO_PROSE
        if tag in _BLOCKS:
            self.end()

    def handle_endtag(self, tag: str) -> None:
        self._without_prose -= tag in _NO_PROSE
        if tag in _BLOCKS:
            self.end()

    def handle_data(self, data: str) -> None:
        if self._without_prose <= 0:
            self._text.append(data)

    def end(self) -> None:
        text = " ".join("".join(self._text).split())
        self._text.clear()
        if text:
            self.paragraphs.append(text)
