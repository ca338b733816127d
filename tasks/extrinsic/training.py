"""The training loop for all seeds of a cell together."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tasks.extrinsic.examples import Examples, Ints
from tasks.extrinsic.networks import Network, Stream
from tasks.extrinsic.optimisers import FrozenVectors, TunedVectors, Vectors, WeightAverage, WeightOptimiser
from tasks.processes import Progress
from tasks.results import Mode
from tasks.suite import TrainingSettings
from tasks.vectors import Matrix

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""``M_TRIM_THRESHOLD`` and ``M_MMAP_THRESHOLD`` of glibc's mallopt."""
_KEPT, _LARGEST = 512 << 20, 32 << 20
"""Bytes: free memory kept at the heap's end; the largest block allocated in the heap (glibc's maximum)."""
Score = Callable[[NDArray[np.int64]], float]
"""Metric of one seed's predictions on dev, shape (n,), higher is better."""
_TEST_BATCH = 1024
_REPORTS = 50
"""Most progress reports of a training of known length."""


@contextmanager
def kept_between_steps() -> Iterator[None]:
    """Keep freed memory in the process; return it to the system at exit.

    Every training step allocates and frees the same large arrays. By default glibc returns them to the kernel, and each
    step waits for new pages, above all recurrent networks with several seeds. Does nothing with other C libraries.
    """
    try:
        library = ctypes.CDLL(None)
        mallopt, trim = library.mallopt, library.malloc_trim
    except (OSError, TypeError, AttributeError):
        yield
        return
    mallopt(_TRIM_THRESHOLD, _KEPT)
    mallopt(_MMAP_THRESHOLD, _LARGEST)
    try:
        yield
    finally:
        trim(ctypes.c_size_t(0))


@dataclass(frozen=True)
class Splits:
    """Examples of the three splits, on the device."""

    train: Examples
    dev: Examples
    test: Examples


@dataclass
class TrainedSeed:
    """The training of one seed.

    ``scored_epoch`` is the epoch, from 1, of the weights that predict: the best by dev with early stopping, else the
    last. ``dev`` lists the dev score after every epoch; ``predictions`` are the classes of the test examples, shape
    (n,).
    """

    seed: int
    scored_epoch: int = 0
    dev: list[float] = field(default_factory=list)
    predictions: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @property
    def scored_dev(self) -> float:
        """Dev score of the weights that predict."""
        return self.dev[self.scored_epoch - 1]


@dataclass
class Training:
    """All seeds of a cell, and the cost of the epochs."""

    seeds: list[TrainedSeed]
    seconds: float
    epochs_seconds: list[float]


class Learner:
    """Stacked weights of the seeds still training, with their vectors and optimisers."""

    def __init__(self, network: Network, weights: list[Tensor], vectors: Vectors, settings: TrainingSettings) -> None:
        self.network = network
        self.weights = weights
        self.vectors = vectors
        self.optimiser = WeightOptimiser(weights, settings, network.dense)
        self.average = WeightAverage(weights, settings.averaging) if settings.averaging else None

    @property
    def places(self) -> int:
        return len(self.weights[0])

    def set_rates(self, share: float) -> None:
        """Set every rate to a share of its setting."""
        self.optimiser.set_rate(share)
        self.vectors.set_rate(share)

    def scored_weights(self) -> list[Tensor]:
        """The weights that predict."""
        return self.weights if self.average is None else self.average.weights()

    def step(self, examples: Examples, index: Tensor, host_index: Ints, mask: Tensor) -> None:
        """One update of every seed with its own batch, index (S, B); mask of 0 and 1, (S, B, dropout_width)."""
        batch = examples.batch(index, host_index, self.vectors.offsets(self.places))
        vectors = self.vectors.gather(batch.ids)
        leaves = [weight.detach().requires_grad_() for weight in self.weights]
        logits = self.network.logits(leaves, vectors, batch, mask.to(vectors.dtype).mul_(2))
        labels = examples.labels.index_select(0, index.reshape(-1))
        # A sum over seeds of means over examples, so that the seeds' gradients are independent.
        loss = functional.cross_entropy(logits.flatten(end_dim=1), labels, reduction="sum") / index.shape[1]
        wanted = [*leaves, vectors] if self.vectors.tuned else leaves
        grads = list(torch.autograd.grad(loss, wanted))
        if self.vectors.tuned:
            self.vectors.update(batch.ids, grads.pop())
        self.optimiser.step(self.weights, grads)
        if self.average is not None:
            self.average.take(self.weights)

    @torch.no_grad()
    def predict(self, examples: Examples, weights: list[Tensor]) -> NDArray[np.int64]:
        """Most probable classes, shape (S, n)."""
        orders = np.tile(np.arange(len(examples)), (self.places, 1))
        orders, slices = examples.plan(orders, _TEST_BATCH, None)
        index = torch.from_numpy(orders).to(examples.labels.device)
        predicted = torch.empty_like(index)
        offsets = self.vectors.offsets(self.places)
        for cut in slices:
            batch = examples.batch(index[:, cut], orders[:, cut], offsets)
            logits = self.network.logits(weights, self.vectors.gather(batch.ids).detach(), batch, None)
            predicted.scatter_(1, index[:, cut], logits.argmax(dim=-1))
        return predicted.cpu().numpy()

    def keep(self, places: Sequence[int]) -> None:
        """Drop the other seeds."""
        kept = torch.tensor(places, dtype=torch.int64, device=self.weights[0].device)
        self.weights = [weight.index_select(0, kept) for weight in self.weights]
        self.optimiser.keep(kept)
        self.vectors.keep(kept)
        if self.average is not None:
            self.average.keep(kept)


def train(
    network: Network,
    table: Matrix,
    splits: Splits,
    settings: TrainingSettings,
    *,
    task: str,
    mode: Mode,
    seeds: Sequence[int],
    score: Score,
    device: torch.device,
    progress: Progress,
) -> Training:
    """Train every seed and predict test (docs/protocol.md §2.4, §2.6).

    With patience, each seed stops after that many epochs without a better dev score, and its best epoch's weights
    predict. Without, the number of steps is known in advance, every rate falls linearly to zero, and the last weights
    predict.

    Parameters
    ----------
    network : declares the weights and computes class scores.
    table : float32, shape (R, D): ``<pad>``, ``<unk>`` and the task's rows.
    splits : the examples, on ``device``.
    settings : optimiser, rates, batch, epochs, patience.
    task, mode, seeds : select the random streams.
    score : metric on dev; of equal epochs the first is best.
    """
    began = time.perf_counter()
    streams = [Stream(task, mode, seed) for seed in seeds]
    order = _Order(streams, Stream(task, mode, "order of batches"), settings.batch, device)
    learner = _beginner(network, torch.from_numpy(table).to(device), settings, streams, mode)
    trained = [TrainedSeed(seed) for seed in seeds]
    cell = _Cell(learner, order, splits, settings, trained, score, progress)
    epochs_seconds = cell.train_for_a_budget() if settings.patience is None else cell.train_until_none_improves()
    return Training(trained, time.perf_counter() - began, epochs_seconds)


@dataclass(frozen=True)
class _Cell:
    """All seeds of a cell; both ways of training return the seconds of every epoch."""

    learner: Learner
    order: _Order
    splits: Splits
    settings: TrainingSettings
    seeds: list[TrainedSeed]
    score: Score
    progress: Progress

    def train_for_a_budget(self) -> list[float]:
        """Train for a fixed number of steps with falling rates."""
        learner, splits, epochs = self.learner, self.splits, self.settings.max_epochs
        epochs_seconds: list[float] = []
        batches = -(-len(splits.train) // self.settings.batch)
        steps, dev = epochs * batches, ""
        for epoch in range(1, epochs + 1):
            began = time.perf_counter()
            for nth, batch in enumerate(self.order.batches(learner, splits.train, range(len(self.seeds)))):
                done = (epoch - 1) * batches + nth
                if done * _REPORTS // steps > (done - 1) * _REPORTS // steps:
                    self.progress(done / steps, f"epoch {epoch} of {epochs}{dev}")
                learner.set_rates(1 - done / steps)
                learner.step(splits.train, *batch)
            for seed, predicted in zip(self.seeds, learner.predict(splits.dev, learner.scored_weights()), strict=True):
                seed.dev.append(self.score(predicted))
                seed.scored_epoch = epoch
            dev = f", dev score {np.mean([seed.scored_dev for seed in self.seeds]):.4f}"
            epochs_seconds.append(time.perf_counter() - began)
        for seed, predicted in zip(self.seeds, learner.predict(splits.test, learner.scored_weights()), strict=True):
            seed.predictions = predicted
        return epochs_seconds

    def train_until_none_improves(self) -> list[float]:
        """Train with early stopping per seed; the weights of the best epoch predict."""
        learner, splits, seeds = self.learner, self.splits, self.seeds
        epochs_seconds: list[float] = []
        patience = self.settings.patience or 0
        best = _Snapshots(learner)
        active = list(range(len(seeds)))
        for epoch in range(1, self.settings.max_epochs + 1):
            began = time.perf_counter()
            for batch in self.order.batches(learner, splits.train, active):
                learner.step(splits.train, *batch)
            _score_epoch(learner, splits.dev, {i: seeds[i] for i in active}, best, epoch, self.score)
            epochs_seconds.append(time.perf_counter() - began)
            still = [place for place, i in enumerate(active) if epoch - seeds[i].scored_epoch < patience]
            # The last seed stops at its best epoch + patience or later: an upper bound of the share.
            end = min(max(seed.scored_epoch for seed in seeds) + patience, self.settings.max_epochs)
            dev = np.mean([seed.scored_dev for seed in seeds])
            self.progress(min(epoch / end, 1.0), f"epoch {epoch}, best dev score {dev:.4f}")
            if len(still) < len(active):
                active = [active[place] for place in still]
                if not active:
                    break
                learner.keep(still)
        for seed, predicted in zip(seeds, best.predict(learner.network, splits.test, self.settings), strict=True):
            seed.predictions = predicted
        return epochs_seconds


def _beginner(
    network: Network, rows: Tensor, settings: TrainingSettings, streams: Sequence[Stream], mode: Mode
) -> Learner:
    """All seeds in their initial state, on the device of the rows."""
    stacked = [torch.stack(parts).to(rows.device) for parts in zip(*map(network.initial, streams), strict=True)]
    vectors = FrozenVectors(rows) if mode == "fixed" else TunedVectors(rows, len(streams), settings)
    return Learner(network, stacked, vectors, settings)


def _score_epoch(
    learner: Learner, dev: Examples, active: dict[int, TrainedSeed], best: _Snapshots, epoch: int, score: Score
) -> None:
    """Score dev for every active seed, by its number, and take a snapshot of each new best."""
    weights = learner.scored_weights()
    predictions = learner.predict(dev, weights)
    for place, (i, seed) in enumerate(active.items()):
        seed.dev.append(score(predictions[place]))
        if seed.scored_epoch == 0 or seed.dev[-1] > seed.scored_dev:
            seed.scored_epoch = epoch
            best.take(learner, weights, place, i)


@dataclass(frozen=True)
class _Order:
    """Order of examples and dropout masks of every seed.

    Parameters
    ----------
    streams : one per seed.
    shared : order of batches of similar lengths, common to all seeds.
    """

    streams: list[Stream]
    shared: Stream
    batch: int
    device: torch.device

    def batches(
        self, learner: Learner, examples: Examples, active: Sequence[int]
    ) -> Iterator[tuple[Tensor, Ints, Tensor]]:
        """Batches of one epoch of the active seeds, as arguments of :meth:`Learner.step`."""
        streams = [self.streams[i] for i in active]
        orders = np.stack([stream.permutation(len(examples)) for stream in streams])
        width = learner.network.dropout_width
        masks = torch.stack([stream.dropout_masks(len(examples), width) for stream in streams]).to(self.device)
        orders, slices = examples.plan(orders, self.batch, self.shared)
        index = torch.from_numpy(orders).to(self.device)
        for cut in slices:
            yield index[:, cut], orders[:, cut], masks[:, cut]


class _Snapshots:
    """Each seed's weights (and vectors, if trained) at its best epoch so far."""

    def __init__(self, learner: Learner) -> None:
        self.weights = [weight.clone() for weight in learner.weights]
        self.vectors = learner.vectors
        self.tables: Tensor | None = None
        if isinstance(learner.vectors, TunedVectors):
            self.tables = learner.vectors.table.view(learner.places, learner.vectors.rows, -1).clone()

    def take(self, learner: Learner, weights: list[Tensor], place: int, seed: int) -> None:
        for kept, weight in zip(self.weights, weights, strict=True):
            kept[seed].copy_(weight[place])
        if self.tables is not None:
            self.tables[seed].copy_(learner.vectors.of_seed(place))

    def predict(self, network: Network, examples: Examples, settings: TrainingSettings) -> NDArray[np.int64]:
        """Classes by each seed's best weights, shape (S, n)."""
        if self.tables is not None and isinstance(self.vectors, TunedVectors):
            self.vectors.table = self.tables.flatten(end_dim=1)
        return Learner(network, self.weights, self.vectors, settings).predict(examples, self.weights)
