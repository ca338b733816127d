"""Sentence and pair families: sentiment, questions; phrase and lexical inference (Nayak et al. 2016, §5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import torch

from tasks.base import Context, Task
from tasks.datasets.examples import LabelledPair, LabelledText
from tasks.extrinsic.cell import AnswerKey, PreparedTask, Texts, evaluate_texts, labels_of
from tasks.extrinsic.examples import TextExamples, padded
from tasks.extrinsic.networks import Network, PairNetwork, SentenceNetwork, SharedPairNetwork
from tasks.extrinsic.table import UNK, VectorTable
from tasks.extrinsic.training import Splits
from tasks.results import Mode, TaskResult
from tasks.vectors import Embedding

MakeNetwork = Callable[[int, int], Network]
Labelled = TypeVar("Labelled", LabelledText, LabelledPair)


def evaluate_sentence(task: Task, embedding: Embedding, mode: Mode, context: Context) -> TaskResult:
    """Train an LSTM on labelled texts; see :meth:`tasks.base.Family.evaluate`."""
    limit = int(task.options["limit"])
    return _evaluate(task, embedding, mode, context, SentenceNetwork, LabelledText, lambda e: (e.words[:limit],))


def evaluate_pair(task: Task, embedding: Embedding, mode: Mode, context: Context) -> TaskResult:
    """Train two LSTMs on labelled pairs of texts; see :meth:`tasks.base.Family.evaluate`."""
    return _evaluate_pairs(task, embedding, mode, context, PairNetwork)


def evaluate_shared_pair(task: Task, embedding: Embedding, mode: Mode, context: Context) -> TaskResult:
    """Train one LSTM for both texts of labelled pairs; see :meth:`tasks.base.Family.evaluate`."""
    return _evaluate_pairs(task, embedding, mode, context, SharedPairNetwork)


def _evaluate_pairs(
    task: Task, embedding: Embedding, mode: Mode, context: Context, kind: type[PairNetwork]
) -> TaskResult:
    limit, hidden = int(task.options["limit"]), task.family.number("hidden")

    def network(dimensions: int, classes: int) -> Network:
        return kind(dimensions, classes, hidden)

    return _evaluate(
        task, embedding, mode, context, network, LabelledPair, lambda e: (e.first[:limit], e.second[:limit])
    )


def _evaluate(
    task: Task,
    embedding: Embedding,
    mode: Mode,
    context: Context,
    make_network: MakeNetwork,
    form: type[Labelled],
    texts: Callable[[Labelled], Texts],
) -> TaskResult:
    def prepare(
        splits: dict[str, list[Labelled]], table: VectorTable, dimensions: int, device: torch.device
    ) -> PreparedTask:
        labels = labels_of(splits, lambda example: (example.label,))
        encoded = {name: _encode(part, table, labels, texts, device) for name, part in splits.items()}
        return PreparedTask(
            make_network(dimensions, len(labels)),
            Splits(encoded["train"], encoded["dev"], encoded["test"]),
            AnswerKey(encoded["dev"].labels.cpu().numpy(), tuple(labels)),
            AnswerKey(encoded["test"].labels.cpu().numpy(), tuple(labels)),
            [text for example in splits["test"] for text in texts(example)],
        )

    return evaluate_texts(task, embedding, mode, context, form, texts, prepare)


def _encode(
    examples: list[Labelled],
    table: VectorTable,
    labels: dict[str, int],
    texts: Callable[[Labelled], Texts],
    device: torch.device,
) -> TextExamples:
    """Encode the texts; an empty text becomes one ``<unk>`` (PROTOCOL.md §2)."""
    columns = zip(*(texts(example) for example in examples), strict=True)
    rows = [padded([[table.ids[word] for word in text] or [UNK] for text in column]) for column in columns]
    gold = np.array([labels[example.label] for example in examples], dtype=np.int64)
    return TextExamples(
        texts=tuple(torch.from_numpy(ids).to(device) for ids, _ in rows),
        lengths=tuple(torch.from_numpy(lengths).to(device) for _, lengths in rows),
        labels=torch.from_numpy(gold).to(device),
        host_lengths=tuple(lengths for _, lengths in rows),
    )
