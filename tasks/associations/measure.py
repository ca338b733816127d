"""The association tests of a suite (docs/protocol.md §6.1): lists of a data set, applied to an entry."""

from __future__ import annotations

from tasks.associations.lists import POLITICAL_TESTS
from tasks.associations.secondary import AssociationFigures
from tasks.associations.weat import AssociationQuestion, WordList, associate
from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.datasets.examples import ListedWord
from tasks.datasets.store import DataStore
from tasks.errors import NoScore, UnknownName
from tasks.prepared import open_prepared
from tasks.results import Coverage, Mode, TaskResult
from tasks.vectors import Embedding
from tasks.word_tasks import ASSOCIATION_TASKS


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> TaskResult:
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
    found = associate(embedding, context.suite.look_up, question)
    if found.d is None or found.p is None:
        raise NoScore(found.reason)
    listed = {word for one in question.lists for word in one.words}
    known = len(listed) - len(found.missing)
    secondary = AssociationFigures(
        known=known,
        words=len(listed),
        missing=list(found.missing),
        p=found.p,
        partitions=found.partitions,
        exact=found.exact,
        single={word: {"d": one.d, "p": one.p} for word, one in found.single.items()},
    )
    if found.left_out:
        secondary["left_out"] = dict(found.left_out)
    if context.runs:
        opened = (open_prepared(directory, name=embedding.name) for directory in context.runs)
        others = [associate(run, context.suite.look_up, question).d for run in opened]
        secondary["runs"] = [found.d, *others]
    share = known / len(listed)
    return watch.result(
        score=found.d,
        interval=found.interval,
        n=len(found.single),
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
        WordList.of(name, [entry.word for entry in parts[name] if isinstance(entry, ListedWord)])
        for name in task.options["lists"]
    )
    return AssociationQuestion((x, y), (a, b))


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
