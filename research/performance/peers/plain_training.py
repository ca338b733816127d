"""A plain implementation of docs/protocol.md §2.4: one seed at a time, padded texts, dense gradients.

It shares the readers, splits and metrics with the project, but no training code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from research.performance.peers.plain_networks import Plain, PlainPair, PlainSentence, PlainSharedPair, PlainWindow
from research.performance.peers.plain_spans import span_counts
from tasks.base import Task
from tasks.datasets.examples import split
from tasks.datasets.store import DataStore
from tasks.extrinsic.families import shape_of
from tasks.metrics import SPAN_F1
from tasks.metrics.spans import f1_of_counts
from tasks.results import Mode
from tasks.suite import Suite
from tasks.vectors import UNKNOWN, Embedding

PAD, UNK = 0, 1


@dataclass
class Part:
    """One split: the network's input, one row per example; labels; the tags of each sentence, if any."""

    inputs: list[Tensor]
    labels: Tensor
    sentences: list[list[str]]


class PlainCell:
    """One task in one mode.

    Parameters
    ----------
    batch : examples per step.
    """

    def __init__(
        self,
        embedding: Embedding,
        suite: Suite,
        task: Task,
        mode: Mode,
        data: DataStore,
        batch: int,
    ) -> None:
        self.suite, self.task, self.mode, self.batch = suite, task, mode, batch
        self.settings = suite.training_for(task, mode)
        self.table = whole_table(embedding, suite)
        parts = split(data.load(task.dataset), task.options["split"])
        self.classes = sorted({label for part in parts.values() for example in part for label in labels_of(example)})
        words = sorted(
            {word for part in parts.values() for example in part for text in texts_of(example) for word in text}
        )
        rows = suite.look_up.rows(embedding, words)
        self.ids = {word: UNK if row == UNKNOWN else int(row) + 2 for word, row in zip(words, rows, strict=True)}
        # Only rows that the task can use: Adagrad does not change a row whose gradient is zero.
        touched = sorted({PAD, UNK, *self.ids.values()})
        place = {row: i for i, row in enumerate(touched)}
        self.table = self.table[touched]
        self.ids = {word: place[row] for word, row in self.ids.items()}
        self.parts = {name: self._part(examples) for name, examples in parts.items()}

    def start(self, seed: int) -> tuple[Plain, list[torch.optim.Optimizer]]:
        """A fresh network and its optimisers."""
        torch.manual_seed(seed)
        tuned = self.mode == "fine-tuned"
        network: Plain
        if self.task.family.id == "window":
            features = 25 if self.task.options.get("shapes") else 0
            network = PlainWindow(self.table, tuned, len(self.classes), features)
        else:
            kinds = {"sentence": PlainSentence, "pair": PlainPair, "shared-pair": PlainSharedPair}
            network = kinds[self.task.family.id](self.table, tuned, len(self.classes))
        optimisers: list[torch.optim.Optimizer] = [torch.optim.Adam(network.network(), self.settings.learning_rate)]
        if tuned:
            assert self.settings.vector_learning_rate is not None
            optimisers.append(torch.optim.Adagrad(network.vectors.parameters(), self.settings.vector_learning_rate))
        self.steps = 0
        return network, optimisers

    def epoch(self, network: Plain, optimisers: list[torch.optim.Optimizer]) -> None:
        """One pass in random order."""
        network.train()
        train = self.parts["train"]
        order = torch.randperm(len(train.labels))
        for start in range(0, len(order), self.batch):
            chosen = order[start : start + self.batch]
            loss = nn.functional.cross_entropy(network(*(x[chosen] for x in train.inputs)), train.labels[chosen])
            for optimiser in optimisers:
                optimiser.zero_grad(set_to_none=False)
            loss.backward()  # type: ignore[no-untyped-call]
            for optimiser, rate in zip(optimisers, self.rates(), strict=False):
                optimiser.param_groups[0]["lr"] = rate
                optimiser.step()
            self.steps += 1

    @property
    def steps_per_epoch(self) -> int:
        return -(-len(self.parts["train"].labels) // self.batch)

    @torch.no_grad()
    def predict(self, network: Plain, part: Part) -> Tensor:
        """Classes of every example."""
        network.eval()
        cuts = range(0, len(part.labels), 1024)
        logits = [network(*(x[cut : cut + 1024] for x in part.inputs)) for cut in cuts]
        return torch.cat(logits).argmax(dim=1)

    def score(self, network: Plain, name: str) -> float:
        """The task's metric."""
        part = self.parts[name]
        predicted = self.predict(network, part)
        if self.task.metric is not SPAN_F1:
            return float((predicted == part.labels).double().mean())
        counts, place = np.zeros(3), 0
        for tags in part.sentences:
            tags_predicted = [self.classes[i] for i in predicted[place : place + len(tags)].tolist()]
            counts += span_counts(tags, tags_predicted)
            place += len(tags)
        return float(f1_of_counts(*counts))

    def rates(self) -> list[float]:
        """Rates of the network and of the vectors at this step; without patience they fall linearly to zero."""
        whole = self.settings.max_epochs * self.steps_per_epoch
        left = 1 - self.steps / whole if self.settings.patience is None else 1.0
        return [left * rate for rate in (self.settings.learning_rate, self.settings.vector_learning_rate or 0.0)]

    def train(self, seed: int) -> float:
        """Test score after the last epoch; with patience, at the best dev epoch (the first, if tied)."""
        network, optimisers = self.start(seed)
        patience, last = self.settings.patience, self.settings.max_epochs
        best, best_epoch, test = -1.0, 0, 0.0
        for epoch in range(1, last + 1):
            self.epoch(network, optimisers)
            if patience is None and epoch < last:
                continue
            dev = self.score(network, "dev")
            if dev > best:
                best, best_epoch, test = dev, epoch, self.score(network, "test")
            if patience is not None and epoch - best_epoch >= patience:
                break
        return test

    def _part(self, examples: list[Any]) -> Part:
        number = {label: i for i, label in enumerate(self.classes)}
        labels = torch.tensor([number[label] for example in examples for label in labels_of(example)])
        if self.task.family.id == "window":
            return Part(self._windows(examples), labels, [list(example.tags) for example in examples])
        limit = int(self.task.options["limit"])
        inputs = []
        for column in zip(*(texts_of(example) for example in examples), strict=True):
            ids = [[self.ids[word] for word in text[:limit]] or [UNK] for text in column]
            inputs.append(torch.tensor([row + [PAD] * (limit - len(row)) for row in ids]))
            inputs.append(torch.tensor([len(row) for row in ids]))
        return Part(inputs, labels, [])

    def _windows(self, sentences: list[Any]) -> list[Tensor]:
        windows, features = [], []
        one_hot = torch.eye(6)[:, :5]
        for sentence in sentences:
            ids = [PAD, PAD, *(self.ids[word] for word in sentence.words), PAD, PAD]
            shapes = [5, 5, *(shape_of(word) for word in sentence.words), 5, 5]
            windows += [ids[i : i + 5] for i in range(len(sentence.words))]
            features += [shapes[i : i + 5] for i in range(len(sentence.words))]
        if not self.task.options.get("shapes"):
            return [torch.tensor(windows)]
        return [torch.tensor(windows), one_hot[torch.tensor(features)].flatten(start_dim=1)]


def whole_table(embedding: Embedding, suite: Suite) -> Tensor:
    """``<pad>``, ``<unk>`` (the mean) and every vector of the file, scaled to the suite's standard deviation."""
    matrix = np.asarray(embedding.matrix, dtype=np.float64)
    special = np.stack([np.zeros(matrix.shape[1]), matrix.mean(axis=0)])
    factor = 1.0 if suite.scale is None else suite.scale / matrix.std()
    return torch.from_numpy((np.concatenate([special, matrix]) * factor).astype(np.float32))


def labels_of(example: Any) -> tuple[str, ...]:
    return tuple(example.tags) if hasattr(example, "tags") else (example.label,)


def texts_of(example: Any) -> tuple[tuple[str, ...], ...]:
    return (example.first, example.second) if hasattr(example, "first") else (example.words,)
