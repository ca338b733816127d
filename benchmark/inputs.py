"""Validation of visitors' texts, numbers, parameters and files, the same on every database.

PostgreSQL can't store NUL, half of a surrogate pair, or an integer beyond its column. By default SQLite accepts most of
that. All input passes through here first.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeVar

from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase

from tasks.errors import InputError
from tasks.text import UNSEEN, is_blank

MOST_DEPTH = 20
"""Nesting of JSON; no valid input has more than four levels."""
LONGEST_FILE_NAME = 200
MOST_NAMED, MOST_SHOWN = 12, 60
"""Maximum number of allowed values, and of characters of the given value, in a message about an ignored one."""
_MARK = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_PILE = re.compile(f"({_MARK}{{4}}){_MARK}+")
"""More accents and other marks on one letter than any language has."""
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_UNSEEN = re.compile(UNSEEN)


def is_storable(text: str) -> bool:
    """Whether every database can store it unchanged."""
    return _UNSTORABLE.search(text) is None


def one_line(text: str) -> str:
    """A name without control characters, direction marks, piles of accents and repeated spaces; empty if unseen."""
    return "" if is_blank(text) else " ".join(_PILE.sub(r"\1", _UNSEEN.sub(" ", text)).split())


def lines(text: str) -> str:
    """Prose without control characters and direction marks, but with line ends; empty if nothing is visible."""
    return "" if is_blank(text) else _UNSEEN.sub("", text.replace("\r\n", "\n"))


def file_name(name: str | None) -> str:
    """A file name as stored and shown; never blank, and never used as a path."""
    return one_line((name or "")[:LONGEST_FILE_NAME]) or "vectors"


class Ignored(NamedTuple):
    """A URL parameter with an invalid value."""

    name: str
    value: str
    allowed: tuple[str, ...]

    def __str__(self) -> str:
        more = f" and {len(self.allowed) - MOST_NAMED:,} more" if len(self.allowed) > MOST_NAMED else ""
        return (
            f"“{self.name}={one_line(self.value)[:MOST_SHOWN]}” is not valid here: “{self.name}” may be "
            f"{', '.join(self.allowed[:MOST_NAMED])}{more}."
        )


class Unknown(NamedTuple):
    """A name of a URL parameter, or a field of a body, that the page or endpoint doesn't have."""

    name: str
    allowed: tuple[str, ...]
    what: str = "parameter"

    def __str__(self) -> str:
        near = get_close_matches(self.name, self.allowed, 1)
        hint = f"; did you mean “{near[0]}”?" if near else "."
        are = f"{self.what} is" if len(self.allowed) == 1 else f"{self.what}s are"
        listed = f"The {are} {', '.join(self.allowed)}." if self.allowed else "There are none."
        return f"“{one_line(self.name)[:MOST_SHOWN]}” is not a {self.what} here{hint} {listed}"


_DECIMAL = re.compile(r"[0-9]{1,6}(\.[0-9]{1,3})?")
View = TypeVar("View", bound=Callable[..., HttpResponseBase])
_TAKEN: dict[tuple[str, str], tuple[str, ...]] = {}
"""Names of parameters by the module and name of a view."""


def takes(*names: str) -> Callable[[View], View]:
    """Decorator that declares the parameters in the URL of a view; one without it has none."""

    def declare(view: View) -> View:
        _TAKEN[view.__module__, view.__qualname__] = names
        return view

    return declare


def unknown(request: HttpRequest) -> list[Unknown]:
    """Parameters that the requested view doesn't have; empty for views of other packages.

    Pages show them as ignored, in every template; other responses are refused.
    """
    match = request.resolver_match
    if match is None or not match.func.__module__.startswith(("benchmark.", "extensions.")):
        return []
    return unknown_names(request.GET, _TAKEN.get((match.func.__module__, match.func.__qualname__), ()))


def unknown_names(names: Iterable[str], allowed: Collection[str], what: str = "parameter") -> list[Unknown]:
    return [Unknown(name, tuple(allowed), what) for name in names if name not in allowed][:MOST_NAMED]


def only(query: QueryDict, allowed: Collection[str], repeated: Collection[str] = (), what: str = "parameter") -> None:
    """
    Raises
    ------
    InputError
        a name is unknown, or has several values and may not be repeated.
    """
    refuse(unknown_names(query, allowed, what))
    for name, values in query.lists():
        if len(values) > 1 and name not in repeated:
            raise _repeated(name)


def _repeated(name: str) -> InputError:
    return InputError("given-twice", f"“{name}” is given more than once; give one value.", field=name)


class Parameters:
    """The parameters of a URL. Invalid values are recorded in ``ignored``.

    A page names ignored values and shows the rest; requests of programs are refused (:func:`refuse`).
    """

    def __init__(self, query: QueryDict) -> None:
        self.query = query
        self.ignored: list[Ignored] = []

    def text(self, name: str, most: int) -> str:
        """Any text, truncated to this many characters."""
        return self.query.get(name, "").strip()[:most]

    def ignore(self, name: str, *allowed: str) -> None:
        """Record that the value of this parameter is invalid."""
        self.ignored.append(Ignored(name, self.query.get(name, ""), allowed))

    def one_of(self, name: str, choices: Iterable[str], otherwise: str = "") -> str:
        """One of the choices; ``otherwise`` if the parameter is missing or invalid."""
        text, allowed = self.query.get(name, ""), tuple(choices)
        if text in allowed:
            return text
        if text and text != otherwise:
            self.ignore(name, *allowed)
        return otherwise

    def whole_number(self, name: str, *, least: int = 0, most: int = 999_999) -> int | None:
        """A number of up to six digits, from ``least`` to ``most``."""
        number = whole_number(text := self.query.get(name, ""))
        if number is not None and not least <= number <= most:
            number = None
        if text and number is None:
            self.ignore(name, f"a whole number from {least} to {most:,}")
        return number

    def decimal(self, name: str, *, least: float, most: int = 999_999) -> float | None:
        """A number with at most three decimals; an ``int`` if it is whole."""
        text = self.query.get(name, "")
        number = float(text) if _DECIMAL.fullmatch(text) else None
        if number is not None and not least <= number <= most:
            number = None
        if text and number is None:
            self.ignore(name, f"a number from {least} to {most:,}, such as 50 or 7.5")
        return int(number) if number is not None and number.is_integer() else number


def refuse(ignored: Sequence[Ignored | Unknown]) -> None:
    """
    Raises
    ------
    InputError
        ``unknown-value``, ``unknown-parameter`` or ``unknown-field``: something would be ignored.
    """
    if ignored:
        code = f"unknown-{ignored[0].what}" if isinstance(ignored[0], Unknown) else "unknown-value"
        raise InputError(code, " ".join(map(str, ignored)), field=ignored[0].name)


def whole_number(text: str | None, digits: int = 6) -> int | None:
    """An unsigned integer with at most this many digits; None for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= digits else None


def json_of(text: str | bytes) -> Any:
    """A JSON value that both databases can store.

    Raises
    ------
    InputError
        it is not JSON in UTF-8, is nested too deeply, names a field twice, or contains a number or a character that
        cannot be stored.
    """
    try:
        value = json.loads(text, parse_constant=_finite, parse_float=_finite, object_pairs_hook=_named_once)
    except RecursionError:
        raise InputError("bad-json", _TOO_DEEP, field=None) from None
    except ValueError as error:
        raise InputError("bad-json", f"The JSON cannot be read: {error}.", field=None) from None
    for part, depth in _parts(value):
        if depth > MOST_DEPTH:
            raise InputError("bad-json", _TOO_DEEP, field=None)
        if isinstance(part, str) and not is_storable(part):
            raise InputError("bad-json", _UNREADABLE, field=None)
    return value


_TOO_DEEP = f"The JSON is nested more than {MOST_DEPTH} levels deep; this site needs fewer."
_UNREADABLE = "A text in the JSON contains a NUL or half of a surrogate pair; send whole characters."


def _named_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, value in pairs:
        if name in values:
            raise _repeated(one_line(name)[:MOST_SHOWN])
        values[name] = value
    return values


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is not a finite number")
    return number


def _parts(value: object) -> Iterator[tuple[object, int]]:
    """Everything in a JSON value with its depth."""
    waiting = [(value, 1)]
    while waiting:
        part, depth = waiting.pop()
        yield part, depth
        if isinstance(part, dict):
            waiting += [(inside, depth + 1) for pair in part.items() for inside in pair]
        elif isinstance(part, list):
            waiting += [(inside, depth + 1) for inside in part]
