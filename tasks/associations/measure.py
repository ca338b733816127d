"""The association tests of a suite (docs/protocol.md §6.1), and political word lists with the tests made of them.

A list is a text file in UTF-8 with words separated by line ends, commas, semicolons or tabs. Lines that begin with
``#`` are comments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tasks.associations.weat import AssociationQuestion, WordList, associate
from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.datasets.examples import ListedWord
from tasks.datasets.store import DataStore
from tasks.errors import InputError, NoScore, UnknownName
from tasks.prepared import open_prepared
from tasks.results import CellResult, Coverage, Mode
from tasks.secondary import AssociationFigures
from tasks.text import split_words, text_of
from tasks.vectors import Embedding
from tasks.word_tasks import ASSOCIATION_TASKS

SHIPPED = Path(__file__).parent / "lists"
MOST_WORDS = 500
"""Most words of a list; permutations of longer ones would take minutes and gigabytes."""
_MOST_BYTES = 200_000
_COMMENT = "#"
_SPELLED = {"african": "African", "american": "American", "european": "European", "people": "people's"}


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


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """Effect size d of a test, with its interval over target words.

    ``n`` counts the known target words. ``secondary``: ``p`` with ``partitions`` and ``exact``, ``known`` of the
    ``words`` of the four lists, ``missing``, ``single`` (d and p of every target word) and, for several runs, ``runs``:
    d in each run, that of the file first.

    Source: Caliskan, Bryson & Narayanan (2017), table 1 and supplementary materials.

    Raises
    ------
    NoScore
        a fifth of a list or more is unknown, or all targets are equally near to the attributes.
    DataUnavailable
        the lists are missing.
    """
    watch = Stopwatch(task, mode, context)
    question = question_of(task, context.data)
    answer = associate(embedding, context.suite.look_up, question)
    if answer.d is None or answer.p is None:
        raise NoScore(answer.reason)
    listed = {word for words in question.lists for word in words.words}
    count = len(listed) - len(answer.missing)
    secondary = AssociationFigures(
        known=count,
        words=len(listed),
        missing=list(answer.missing),
        p=answer.p,
        partitions=answer.partitions,
        exact=answer.exact,
        single={word: {"d": figures.d, "p": figures.p} for word, figures in answer.single.items()},
    )
    if answer.left_out:
        secondary["left_out"] = dict(answer.left_out)
    if context.runs:
        opened = (open_prepared(directory, name=embedding.name) for directory in context.runs)
        others = [associate(run, context.suite.look_up, question).d for run in opened]
        secondary["runs"] = [answer.d, *others]
    share = count / len(listed)
    return watch.result(
        score=answer.d,
        interval=answer.interval,
        n=len(answer.single),
        coverage=Coverage(share, share),
        secondary=secondary,
    )


def question_of(task: Task, data: DataStore) -> AssociationQuestion:
    """The lists of a test of the suite, with their words.

    Raises
    ------
    DataUnavailable
        the data set is missing.
    """
    parts = data.load(task.data)
    x, y, a, b = (
        WordList.of(plain_name(name), [entry.word for entry in parts[name] if isinstance(entry, ListedWord)])
        for name in task.options["lists"]
    )
    return AssociationQuestion((x, y), (a, b))


def plain_name(name: str) -> str:
    """A list's name in the data set, such as ``african_american_names_5``, as it is shown."""
    return " ".join(_SPELLED.get(word, word) for word in re.sub(r"_\d+[a-z]?$", "", name).split("_"))


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
