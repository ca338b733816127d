"""The words that a task is scored on, counted once per machine and then kept in the data directory.

Counting them means parsing the whole data set: seconds for a suite, of which a check of a file needs nothing else. What
is kept is named by what it depends on, so it is never out of date; it is text and counts, and any number of processes
may read or make it at once.
"""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tasks.base import Task, digest
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
from tasks.files import whole

REVISION = 1
"""Increased when other words are counted from the same data."""
FOLDER = "counted-words"


@dataclass(frozen=True)
class CountedWords:
    """Distinct words, sorted, and how often each of them occurs, int64, shape (words,)."""

    words: list[str]
    counts: NDArray[np.int64]


def counted_words(task: Task, data: DataStore) -> CountedWords:
    """The words of a task's scored examples; none if they are not words (whole posts) or the task has no data set.

    Raises
    ------
    DataUnavailable
        the data set is missing.
    """
    if task.dataset is None:
        return CountedWords([], np.zeros(0, dtype=np.int64))
    definition = [REVISION, data.content_sha256(task.dataset), dict(task.options), task.family.id, task.family.revision]
    path = data.data_dir / FOLDER / f"{digest(definition)}.npz"
    if data.status(task.dataset).available:
        with suppress(OSError, ValueError, KeyError, zipfile.BadZipFile):
            return _read(path)
    counted = Counter(word for example in scored_examples(task, data) for word in words_of(example))
    found = CountedWords(sorted(counted), np.array([counted[word] for word in sorted(counted)], dtype=np.int64))
    with suppress(OSError):
        _write(path, found)
    return found


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


def _read(path: Path) -> CountedWords:
    with np.load(path, allow_pickle=False) as stored:
        text = stored["words"].tobytes().decode()
        return CountedWords(text.split("\n") if text else [], stored["counts"])


def _write(path: Path, found: CountedWords) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = np.frombuffer("\n".join(found.words).encode(), dtype=np.uint8)
    with whole(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, words=text, counts=found.counts)
