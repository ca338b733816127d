"""A file's coverage of a task's words, without training anything."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from tasks.counted_words import CountedWords, counted_words
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable
from tasks.look_up import UNKNOWN
from tasks.results import Coverage, TaskResult
from tasks.suite import Suite
from tasks.vectors import Embedding, FileWarning

LOW = 0.5
"""Below this share of its tokens, a task's score says little about the vectors (docs/protocol.md §1.5)."""
LOW_COVERAGE, NOTHING_KNOWN = "low-coverage", "no-known-word"
"""Codes of the two warnings."""
MOST_NAMED = 5


def coverage_of_tasks(embedding: Embedding, suite: Suite, data: DataStore) -> dict[str, Coverage]:
    """Shares of tokens and types of every task's scored examples that the suite's look-up finds, by task id.

    Tasks of another language are left out, and those whose data is not there or whose examples are not words.
    """
    counted: dict[str, CountedWords] = {}
    for task in suite.tasks:
        if task.applies_to(embedding.language):
            with suppress(DataUnavailable):
                counted[task.id] = counted_words(task, data, embedding.language)
    words = sorted(set().union(*(found.words for found in counted.values())))
    rows = suite.look_up.rows(embedding, words)
    known = {word for word, row in zip(words, rows, strict=True) if row != UNKNOWN}
    return {task: _coverage(found, known) for task, found in counted.items() if found.words}


def _coverage(counted: CountedWords, known: set[str]) -> Coverage:
    is_known = np.array([word in known for word in counted.words])
    return Coverage(float(counted.counts[is_known].sum() / counted.counts.sum()), float(is_known.mean()))


def coverage_warnings(embedding: Embedding, suite: Suite, data: DataStore) -> tuple[FileWarning, ...]:
    """A warning of the tasks of the suite with low coverage; tasks without data are skipped."""
    return low_coverage(list(coverage_of_tasks(embedding, suite, data).items()), suite)


def low_coverage_of_results(results: Sequence[TaskResult], suite: Suite) -> tuple[FileWarning, ...]:
    """The same warning from results (the first mode of each task counts for both)."""
    coverage = {result.task: result.coverage for result in reversed(results)}
    return low_coverage([(t.id, coverage[t.id]) for t in suite.tasks if t.id in coverage], suite)


def low_coverage(coverage: Sequence[tuple[str, Coverage]], suite: Suite) -> tuple[FileWarning, ...]:
    """One warning for all tasks below ``LOW``, or that no word of any task is known; none where all is well."""
    if coverage and all(share.tokens == 0 for _, share in coverage):
        message = (
            f"None of the words of {suite.title} are in this file. Are its words lower-cased, in another language, or "
            "prefixed?"
        )
        return (FileWarning(NOTHING_KNOWN, message, len(coverage)),)
    low = sorted((share.tokens, suite.task(task).title) for task, share in coverage if share.tokens < LOW)
    if not low:
        return ()
    named = ", ".join(f"{title} ({100 * tokens:.1f} %)" for tokens, title in low[:MOST_NAMED])
    more = f" and {len(low) - MOST_NAMED} more" if len(low) > MOST_NAMED else ""
    message = (
        f"The file has less than half of the words of {len(low)} of {len(coverage)} tasks: {named}{more}. The others "
        "count as unknown there. Check the spelling and case of the file's words."
    )
    return (FileWarning(LOW_COVERAGE, message, len(low)),)
