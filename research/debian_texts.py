"""Texts in several languages out of unpacked Debian packages: the LibreOffice help, man pages, the Debian Handbook."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

LEAST_WORDS = 5
"""Of a paragraph: shorter ones are headings, names of buttons and cells of tables."""
_BLOCKS = {"p", "li", "td", "th", "dt", "dd", "div", "h1", "h2", "h3", "h4", "title", "body"}
_NO_PROSE = {"pre", "script", "style", "head"}
_VERBATIM = {"nf": "fi", "EX": "EE", "TS": "TE", "SY": "YS", "Bd": "Ed"}
_INLINE = {"B", "I", "BR", "IR", "RB", "RI", "BI", "IB", "SM", "SB"}
_ESCAPES = (
    (re.compile(r'\\".*'), ""),
    (re.compile(r"\\f(\[[^]]*\]|\(..|.)"), ""),
    (re.compile(r"\\([&|^/,:%]|s[-+]?\d)"), ""),
    (re.compile(r"\\-"), "-"),
    (re.compile(r"\\(\[[^]]*\]|\(..|.)"), " "),
)


@dataclass(frozen=True)
class Source:
    """A text in an unpacked package: its files for a language, how to read one, and those of the English original."""

    title: str
    package: str
    licence: str
    files: str
    read: Callable[[Path], Iterator[str]]
    original: str = ""

    def paragraphs(self, folder: Path, language: str) -> Iterator[str]:
        """Paragraphs of at least ``LEAST_WORDS`` words, each text once, without those that nobody translated."""
        pattern = self.files.format(language=language, locale=f"{language}-{language.upper()}")
        seen = set(self._texts(folder, self.original)) if self.original else set()
        for text in self._texts(folder, pattern):
            if len(text.split()) >= LEAST_WORDS and text not in seen:
                seen.add(text)
                yield text

    def _texts(self, folder: Path, pattern: str) -> Iterator[str]:
        return (text for path in sorted(folder.glob(pattern)) for text in self.read(path))


def html_paragraphs(path: Path) -> Iterator[str]:
    """The text of every block of an HTML page."""
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    page.end()
    yield from page.paragraphs


class _Page(HTMLParser):
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


def man_paragraphs(path: Path) -> Iterator[str]:
    """The running text of a man page: what macros set in tables, examples and synopses is left out."""
    text: list[str] = []
    until = ""
    for line in gzip.decompress(path.read_bytes()).decode("utf-8", errors="ignore").splitlines():
        macro, _, rest = line[1:].strip().partition(" ") if line[:1] in (".", "'") else ("", "", line)
        if until:
            until = "" if macro == until else until
        elif not macro:
            text.append(line)
        elif macro in _INLINE:
            text.append(rest.replace('"', ""))
        else:
            until = _VERBATIM.get(macro, "")
            yield from _joined(text)
            text = []
    yield from _joined(text)


def _joined(lines: Sequence[str]) -> Iterator[str]:
    text = " ".join(lines)
    for pattern, replacement in _ESCAPES:
        text = pattern.sub(replacement, text)
    text = " ".join(text.split())
    if text:
        yield text


SOURCES = (
    Source(
        "LibreOffice help", "libreoffice-help-{language}", "MPL 2.0", "usr/**/help/{language}/text/**/*.html",
        html_paragraphs,
    ),
    Source("man pages", "manpages-{language}", "GPL 3 or later", "usr/share/man/{language}/man*/*.gz", man_paragraphs),
    Source(
        "Debian Administrator's Handbook", "debian-handbook", "CC BY-SA 3.0 or GPL 2 or later",
        "usr/share/doc/debian-handbook/html/{locale}/*.html", html_paragraphs,
        "usr/share/doc/debian-handbook/html/en-US/*.html",
    ),
)  # fmt: skip
