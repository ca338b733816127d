"""Words, sizes and lists of names in messages about a file."""

from __future__ import annotations

import string
from collections.abc import Sequence

_SHOWN = 60
_NAMED = 12


def shown(text: bytes | str) -> str:
    """A word or field for a message: readable, without control characters, cut to 60 characters."""
    string = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    printable = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in string[: _SHOWN + 1])
    return printable if len(string) <= _SHOWN else printable[:_SHOWN] + "…"


def size(count: int) -> str:
    """A readable size: ``3 GB``, ``64 MB``, ``256 KiB``, ``12 bytes``."""
    for unit, name in ((1_000_000_000, "GB"), (1_000_000, "MB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count // 1024} KiB" if count >= 1024 and count % 1024 == 0 else f"{count:,} bytes"


def listed(names: Sequence[str], count: int = 0) -> str:
    """The first twelve names, and how many more there are (of ``count``, if it is larger)."""
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
