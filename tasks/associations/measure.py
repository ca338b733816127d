"""The association tests of a suite (docs/protocol.md §6.1)."""

from __future__ import annotations

import re

from tasks.associations.weat import AssociationQuestion, WordList, associate
from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.datasets.examples import ListedWord
from tasks.datasets.store import DataStore
from tasks.errors import NoScore
from tasks.prepared import open_prepared
from tasks.results import CellResult, Coverage, Mode
from tasks.secondary import AssociationFigures
from tasks.vectors import Embedding

_SPELLED = {"african": "African", "american": "American", "european": "European", "people": "people's"}


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
