"""Readers of text collections: plain text, and Wikipedia dumps in any language."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast
from xml.etree.ElementTree import Element, ParseError, iterparse  # nosec B405

from tasks.datasets.dataset import UNREADABLE, DamagedData, open_packed
from tasks.errors import InputError
from tasks.files import GZIP
from tasks.languages import UNSPACED
from tasks.text import size

if TYPE_CHECKING:
    from typing_extensions import Buffer

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_ARTICLE = "0"
_ENGLISH = {"6": "File", "14": "Category"}
"""MediaWiki's namespaces have the same numbers in every language, but other names."""
_OLD_REDIRECT = re.compile(r"\s*#redirect", re.IGNORECASE)
"""Marker of redirects in dumps before 2010, which have no element for them."""
_MINIMUM_WORDS = 50
_MINIMUM_CHARACTERS = 200
"""Least length of an article in a language without spaces."""
_HEADING = re.compile(r"=+[^=].*=+$")
_LIST_MARKS = re.compile(r"^[*#:;]+\s*")
_QUOTE_MARKS = re.compile(r"'{2,}")
_BLOCK_BYTES = 1 << 16
_LEFT_OVER = ("|", "!", "{", "}", "__")


class _Bounded(io.RawIOBase):
    """The bytes of a file up to a limit. In a file whose lines end with carriage returns, line feeds replace them."""

    def __init__(self, file: io.BufferedIOBase, path: Path, most: int) -> None:
        self._file, self._path, self._most = file, path, most
        self._read = 0
        self._ends_with_cr = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        room = memoryview(buffer)
        block = self._file.read(len(room))
        if not self._read:
            self._ends_with_cr = b"\r" in block[:-1] and b"\n" not in block
        self._read += len(block)
        if self._most and self._read > self._most:
            message = (
                f"The content of {self._path.name} has more than {size(self._most)}, the limit. Send a part of it."
            )
            raise InputError("too-large-expanded", message, field="corpus")
        room[: len(block)] = block.replace(b"\r", b"\n") if self._ends_with_cr else block
        return len(block)


def plain_paragraphs(path: Path, most_bytes: int = 0) -> Generator[str, None, None]:
    """Lines of a UTF-8 text, plain or packed (gzip, or ``.bz2``), one paragraph a line, without their ends or a
    byte order mark.

    Parameters
    ----------
    most_bytes : of the unpacked text; 0: no limit.

    Raises
    ------
    InputError
        a line is not UTF-8, or the text is too large.
    DamagedData
        the file is truncated, or not packed as its suffix says.
    """
    try:
        with path.open("rb") as stored:
            is_gzipped = stored.read(len(GZIP)) == GZIP
            stored.seek(0)
            file = open_packed(stored, ".gz" if is_gzipped else path.suffix)
            lines = io.BufferedReader(_Bounded(file, path, most_bytes), _BLOCK_BYTES)
            for number, line in enumerate(lines, start=1):
                text = _text(line, number, path).rstrip("\r\n")
                yield text.removeprefix("\ufeff") if number == 1 else text
    except UNREADABLE as error:
        raise DamagedData(f"{path.name} cannot be read ({error}).") from error


def _text(line: bytes, number: int, path: Path) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"Line {number:,} of {path.name} is not UTF-8 ({error.reason}). Save the file as UTF-8."
        raise InputError("not-utf8", message, line=number, field="corpus") from error


class Dump:
    """A MediaWiki XML dump (``.bz2``, ``.gz`` or plain), read once from beginning to end.

    Holds one page in memory; gensim's own reader keeps an empty element of every page.

    Parameters
    ----------
    path : of the dump.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.language: str | None = None
        """As stated in the dump; set after the first paragraph, None if the dump does not state it."""
        self.pages = self.articles = 0
        self._bytes = max(path.stat().st_size, 1)
        self._position: Callable[[], int] = lambda: 0

    @property
    def share(self) -> float:
        """Share of the file read, in [0, 1], by stored bytes, so that it grows evenly with time."""
        return min(1.0, self._position() / self._bytes)

    def paragraphs(self) -> Iterator[str]:
        """Paragraphs of the articles, in the dump's order.

        gensim's ``filter_wiki`` removes templates, references, tables, links and tags, after links to files and
        categories got their English names. Headings and remaining table markup are dropped here (the text of cells
        stays), and list marks, bold and italics are removed. Redirects, pages of other namespaces, and articles under
        50 words (in a language without spaces: 200 characters) are left out.

        Raises
        ------
        DamagedData
            the file is truncated, or not a dump.
        """
        from gensim.corpora.wikicorpus import filter_wiki  # slow to import, and only a dump needs it

        for source in self._sources():
            paragraphs = [text for line in filter_wiki(source).split("\n") if (text := _paragraph(line))]
            if self._is_long_enough(paragraphs):
                self.articles += 1
                yield from paragraphs

    def _is_long_enough(self, paragraphs: list[str]) -> bool:
        if self.language in UNSPACED:
            return sum(map(len, paragraphs)) >= _MINIMUM_CHARACTERS
        return sum(len(text.split()) for text in paragraphs) >= _MINIMUM_WORDS

    def _sources(self) -> Iterator[str]:
        """Markup of every article that is not a redirect."""
        try:
            with self.path.open("rb") as stored, closing(open_packed(stored, self.path.suffix)) as file:
                self._position = stored.tell
                yield from self._articles(cast("IO[bytes]", file))
                self._position = lambda: self._bytes
        except (ParseError, *UNREADABLE) as error:
            raise DamagedData(
                f"{self.path.name} cannot be read beyond page {self.pages:,} ({error}). Check that it is a complete "
                f"pages-articles dump, and download it again if it is cut off."
            ) from error

    def _articles(self, file: IO[bytes]) -> Iterator[str]:
        # The user chose the dump; expat bounds the expansion of entities, and nothing outside the file is fetched.
        events = iterparse(file, events=("start", "end"))  # nosec B314
        root = cast(Element, next(events)[1])
        self.language = root.get(_LANGUAGE)
        ns = root.tag[: root.tag.rindex("}") + 1] if "}" in root.tag else ""
        names = _Names(())
        for event, element in events:
            if event == "end" and element.tag == f"{ns}siteinfo":
                names = _Names(element.iter(f"{ns}namespace"))
            elif event == "end" and element.tag == f"{ns}page":
                self.pages += 1
                number = element.findtext(f"{ns}ns") or names.number_of(element.findtext(f"{ns}title") or "")
                text = element.findtext(f"{ns}revision/{ns}text") or ""
                redirects = element.find(f"{ns}redirect") is not None or _OLD_REDIRECT.match(text)
                if number == _ARTICLE and text and not redirects:
                    yield names.with_english_links(text)
                root.clear()


class _Names:
    """Names of a dump's namespaces, in its own language."""

    def __init__(self, namespaces: Iterable[Element]) -> None:
        self._names = {element.text: element.get("key", "") for element in namespaces if element.text}
        self._links = [
            (re.compile(rf"\[\[\s*{re.escape(name)}\s*:", re.IGNORECASE), f"[[{_ENGLISH[key]}:")
            for name, key in self._names.items()
            if key in _ENGLISH and name != _ENGLISH[key]
        ]

    def number_of(self, title: str) -> str:
        """The namespace of a page in dumps before 2010, which do not state its number."""
        name, colon, _ = title.partition(":")
        return self._names.get(name, _ARTICLE) if colon else _ARTICLE

    def with_english_links(self, text: str) -> str:
        """The markup with links to files and categories under their English names, which gensim recognises."""
        for pattern, english in self._links:
            text = pattern.sub(english, text)
        return text


def dump_paragraphs(path: Path) -> Iterator[str]:
    """Paragraphs of the articles of a dump; see :meth:`Dump.paragraphs`."""
    return Dump(path).paragraphs()


def _paragraph(line: str) -> str:
    """The line's text; empty for a heading, table markup, or a line without letters and digits."""
    line = _LIST_MARKS.sub("", line.strip())
    if not line or _HEADING.match(line) or line.startswith(_LEFT_OVER):
        return ""
    text = _QUOTE_MARKS.sub("", line)
    return text if any(character.isalnum() for character in text) else ""
