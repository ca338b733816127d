"""The words that a task is scored on, counted once per machine: all that a check of a file needs of the data sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
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
)
from tasks.datasets.kept import Arrays, as_bytes, from_bytes, kept_arrays
from tasks.datasets.splits import split
from tasks.datasets.store import DataStore
from tasks.languages import ENGLISH

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
        found = Counter(word for example in scored_examples(task, data, language) for word in words_of(example))
        words = sorted(found)
        return {"words": as_bytes(words), "counts": np.array([found[word] for word in words], dtype=np.int64)}

    kept = kept_arrays(f"counted-{task.part(language)}", REVISION, task, data, counted)
    return CountedWords(from_bytes(kept["words"]), kept["counts"].astype(np.int64, copy=False))


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
