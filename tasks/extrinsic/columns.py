"""A task's labelled examples as columns of integers: made from its data set once per machine, read in a moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.base import Task
from tasks.datasets.examples import PARTS, Example, LabelledPair, LabelledText, TaggedSentence
from tasks.datasets.kept import Arrays, as_bytes, from_bytes, kept_arrays
from tasks.datasets.splits import split
from tasks.datasets.store import DataStore

REVISION = 1
"""Increased when other columns are made from the same data."""
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Texts:
    """Texts one after the other.

    Parameters
    ----------
    tokens : index of each token's word among the task's words, int64, shape (tokens,).
    offsets : where each text begins, and the end of the last, int64, shape (texts + 1,).
    """

    tokens: Ints
    offsets: Ints


@dataclass(frozen=True)
class SplitColumns:
    """One split.

    Parameters
    ----------
    texts : the sentence or text of each example, or the two texts of each pair.
    labels : class of each token (tagged sentences) or of each example, int64.
    """

    texts: tuple[Texts, ...]
    labels: Ints

    @property
    def tokens(self) -> Ints:
        """Of all its texts, shape (tokens,)."""
        return np.concatenate([texts.tokens for texts in self.texts])


@dataclass(frozen=True)
class TaskColumns:
    """All splits, by name; ``words`` and ``labels`` are those that occur in any of them, sorted."""

    words: list[str]
    labels: tuple[str, ...]
    parts: dict[str, SplitColumns]


def columns(task: Task, data: DataStore) -> TaskColumns:
    """The examples of a trained task, texts cut to its limit.

    Raises
    ------
    DataUnavailable
        the data set is missing.
    TypeError
        an example is neither a tagged sentence nor a labelled text or pair.
    """
    kept = kept_arrays("columns", REVISION, task, data, lambda: _arrays(task, data))

    def ints(name: str) -> Ints:
        return kept[name].astype(np.int64)

    def part(name: str) -> SplitColumns:
        texts = [
            Texts(ints(f"{name} tokens {i}"), np.concatenate([[0], np.cumsum(ints(f"{name} lengths {i}"))]))
            for i in range(int(kept["texts"]))
        ]
        return SplitColumns(tuple(texts), ints(f"{name} labels"))

    return TaskColumns(
        from_bytes(kept["words"]), tuple(from_bytes(kept["labels"])), {name: part(name) for name in PARTS}
    )


def _arrays(task: Task, data: DataStore) -> Arrays:
    splits = split(data.load(task.data), task.options["split"])
    limit = task.options.get("limit")
    texts = {name: [[text[:limit] for text in _texts(example)] for example in splits[name]] for name in PARTS}
    labels = {name: [label for example in splits[name] for label in _labels(example)] for name in PARTS}
    words = sorted({word for part in texts.values() for example in part for text in example for word in text})
    classes = sorted({label for part in labels.values() for label in part})
    number = {word: i for i, word in enumerate(words)}
    number_of_class = {label: i for i, label in enumerate(classes)}
    of_an_example = max(len(example) for part in texts.values() for example in part)
    found = {"words": as_bytes(words), "labels": as_bytes(classes), "texts": np.array(of_an_example)}
    for name in PARTS:
        found[f"{name} labels"] = np.array([number_of_class[label] for label in labels[name]], dtype=np.int32)
        for i in range(of_an_example):
            column = [example[i] for example in texts[name]]
            found[f"{name} tokens {i}"] = np.array([number[word] for text in column for word in text], dtype=np.int32)
            found[f"{name} lengths {i}"] = np.array([len(text) for text in column], dtype=np.int32)
    return found


def _texts(example: Example) -> Sequence[Sequence[str]]:
    if isinstance(example, LabelledPair):
        return (example.first, example.second)
    if isinstance(example, TaggedSentence | LabelledText):
        return (example.words,)
    raise TypeError(f"a {type(example).__name__} cannot be trained on")


def _labels(example: Example) -> Sequence[str]:
    if isinstance(example, TaggedSentence):
        return example.tags
    return (example.label,) if isinstance(example, LabelledText | LabelledPair) else ()
