"""Political word lists with the tests made of them, lists in files, and tests by name.

A list is a text file in UTF-8 with words separated by line ends, commas, semicolons or tabs. Lines that begin with
``#`` are comments.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from extensions.shared.measure.texts import text_of
from tasks.associations.measure import question_of
from tasks.associations.weat import AssociationQuestion, WordList
from tasks.datasets.store import DataStore
from tasks.errors import InputError, UnknownName
from tasks.text import split_words
from tasks.vectors import Embedding, written_forms
from tasks.word_tasks import ASSOCIATION_TASKS

SHIPPED = Path(__file__).parent / "lists"
MOST_WORDS = 500
"""Most words of a list; permutations of longer ones would take minutes and gigabytes."""
_MOST_BYTES = 200_000
_COMMENT = "#"


@dataclass(frozen=True)
class PoliticalTest:
    """An association test with political lists.

    Parameters
    ----------
    id : value of ``--test`` (``"parties-morality"``).
    title : name on pages.
    lists : names of X, Y, A and B.
    """

    id: str
    title: str
    lists: tuple[str, str, str, str]

    @property
    def question(self) -> AssociationQuestion:
        """The question with the words of the lists."""
        x, y, a, b = map(shipped_list, self.lists)
        return AssociationQuestion((x, y), (a, b))


POLITICAL_TESTS = (
    PoliticalTest("parties-morality", "US parties, virtue", ("democrats", "republicans", "virtue", "vice")),
    PoliticalTest("parties-economy", "US parties, prosperity", ("democrats", "republicans", "prosperity", "hardship")),
    PoliticalTest("parties-state", "US parties, state and market", ("democrats", "republicans", "state", "market")),
    PoliticalTest("parties-foundations", "US parties, care and order", ("democrats", "republicans", "care", "order")),
    PoliticalTest("ideologies-morality", "Left and right, virtue", ("left", "right", "virtue", "vice")),
    PoliticalTest("ideologies-economy", "Left and right, prosperity", ("left", "right", "prosperity", "hardship")),
    PoliticalTest("ideologies-state", "Left and right, state and market", ("left", "right", "state", "market")),
    PoliticalTest(
        "immigration-threat", "Immigrants and citizens, contribution",
        ("immigrants", "citizens", "contribution", "threat"),
    ),
)  # fmt: skip


def shipped_names() -> list[str]:
    """Names of the shipped lists, sorted."""
    return sorted(path.stem for path in SHIPPED.glob("*.txt"))


@cache
def shipped_list(name: str) -> WordList:
    """A shipped list by its name.

    Raises
    ------
    UnknownName
        there is no such list; the message has the names.
    """
    if name not in shipped_names():
        raise UnknownName(f"There is no list {name!r}: give a file, or one of {', '.join(shipped_names())}.")
    return read_list(SHIPPED / f"{name}.txt", name)


def source_of(name: str) -> str:
    """The source of a shipped list's words: the comment at the top of its file."""
    lines = (SHIPPED / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return " ".join(line.removeprefix(_COMMENT).strip() for line in lines if line.startswith(_COMMENT))


def read_list(path: Path, name: str) -> WordList:
    """The words of a file, each once, in order.

    Raises
    ------
    InputError
        the file is not text, or too long.
    """
    with path.open("rb") as file:
        content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise InputError(
            "list-too-long",
            f"{path.name} is larger than {_MOST_BYTES // 1000} kB; shorten it: an association test needs a few dozen "
            "words.",
            field="lists",
        )
    lines = text_of(content, path.name, field="lists").splitlines()
    words = WordList.of(name, split_words("\n".join(line for line in lines if not line.startswith(_COMMENT))))
    if len(words.words) > MOST_WORDS:
        message = f"{path.name} has more than {MOST_WORDS} words; shorten it: an association test needs a few dozen."
        raise InputError("list-too-long", message, field="lists")
    return words


TITLES = {test.id: test.title for test in (*ASSOCIATION_TASKS, *POLITICAL_TESTS)}
"""Titles of all tests by id: the published ones, then those with political lists."""


def question_named(name: str, data: DataStore) -> AssociationQuestion:
    """The question of a test in ``TITLES``.

    Raises
    ------
    UnknownName
        there is no such test; the message lists the tests.
    DataUnavailable
        the published lists are missing.
    """
    for task in ASSOCIATION_TASKS:
        if task.id == name:
            return question_of(task, data)
    for test in POLITICAL_TESTS:
        if test.id == name:
            return test.question
    raise UnknownName(f"There is no test {name!r}; the tests are {', '.join(TITLES)}.")


def excerpt(embedding: Embedding, words: Iterable[str]) -> Embedding:
    """Rows that a look-up of these words can find, by any rule; one pass, without an index of all words.

    Returns
    -------
    Embedding
        its ``sha256`` is that of the whole; matrix of shape (found, D).
    """
    forms = {form for word in words for form in (*written_forms(word), word.lower())}
    rows = [row for row, word in enumerate(embedding.words) if word in forms or word.lower() in forms]
    chosen = [embedding.words[row] for row in rows]
    return replace(embedding, words=chosen, matrix=np.ascontiguousarray(embedding.matrix[rows]), stored=None)
