"""A file's coverage of a task's words, without training anything.

The scored words of each task are counted once per machine; a check of a file needs nothing else of the data sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.base import Task
from tasks.datasets.examples import (
    AnalogyQuestion,
    Document,
    Example,
    LabelledPair,
    LabelledText,
    ListedWord,
    NeighbourList,
    OracleWord,
    PrimedTarget,
    ScoredPair,
    TaggedSentence,
    WordGroup,
    split,
)
from tasks.datasets.store import Arrays, DataStore, as_bytes, from_bytes, kept_arrays
from tasks.errors import DataUnavailable
from tasks.languages import ENGLISH
from tasks.results import CellResult, Coverage
from tasks.suite import Suite
from tasks.vectors import UNKNOWN, Embedding, FileWarning

REVISION = 1
"""Increased when other words are counted from the same data."""


@dataclass(frozen=True)
class CountedWords:
    """Distinct words, sorted, and how often each of them occurs, int64, shape (words,)."""

    words: list[str]
    counts: NDArray[np.int64]


def counted_words(task: Task, data: DataStore, language: str = ENGLISH) -> CountedWords:
    """The words of a task's scored examples; none if they are not words (whole posts) or the task has no data set.

    Raises
    ------
    DataUnavailable
        the data set is missing.
    """
    if task.dataset is None:
        return CountedWords([], np.zeros(0, dtype=np.int64))

    def counted() -> Arrays:
        counts = Counter(word for example in scored_examples(task, data, language) for word in words_of(example))
        words = sorted(counts)
        return {"words": as_bytes(words), "counts": np.array([counts[word] for word in words], dtype=np.int64)}

    arrays = kept_arrays(f"counted-{task.part(language)}", REVISION, task, data, counted)
    return CountedWords(from_bytes(arrays["words"]), arrays["counts"].astype(np.int64, copy=False))


def words_of(example: Example) -> Sequence[str]:
    """Every word of an example, in order."""
    if isinstance(example, LabelledPair):
        return (*example.first, *example.second)
    if isinstance(example, ScoredPair):
        return (example.first, example.second)
    if isinstance(example, AnalogyQuestion):
        return (example.a, example.b, example.c, example.d)
    if isinstance(example, OracleWord | ListedWord):
        return (example.word,)
    if isinstance(example, PrimedTarget):
        return (example.prime, example.target)
    if isinstance(example, NeighbourList):
        return (example.cue, *example.words)
    if isinstance(example, TaggedSentence | LabelledText | WordGroup):
        return example.words
    raise TypeError(f"{type(example).__name__} is not an example of a task")


def scored_examples(task: Task, data: DataStore, language: str = ENGLISH) -> Sequence[Example]:
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
    if "lists" in task.options:
        return [word for name in task.options["lists"] for word in parts[name]]
    return [e for e in parts.get(task.part(language), ()) if not isinstance(e, Document)]


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
    words = sorted(set().union(*(task_words.words for task_words in counted.values())))
    rows = suite.look_up.rows(embedding, words)
    known_words = {word for word, row in zip(words, rows, strict=True) if row != UNKNOWN}
    shares = {}
    for task_id, task_words in counted.items():
        if task_words.words:
            is_known = np.array([word in known_words for word in task_words.words])
            tokens = float(task_words.counts[is_known].sum() / task_words.counts.sum())
            shares[task_id] = Coverage(tokens, float(is_known.mean()))
    return shares


def coverage_warnings(embedding: Embedding, suite: Suite, data: DataStore) -> tuple[FileWarning, ...]:
    """A warning about the suite's tasks with low coverage; tasks without data are skipped."""
    return low_coverage(list(coverage_of_tasks(embedding, suite, data).items()), suite)


def low_coverage_of_results(results: Sequence[CellResult], suite: Suite) -> tuple[FileWarning, ...]:
    """The same warning from results (the first mode of each task counts for both)."""
    coverage = {result.task: result.coverage for result in reversed(results)}
    return low_coverage([(t.id, coverage[t.id]) for t in suite.tasks if t.id in coverage], suite)


def low_coverage(coverage: Sequence[tuple[str, Coverage]], suite: Suite) -> tuple[FileWarning, ...]:
    """One warning for all tasks below ``LOW``, or one that no word of any task is known; empty without either."""
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
