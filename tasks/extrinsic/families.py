"""The trained families: windows of tagged sentences, labelled texts, pairs of texts (Nayak et al. 2016, §5)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from tasks.base import Context, Task
from tasks.extrinsic.cell import AnswerKey, PreparedTask, evaluate_texts
from tasks.extrinsic.examples import Ints, SplitColumns, TaskColumns, TextExamples, WindowExamples, padded, windows
from tasks.extrinsic.networks import Network, PairNetwork, SentenceNetwork, SharedPairNetwork, WindowNetwork
from tasks.extrinsic.table import VectorTable
from tasks.extrinsic.training import Splits
from tasks.results import Mode, TaskResult
from tasks.vectors import Embedding

SHAPES = 5
"""lower, Initial, UPPER, one capital inside, other (docs/protocol.md §2.1)."""
MakeNetwork = Callable[[int, int], Network]


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


def evaluate_window(task: Task, embedding: Embedding, mode: Mode, context: Context) -> TaskResult:
    """Train the window network on tagged sentences; see :meth:`tasks.base.Family.evaluate`."""
    with_shapes = bool(task.options.get("shapes"))
    width, hidden = task.family.number("width"), task.family.number("hidden")

    def prepare(found: TaskColumns, table: VectorTable, dimensions: int, device: torch.device) -> PreparedTask:
        shapes = np.array([shape_of(word) for word in found.words], dtype=np.int64) if with_shapes else None
        encoded = {name: _encode_windows(part, table, shapes, width, device) for name, part in found.parts.items()}
        return PreparedTask(
            WindowNetwork(width * dimensions, len(found.labels), width * SHAPES if with_shapes else 0, hidden),
            Splits(**encoded),
            *(
                AnswerKey(part.labels, found.labels, part.texts[0].offsets)
                for part in (found.parts["dev"], found.parts["test"])
            ),
        )

    return evaluate_texts(task, embedding, mode, context, prepare)


def _encode_windows(
    part: SplitColumns, table: VectorTable, shapes: Ints | None, width: int, device: torch.device
) -> WindowExamples:
    (texts,) = part.texts
    ids = windows(table.rows[texts.tokens], texts.offsets, width)
    one_hot = None
    if shapes is not None:
        classes = windows(shapes[texts.tokens], texts.offsets, width, pad=SHAPES)
        of_class = np.eye(SHAPES + 1, SHAPES, dtype=np.float32)  # the last row, of padding, is all zeros
        one_hot = torch.from_numpy(of_class[classes].reshape(len(ids), -1)).to(device)
    return WindowExamples(torch.from_numpy(ids).to(device), one_hot, torch.from_numpy(part.labels).to(device))


def evaluate_sentence(task: Task, embedding: Embedding, mode: Mode, context: Context) -> TaskResult:
    """Train an LSTM on labelled texts; see :meth:`tasks.base.Family.evaluate`."""
    return _evaluate(task, embedding, mode, context, SentenceNetwork)


def evaluate_pair(task: Task, embedding: Embedding, mode: Mode, context: Context) -> TaskResult:
    """Train two LSTMs on labelled pairs of texts; see :meth:`tasks.base.Family.evaluate`."""
    return _evaluate(task, embedding, mode, context, partial(PairNetwork, hidden=task.family.number("hidden")))


def evaluate_shared_pair(task: Task, embedding: Embedding, mode: Mode, context: Context) -> TaskResult:
    """Train one LSTM for both texts of labelled pairs; see :meth:`tasks.base.Family.evaluate`."""
    return _evaluate(task, embedding, mode, context, partial(SharedPairNetwork, hidden=task.family.number("hidden")))


def _evaluate(task: Task, embedding: Embedding, mode: Mode, context: Context, make_network: MakeNetwork) -> TaskResult:
    def prepare(found: TaskColumns, table: VectorTable, dimensions: int, device: torch.device) -> PreparedTask:
        encoded = {name: _encode_texts(part, table, device) for name, part in found.parts.items()}
        return PreparedTask(
            make_network(dimensions, len(found.labels)),
            Splits(**encoded),
            *(AnswerKey(found.parts[name].labels, found.labels) for name in ("dev", "test")),
        )

    return evaluate_texts(task, embedding, mode, context, prepare)


def _encode_texts(part: SplitColumns, table: VectorTable, device: torch.device) -> TextExamples:
    rows = [padded(table.rows[texts.tokens], texts.offsets) for texts in part.texts]
    return TextExamples(
        texts=tuple(torch.from_numpy(ids).to(device) for ids, _ in rows),
        lengths=tuple(torch.from_numpy(lengths).to(device) for _, lengths in rows),
        labels=torch.from_numpy(part.labels).to(device),
        host_lengths=tuple(lengths for _, lengths in rows),
    )
