"""Word lists of association tests: those of a named test, or a visitor's own, which only the link contains.

The site stores no lists. A link with ``?lists=`` contains the compressed words, so it never expires, and only people
who have it can read them.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from benchmark.inputs import json_of, one_line
from extensions.associations.measure.axes import Term, WordAxis, parse_formula
from extensions.associations.measure.word_lists import POLITICAL_TESTS, TITLES, question_named, source_of
from tasks.associations.weat import AssociationQuestion, WordList
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, InputError
from tasks.text import split_words

PUBLISHED = "weat"
SIDES = ("x", "y", "a", "b")
"""Targets X and Y, attributes A and B, as in the form and in the paper."""
MOST_WORDS = 100
"""Per list, so that eight entries take seconds."""
LONGEST_WORD, LONGEST_NAME = 60, 40
LONGEST_CODE = 3_000
"""Browsers, proxies and servers accept a URL of this length with eight entries."""
_MOST_BYTES = 100_000
POLITICAL = frozenset(test.id for test in POLITICAL_TESTS)
BROKEN = "This link is damaged: its lists cannot be read. Copy it again, as a whole, or enter the lists again."


@dataclass(frozen=True)
class RequestedTest:
    """A requested test; ``id`` is its name, empty for a visitor's own lists."""

    question: AssociationQuestion
    id: str = ""

    @property
    def query(self) -> dict[str, str]:
        """Query parameters of its link."""
        return {"test": self.id} if self.id else {"lists": encoded(self.question)}

    @property
    def title(self) -> str:
        (x, y), (a, b) = self.question.targets, self.question.attributes
        return TITLES.get(self.id) or f"{x.name} and {y.name}, {a.name} against {b.name}"

    @property
    def sources(self) -> list[tuple[str, str]]:
        """Names and sources of the lists of a named test."""
        if not self.id:
            return []
        if self.id in POLITICAL:
            return [(word_list.name, source_of(word_list.name)) for word_list in self.question.lists]
        return [("all four", REGISTRY[PUBLISHED].citation)]

    @property
    def words(self) -> list[str]:
        return [word for word_list in self.question.lists for word in word_list.words]

    @property
    def fields(self) -> list[tuple[str, str, str]]:
        """Side, name and text of each list for the form."""
        return [(side, part.name, "\n".join(part.words)) for side, part in zip(SIDES, self.question.lists, strict=True)]


@dataclass(frozen=True)
class RequestedAxis:
    """A requested axis with words to place on it, and the terms of a formula; either may be missing."""

    poles: WordAxis
    words: tuple[str, ...]
    terms: tuple[Term, ...]
    query: dict[str, str]

    @property
    def has_axis(self) -> bool:
        return bool(self.poles.positive)


AXIS_FIELDS = {"positive": 400, "negative": 400, "words": 2_000, "formula": 400}
"""Fields of the form for axes with their maximum lengths, which together fit in a link."""
MOST_IN_POLE = 20


def requested_axis(query: Mapping[str, str]) -> RequestedAxis | None:
    """The axis and the formula of a link; None if the link has neither.

    Raises
    ------
    InputError
        all fields are empty, one is too long, a pole or the words are missing, or the formula cannot be read.
    """
    texts = {name: query.get(name, "").strip() for name in AXIS_FIELDS}
    for name, most in AXIS_FIELDS.items():
        if len(texts[name]) > most:
            message = f"This field takes {most:,} characters and has {len(texts[name]):,}; use fewer words."
            raise InputError("too-long", message, field=name)
    positive, negative, words = (_words(texts[name]) for name in ("positive", "negative", "words"))
    for name, pole in (("positive", positive), ("negative", negative)):
        if not pole and (positive or negative or words):
            raise InputError("no-pole", "An axis needs at least one word at each pole.", field=name)
        if len(pole) > MOST_IN_POLE:
            raise InputError("too-long", f"A pole takes {MOST_IN_POLE} words.", field=name)
    if positive and not words:
        raise InputError("no-words", "Enter the words to place on the axis.", field="words")
    if len(words) > MOST_WORDS:
        raise InputError("too-long", f"An axis takes {MOST_WORDS} words; {len(words)} were entered.", field="words")
    terms = parse_formula(texts["formula"]) if texts["formula"] else ()
    if not positive and not terms:
        if any(name in query for name in AXIS_FIELDS):
            message = "Enter two poles with words to place between them, or a formula."
            raise InputError("nothing-asked", message, field="positive")
        return None
    return RequestedAxis(WordAxis(positive, negative), words, terms, {key: text for key, text in texts.items() if text})


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(one_line, split_words(text))))


def offered() -> dict[str, str]:
    """Ids and titles of the tests whose lists are on this site."""
    has_published = DataStore.default().status(PUBLISHED).available
    return {name: title for name, title in TITLES.items() if has_published or name in POLITICAL}


def requested_test(query: Mapping[str, str]) -> RequestedTest | None:
    """The test of ``?test=`` or ``?lists=``; None without both.

    Raises
    ------
    InputError
        no test was chosen, it does not exist, or the link is damaged or has two.
    """
    if query.get("lists") and query.get("test"):
        raise InputError("two-tests", "This link has a test and lists; it can have only one of them.", field="test")
    if query.get("lists"):
        return RequestedTest(decoded(query["lists"]))
    test = query.get("test", "")
    if "test" in query and not test:
        raise InputError("no-test", "Choose a test, or enter lists of your own.", field="test")
    if not test:
        return None
    if test not in offered():
        message = f"This site has no association test “{test[:LONGEST_NAME]}”; the tests are {', '.join(offered())}."
        raise InputError("no-test", message, field="test")
    try:
        return RequestedTest(_readable(question_named(test, DataStore.default())), test)
    except DataUnavailable as error:
        raise InputError("no-test", error.reason, field="test") from error


def _readable(question: AssociationQuestion) -> AssociationQuestion:
    """The test with readable names, as published ones have underscores."""
    x, y, a, b = (WordList(word_list.name.replace("_", " "), word_list.words) for word_list in question.lists)
    return AssociationQuestion((x, y), (a, b))


def entered_test(fields: Mapping[str, str]) -> RequestedTest:
    """The lists of the form.

    Raises
    ------
    InputError
        a list is empty or too long, or all lists are too long for a link.
    """
    x, y, a, b = (_list(fields, side) for side in SIDES)
    question = AssociationQuestion((x, y), (a, b))
    if len({word_list.name for word_list in question.lists}) < len(SIDES):
        raise InputError("same-names", "Give every list a name of its own.", field="lists")
    if len(encoded(question)) > LONGEST_CODE:
        message = "These lists are too long for a link, which is the only place where they are stored. Use fewer words."
        raise InputError("lists-too-long", message, field="lists")
    return RequestedTest(question)


def _list(fields: Mapping[str, str], side: str) -> WordList:
    name = one_line(fields.get(f"name_{side}", "")[:LONGEST_NAME]) or f"list {side.upper()}"
    return _checked(WordList(name, _words(fields.get(f"words_{side}", "")[:_MOST_BYTES])))


def _checked(part: WordList) -> WordList:
    if not part.words:
        raise InputError(
            "list-empty",
            f"“{part.name}” has no word. Enter words separated by commas, semicolons, tabs, blanks or lines.",
            field="lists",
        )
    if len(part.words) > MOST_WORDS:
        message = (
            f"“{part.name}” has {len(part.words)} words; the limit is {MOST_WORDS}. The command takes longer lists."
        )
        raise InputError("list-too-long", message, field="lists")
    long = next((word for word in part.words if len(word) > LONGEST_WORD), None)
    if long is not None:
        message = f"“{long[:LONGEST_WORD]}…” in “{part.name}” is longer than {LONGEST_WORD} characters."
        raise InputError("word-too-long", message, field="lists")
    return part


def encoded(question: AssociationQuestion) -> str:
    """The lists as text for a link."""
    rows = [[word_list.name, *word_list.words] for word_list in question.lists]
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def decoded(code: str) -> AssociationQuestion:
    """Inverse of :func:`encoded`.

    Raises
    ------
    InputError
        the link is damaged, or contains more than this site accepts.
    """
    try:
        packed = base64.urlsafe_b64decode(code[:LONGEST_CODE] + "=" * (-len(code) % 4))
        rows = json_of(zlib.decompressobj().decompress(packed, _MOST_BYTES))
        x, y, a, b = (_checked(WordList.of(_text(name), list(map(_text, words)))) for name, *words in rows)
    except (binascii.Error, zlib.error, InputError, TypeError, ValueError):
        raise InputError("bad-link", BROKEN, field="lists") from None
    return AssociationQuestion((x, y), (a, b))


def _text(value: object) -> str:
    """A name or a word; anything else is a damaged link."""
    if not isinstance(value, str) or one_line(value) != value or not value:
        raise ValueError(value)
    return value
