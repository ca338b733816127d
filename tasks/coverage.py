"""A file's coverage of a task's words, without training anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tasks.base import Task
from tasks.datasets.examples import (
    AnalogyQuestion,
    Document,
    Example,
    LabelledPair,
    LabelledText,
    NeighbourList,
    OracleWord,
    PrimedTarget,
    ScoredPair,
    TaggedSentence,
)
from tasks.datasets.splits import split
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable
from tasks.look_up import UNKNOWN
from tasks.results import Coverage, TaskResult
from tasks.suite import Suite
from tasks.vectors import Embedding, FileWarning

LOW = 0.5
"""Below this share of its tokens, a task's score says little about the vectors (PROTOCOL.md §1)."""


def words_of(example: Example) -> Sequence[str]:
    """Every word of an example, in order."""
    if isinstance(example, LabelledPair):
        return (*example.first, *example.second)
    if isinstance(example, ScoredPair):
        return (example.first, example.second)
    if isinstance(example, AnalogyQuestion):
        return (example.a, example.b, example.c, example.d)
    if isinstance(example, OracleWord):
        return (example.word,)
    if isinstance(example, PrimedTarget):
        return (example.prime, example.target)
    if isinstance(example, NeighbourList):
        return (example.cue, *example.words)
    if isinstance(example, TaggedSentence | LabelledText):
        return example.words
    raise TypeError(f"{type(example).__name__} is not an example of a task")


def scored_examples(task: Task, data: DataStore) -> Sequence[Example]:
    """The examples that a task is scored on; none if they are not words (whole posts) or the task has no data set.

    Raises
    ------
    DataUnavailable
        the data set is missing.
    """
    if task.dataset is None:
        return ()
    parts = data.load(task.dataset)
    if "split" in task.options:
        return split(parts, task.options["split"])["test"]
    return [e for e in parts.get(task.options.get("part", "all"), ()) if not isinstance(e, Document)]


def task_coverage(embedding: Embedding, suite: Suite, task: Task, data: DataStore) -> Coverage | None:
    """Shares of tokens and types of a task's scored examples that the suite's look-up finds.

    Returns
    -------
    Coverage or None
        None if it cannot be computed without evaluating the task: see :func:`scored_examples`.

    Raises
    ------
    DataUnavailable
        the data set is missing.
    """
    tokens = [word for example in scored_examples(task, data) for word in words_of(example)]
    if not tokens:
        return None
    types = sorted(set(tokens))
    rows = suite.look_up.rows(embedding, types)
    known = {word for word, row in zip(types, rows, strict=True) if row != UNKNOWN}
    return Coverage(sum(word in known for word in tokens) / len(tokens), len(known) / len(types))


def coverage_warnings(embedding: Embedding, suite: Suite, data: DataStore) -> tuple[FileWarning, ...]:
    """A warning for every task of the suite with low coverage; tasks without data are skipped."""
    found = []
    for task in suite.tasks:
        if not task.applies_to(embedding.language):
            continue
        try:
            coverage = task_coverage(embedding, suite, task, data)
        except DataUnavailable:
            continue
        if coverage is not None:
            found.append((task.id, coverage))
    return tuple(low_coverage(found, suite))


def low_coverage_of_results(results: Sequence[TaskResult], suite: Suite) -> tuple[FileWarning, ...]:
    """The same warnings from results (the first mode of each task counts for both)."""
    coverage = {result.task: result.coverage for result in reversed(results)}
    return tuple(low_coverage([(t.id, coverage[t.id]) for t in suite.tasks if t.id in coverage], suite))


def low_coverage(coverage: Iterable[tuple[str, Coverage]], suite: Suite) -> Iterable[FileWarning]:
    """One warning per task below ``LOW``."""
    for task_id, share in coverage:
        if share.tokens < LOW:
            yield FileWarning(
                "low-coverage",
                f"Only {100 * share.tokens:.1f} % of the words of {suite.task(task_id).title} are in the file; "
                "the others count as unknown. Check the spelling and case of the file's words.",
            )
