"""How many of a task's words a file knows, without training anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tasks.base import Task
from tasks.datasets import DataStore
from tasks.datasets.examples import AnalogyQuestion, Example, LabelledPair, LabelledText, ScoredPair, TaggedSentence
from tasks.datasets.splits import split
from tasks.errors import DataUnavailable
from tasks.results import Coverage, TaskResult
from tasks.suite import Suite
from tasks.vectors import UNKNOWN, Embedding, FileWarning

LOW = 0.5
"""Below this share of its tokens a task's score says little of the vectors (PROTOCOL.md §1)."""


def words_of(example: Example) -> Sequence[str]:
    """Every word of an example, in order."""
    if isinstance(example, LabelledPair):
        return (*example.first, *example.second)
    if isinstance(example, ScoredPair):
        return (example.first, example.second)
    if isinstance(example, AnalogyQuestion):
        return (example.a, example.b, example.c, example.d)
    if isinstance(example, TaggedSentence | LabelledText):
        return example.words
    raise TypeError(f"{type(example).__name__} is no example of a task")


def task_coverage(embedding: Embedding, suite: Suite, task: Task, data: DataStore) -> Coverage:
    """Share of the tokens and of the types of a task's scored examples that the suite's look-up finds.

    Raises
    ------
    DataUnavailable
        the data set is missing.
    """
    parts = data.load(task.data)
    examples = split(parts, task.options["split"])["test"] if task.extrinsic else parts[task.options["part"]]
    tokens = [word for example in examples for word in words_of(example)]
    types = sorted(set(tokens))
    rows = suite.look_up.rows(embedding, types)
    known = {word for word, row in zip(types, rows, strict=True) if row != UNKNOWN}
    return Coverage(sum(word in known for word in tokens) / len(tokens), len(known) / len(types))


def coverage_warnings(embedding: Embedding, suite: Suite, data: DataStore) -> tuple[FileWarning, ...]:
    """A warning for every task of the suite that knows less than half of its words; tasks without data are skipped."""
    found = []
    for task in suite.tasks:
        try:
            found.append((task.id, task_coverage(embedding, suite, task, data)))
        except DataUnavailable:
            continue
    return tuple(low_coverage(found, suite))


def low_coverage_of_results(results: Sequence[TaskResult], suite: Suite) -> tuple[FileWarning, ...]:
    """The same warnings from measured results (the first mode of each task stands for both)."""
    coverage = {result.task: result.coverage for result in reversed(results)}
    return tuple(low_coverage([(t.id, coverage[t.id]) for t in suite.tasks if t.id in coverage], suite))


def low_coverage(coverage: Iterable[tuple[str, Coverage]], suite: Suite) -> Iterable[FileWarning]:
    """One warning a task below ``LOW``."""
    for task_id, share in coverage:
        if share.tokens < LOW:
            yield FileWarning(
                "low-coverage",
                f"Only {100 * share.tokens:.1f} % of the words of {suite.task(task_id).title} are in the file; "
                "the others count as unknown. Check the spelling and case of the file's words.",
            )
