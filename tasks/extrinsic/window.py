"""Window family: POS tagging, chunking, named entities (Collobert et al. 2011; Nayak et al. 2016, §5)."""

from __future__ import annotations

import numpy as np
import torch

from tasks.base import Context, Task
from tasks.datasets.examples import TaggedSentence
from tasks.extrinsic.cell import AnswerKey, PreparedTask, Texts, evaluate_texts, labels_of
from tasks.extrinsic.examples import WindowExamples, windows
from tasks.extrinsic.networks import WindowNetwork
from tasks.extrinsic.table import VectorTable
from tasks.extrinsic.training import Splits
from tasks.results import Mode, TaskResult
from tasks.vectors import Embedding

SHAPES = 5
"""lower, Initial, UPPER, one capital inside, other (PROTOCOL.md §2)."""


def shape_of(word: str) -> int:
    """Letter-case class of a word: 0 lower, 1 Initial, 2 UPPER, 3 one capital inside, 4 other.

    A word without cased letters is "other"; a single capital letter ("I") counts as UPPER.
    """
    if word.islower():
        return 0
    if word.isupper():
        return 2
    capitals = [i for i, letter in enumerate(word) if letter.isupper()]
    if len(capitals) != 1:
        return 4
    return 1 if capitals[0] == 0 else 3


def evaluate(task: Task, embedding: Embedding, mode: Mode, context: Context) -> TaskResult:
    """Train the window network on tagged sentences; see :meth:`tasks.base.Family.evaluate`."""
    with_shapes = bool(task.options.get("shapes"))
    width, hidden = task.family.number("width"), task.family.number("hidden")

    def prepare(
        splits: dict[str, list[TaggedSentence]], table: VectorTable, dimensions: int, device: torch.device
    ) -> PreparedTask:
        tags = labels_of(splits, lambda sentence: sentence.tags)
        encoded = {name: _encode(part, table, tags, width, with_shapes, device) for name, part in splits.items()}
        return PreparedTask(
            WindowNetwork(width * dimensions, len(tags), width * SHAPES if with_shapes else 0, hidden),
            Splits(encoded["train"], encoded["dev"], encoded["test"]),
            _key(splits["dev"], tags),
            _key(splits["test"], tags),
            [sentence.words for sentence in splits["test"]],
        )

    def texts(sentence: TaggedSentence) -> Texts:
        return (sentence.words,)

    return evaluate_texts(task, embedding, mode, context, TaggedSentence, texts, prepare)


def _encode(
    sentences: list[TaggedSentence],
    table: VectorTable,
    tags: dict[str, int],
    width: int,
    with_shapes: bool,
    device: torch.device,
) -> WindowExamples:
    ids = windows([[table.ids[word] for word in sentence.words] for sentence in sentences], width)
    labels = np.array([tags[tag] for sentence in sentences for tag in sentence.tags], dtype=np.int64)
    shapes = None
    if with_shapes:
        classes = windows([[shape_of(word) for word in sentence.words] for sentence in sentences], width, pad=SHAPES)
        one_hot = np.eye(SHAPES + 1, SHAPES, dtype=np.float32)  # the last row, of padding, is all zeros
        shapes = torch.from_numpy(one_hot[classes].reshape(len(labels), -1)).to(device)
    return WindowExamples(torch.from_numpy(ids).to(device), shapes, torch.from_numpy(labels).to(device))


def _key(sentences: list[TaggedSentence], tags: dict[str, int]) -> AnswerKey:
    gold = np.array([tags[tag] for sentence in sentences for tag in sentence.tags], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum([len(sentence.words) for sentence in sentences])]).astype(np.int64)
    return AnswerKey(gold, tuple(tags), offsets)
