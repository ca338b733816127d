"""Texts of unpacked Debian packages: the LibreOffice help in several languages, and other German documentation."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

from tasks.guess_language import COMMON

LICENCE = "MPL 2.0"
PAGES = "usr/share/libreoffice/help/{language}/text/**/*.html"
LEAST_WORDS = 5
"""Minimum length of a paragraph; shorter ones are headings, button names and table cells."""
DOCUMENTATION = {
    "debian-faq-de": "usr/share/doc/debian/FAQ/de/*.html",
    "debian-handbook": "usr/share/doc/debian-handbook/html/de-DE/*.html",
    "debian-reference-de": "usr/share/debian-reference/*.de.html",
    "developers-reference-de": "usr/share/developers-reference/de/*.html",
    "gimp-help-de": "usr/share/gimp/2.0/help/de/*.html",
    "installation-guide-amd64": "usr/share/doc/installation-guide-amd64/de/*.html",
    "lilypond-doc-html-de": "usr/share/doc/lilypond/html/**/*.de.html",
    "maint-guide-de": "usr/share/doc/maint-guide-de/html/*.de.html",
    "manpages-de": "usr/share/man/de/man*/*.gz",
}
"""German documentation by package: its pages, as HTML or gzipped manual pages."""
_ENDS_PARAGRAPH = re.compile(r"[.'] *(SH|SS|Sh|Ss|PP|P|LP|Pp|TP|IP|HP|It|RS|RE|UR|MT|sp|nf|fi|EX|EE|TS|TE)\b")
_FONT_MACRO = re.compile(r"\.(B|I|BI|BR|IB|IR|RB|RI|SM|SB) +")
_ROFF_FONT = re.compile(r"\\[fmsF](\[[^]]*\]|\(..|[+-]?.)|\\[&,/%:c^|]")
_ROFF_SPECIAL = re.compile(r"\\(\[[^]]*\]|\(..|[hvwn]'[^']*'|[*n].|[^-.])")
_BLOCKS = {"p", "li", "td", "th", "dt", "dd", "div", "h1", "h2", "h3", "h4", "title", "body"}
_NO_PROSE = {"pre", "script", "style", "head"}


def pages_of_help(folder: Path, language: str) -> Iterator[tuple[Path, list[str]]]:
    """Paragraphs of at least ``LEAST_WORDS`` words by page, without duplicates, because pages share many."""
    earlier: set[str] = set()
    for path in sorted(folder.glob(PAGES.format(language=language))):
        texts = dict.fromkeys(text for text in html_paragraphs(path) if len(text.split()) >= LEAST_WORDS)
        fresh = [text for text in texts if text not in earlier]
        earlier.update(fresh)
        if fresh:
            yield path, fresh


def german_documentation(folder: Path) -> Iterator[tuple[str, str]]:
    """The package and the text of every paragraph of ``DOCUMENTATION``.

    Short paragraphs and duplicates are left out, and those with as many common words of English as of German: parts of
    these pages are not translated.
    """
    german, english, earlier = COMMON["de"], COMMON["en"], set[str]()
    for package, pages in DOCUMENTATION.items():
        for path in sorted(folder.glob(pages)):
            for text in html_paragraphs(path) if path.suffix == ".html" else manual_paragraphs(path):
                words = text.lower().split()
                is_german = sum(word in german for word in words) > sum(word in english for word in words)
                if len(words) >= LEAST_WORDS and is_german and text not in earlier:
                    earlier.add(text)
                    yield package, text


def manual_paragraphs(path: Path) -> Iterator[str]:
    """The text of every paragraph of a gzipped manual page, without its macros."""
    paragraph: list[str] = []
    for line in [*gzip.decompress(path.read_bytes()).decode("utf-8").splitlines(), ".PP"]:
        if _ENDS_PARAGRAPH.match(line):
            if paragraph:
                yield " ".join(" ".join(paragraph).split())
            paragraph = []
        elif line[:1] not in (".", "'") or _FONT_MACRO.match(line):
            plain = _ROFF_FONT.sub("", _FONT_MACRO.sub("", line))
            paragraph.append(_ROFF_SPECIAL.sub(" ", plain.replace(r"\(aq", "'")).replace(r"\-", "-"))


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
