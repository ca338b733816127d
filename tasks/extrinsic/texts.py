"""Sentence and pair families: sentiment, questions; phrase and lexical inference (Nayak et al. 2016, §5)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch

from tasks.base import Context, Task
from tasks.extrinsic.cell import AnswerKey, PreparedTask, evaluate_texts
from tasks.extrinsic.columns import SplitColumns, TaskColumns
from tasks.extrinsic.examples import TextExamples, padded
from tasks.extrinsic.networks import Network, PairNetwork, SentenceNetwork, SharedPairNetwork
from tasks.extrinsic.table import VectorTable
from tasks.extrinsic.training import Splits
from tasks.results import Mode, TaskResult
from tasks.vectors import Embedding

MakeNetwork = Callable[[int, int], Network]


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
        encoded = {name: _encode(part, table, device) for name, part in found.parts.items()}
        return PreparedTask(
            make_network(dimensions, len(found.labels)),
            Splits(**encoded),
            *(AnswerKey(found.parts[name].labels, found.labels) for name in ("dev", "test")),
        )

    return evaluate_texts(task, embedding, mode, context, prepare)


def _encode(part: SplitColumns, table: VectorTable, device: torch.device) -> TextExamples:
    rows = [padded(table.rows[texts.tokens], texts.offsets) for texts in part.texts]
    return TextExamples(
        texts=tuple(torch.from_numpy(ids).to(device) for ids, _ in rows),
        lengths=tuple(torch.from_numpy(lengths).to(device) for _, lengths in rows),
        labels=torch.from_numpy(part.labels).to(device),
        host_lengths=tuple(lengths for _, lengths in rows),
    )
