"""Text for display and from users' files: escaping, shortening, and unusable records."""

from __future__ import annotations

import codecs
import io
import json
import re
import string
import sys
import unicodedata
from collections.abc import Sequence

from tasks.errors import VecboardError

MINUS = "−"
UNSEEN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
"""Control characters except tab and line feed, line and paragraph separators, marks of direction, lone surrogates."""
_UNSEEN = re.compile(UNSEEN)
_BLANK = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff"
    # Default_Ignorable_Code_Point of Unicode 16 (DerivedCoreProperties.txt): soft hyphen, joiners, marks of direction,
    # Hangul fillers, variation selectors, tags
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    # characters that are drawn as a gap, or only arrange others: annotation anchors, the empty Braille pattern,
    # Egyptian joiners and blanks, the Khitan filler, the null note head
    "\ufff9-\ufffb\u2800\U00013430-\U00013442\U00016fe4\U0001d159]*"
)


def is_blank(text: str) -> bool:
    """Whether the text has no visible character."""
    return _BLANK.fullmatch(text) is not None


_BETWEEN_WORDS = re.compile(r"[\s,;\u060c\u061b\u3001\uff0c\uff1b]+")
"""Blanks, tabs, line ends; commas and semicolons, also Arabic, Chinese and Japanese ones."""


def split_words(text: str) -> list[str]:
    """The distinct words of a list as people write it, in order: the only splitter of such lists.

    Commas, semicolons, tabs, blanks and line ends separate alike; quotation marks of a spreadsheet are removed. The
    words of a phrase are joined by underscores, as in files of vectors: ``climate_change``.

    >>> split_words("tax, climate_change; tax\\tfreedom")
    ['tax', 'climate_change', 'freedom']
    """
    parts = (unicodedata.normalize("NFC", part.strip('"')) for part in _BETWEEN_WORDS.split(text))
    return [part for part in dict.fromkeys(parts) if not is_blank(part)]


def visible(text: str) -> str:
    r"""The text with the characters of ``UNSEEN`` replaced by their Python escapes: ``\x1b``, ``\u202e``."""
    return _UNSEEN.sub(lambda match: ascii(match[0])[1:-1], text)


_PLAIN = str.maketrans("−–“”‘’×²✓✗", "--''''x2+-") | {ord("…"): "..."}


def _substitute(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    lost = error.object[error.start : error.end]
    return json.dumps(lost.translate(_PLAIN))[1:-1], error.end


def allow_any_terminal() -> None:
    """Write substitutes for what the output's encoding lacks: plain characters, or else the escapes of JSON."""
    codecs.register_error("vecboard", _substitute)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="vecboard")


MOST_NAMED = 5


class LeftOut:
    """Unusable records of a user's file so far; the others are used. Each error names the line and the problem."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[VecboardError] = []

    def add(self, error: VecboardError) -> None:
        self.count += 1
        if len(self.first) < MOST_NAMED:
            self.first.append(error)

    def refuse(self) -> None:
        """Raise the first error, if there is one: no usable record remains."""
        if self.first:
            raise self.first[0]

    def sentence(self, records: str) -> str:
        """“Lines left out: 2. Line 3 …. Line 8 ….”; empty if nothing was left out."""
        if not self.count:
            return ""
        more = f"; the first {MOST_NAMED} are named" if self.count > MOST_NAMED else ""
        return " ".join([f"{records} left out: {self.count:,}{more}.", *map(str, self.first)])


_SHOWN = 60
_NAMED = 12


def shown(text: bytes | str) -> str:
    """A word or field for a message: readable, without control characters, cut to 60 characters."""
    string = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    printable = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in string[: _SHOWN + 1])
    return printable if len(string) <= _SHOWN else printable[:_SHOWN] + "…"


def with_sign(value: float, digits: int) -> str:
    """A difference with its sign, a true minus: ``+0.31``, ``−0.02``."""
    return with_minus(value, f"+.{digits}f")


def with_minus(value: float, form: str) -> str:
    """A number with a true minus: ``with_minus(-0.054, ".2g")`` is ``−0.054``."""
    return f"{value:{form}}".replace("-", MINUS)


def size(count: int) -> str:
    """A readable size: ``3 GB``, ``64 MB``, ``256 KiB``, ``1.5 kB``, ``12 bytes``."""
    if 1024 <= count < 1_000_000 and count % 1024 == 0:
        return f"{count // 1024} KiB"
    for unit, name in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count} bytes"


def listed(names: Sequence[str], count: int = 0) -> str:
    """The first twelve names, and how many more there are (of ``count``, if it is larger).

    >>> listed(["a", "b"], count=5)
    '“a”, “b” and 3 more'
    """
    left = max(len(names), count) - min(len(names), _NAMED)
    more = f" and {left:,} more" if left else ""
    return (", ".join(f"“{shown(name)}”" for name in names[:_NAMED]) or "none") + more


class Wording(string.Formatter):
    """Strings are shortened and made printable (``:raw``: used as they are), and sequences of names listed.

    Further format specifications: ``:size`` of bytes, ``:count`` of names, ``:singular|plural`` for a number, ``:Unit``
    and ``:unit`` for the unit that an error counts, which may begin a sentence.
    """

    def format_field(self, value: object, format_spec: str) -> str:
        singular, is_plural, plural = format_spec.partition("|")
        if is_plural:
            return singular if value == 1 else plural
        match format_spec, value:
            case "raw", _:
                return str(value)
            case "size", int():
                return size(value)
            case "Unit" | "unit", str():
                return value.capitalize() if format_spec == "Unit" else value.lower()
            case "count", Sequence():
                return f"{len(value):,}"
            case _, str() | bytes():
                return shown(value)
            case _, Sequence():
                return listed(value)
        return format(value, format_spec)
