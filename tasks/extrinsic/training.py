"""The training loop for all seeds of a cell together."""

from __future__ import annotations

import ctypes
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tasks.extrinsic.examples import Batches, Examples, Key
from tasks.extrinsic.executor import Executor, ahead, in_turn, masks_of, on_device
from tasks.extrinsic.networks import Network, Stream
from tasks.extrinsic.optimisers import Segments, TunedVectors, Vectors, WeightOptimiser
from tasks.processes import Progress
from tasks.results import Mode
from tasks.suite import TrainingSettings
from tasks.vectors import Matrix

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""``M_TRIM_THRESHOLD`` and ``M_MMAP_THRESHOLD`` of glibc's mallopt."""
_FREE_BYTES, _LARGEST = 512 << 20, 32 << 20
"""Bytes: free memory kept at the heap's end; the largest block allocated in the heap (glibc's maximum)."""
Score = Callable[[NDArray[np.int64]], float]
"""Metric of one seed's predictions on dev, shape (n,), higher is better."""
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
    mallopt(_TRIM_THRESHOLD, _FREE_BYTES)
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


Epoch = tuple[Batches, list[NDArray[np.uint8]]]
"""The batches of one epoch, and every seed's dropout masks as packed bits, shape (n, bytes)."""


class Learner:
    """Stacked weights of the seeds still training, their vectors and optimisers, and the epoch that they read.

    A step decides nothing on the host but the shape of its batch: orders, masks and rates lie in tensors that keep
    their places, and a counter on the device says which batch is next. So its kernels can be recorded and replayed.
    """

    def __init__(
        self, network: Network, examples: Examples, weights: list[Tensor], vectors: Vectors, settings: TrainingSettings
    ) -> None:
        device, n, batches = weights[0].device, len(examples), -(-len(examples) // settings.batch)
        self.network = network
        self.examples = examples
        self.weights = weights
        self.vectors = vectors
        self.optimiser = WeightOptimiser(weights, settings, network.dense)
        self.uses_segments = device.type != "cpu"
        steps = settings.max_epochs * batches
        shares = 1 - np.arange(steps) / steps if settings.patience is None else np.ones(steps)
        rates = np.outer(shares, [settings.learning_rate, settings.vector_learning_rate or 0.0])
        self.rates = torch.from_numpy(rates).to(device, torch.float64 if device.type == "cpu" else torch.float32)
        self.starts = torch.zeros(batches, dtype=torch.int64, device=device)
        self.number_in_key = torch.zeros_like(self.starts)
        self.places = torch.arange(settings.batch, device=device)
        self.at = torch.zeros(2, dtype=torch.int64, device=device)
        """Batches read in this epoch, and steps made."""
        self._count_seeds(len(weights[0]), n)

    def _count_seeds(self, seeds: int, n: int) -> None:
        device = self.places.device
        self.orders = torch.zeros((seeds, n), dtype=torch.int64, device=device)
        self.masks = torch.zeros((seeds, n, self.network.dropout_width), dtype=torch.uint8, device=device)
        self.segments: dict[Key, Segments] = {}

    def load(self, epoch: Epoch) -> None:
        """Read another epoch from the next step on."""
        (plan, of_seeds), device = epoch, self.places.device
        self.orders.copy_(on_device(plan.orders, device))
        self.starts.copy_(on_device(plan.starts, device))
        for masks, bits in zip(self.masks, of_seeds, strict=True):
            masks.copy_(masks_of(bits, self.network.dropout_width, device))
        self.at[0].zero_()
        if self.uses_segments and isinstance(self.vectors, TunedVectors):
            self._find_segments(plan)

    def _find_segments(self, plan: Batches) -> None:
        batches_of: dict[Key, list[int]] = {}
        number = np.zeros(len(plan.keys), dtype=np.int64)
        for batch, key in enumerate(plan.keys):
            number[batch] = len(batches_of.setdefault(key, []))
            batches_of[key].append(batch)
        self.number_in_key.copy_(on_device(number, self.places.device))
        for key, batches in batches_of.items():
            places = plan.starts[batches][:, None] + np.arange(key[0])
            index = self.orders.index_select(1, on_device(places.reshape(-1), self.places.device))
            ids = self.examples.batch(index, key, self.vectors.offsets).ids
            dim = 1 if len(key) == 1 else 2  # of the examples of a batch, see Batch.ids
            of_batches = ids.view(*ids.shape[:dim], len(batches), key[0], *ids.shape[dim + 1 :]).movedim(dim, 0)
            segments = Segments.of(of_batches.flatten(start_dim=1))
            for target, part in zip(self.segments.setdefault(key, segments), segments, strict=True):
                target.copy_(part)

    def step(self, key: Key) -> None:
        """One update of every seed with its own batch, the next of the epoch."""
        batch_number, step = self.at[:1], self.at[1:]
        places = self.starts.index_select(0, batch_number) + self.places[: key[0]]
        index = self.orders.index_select(1, places)
        mask = self.masks.index_select(1, places)
        labels = self.examples.labels.index_select(0, index.view(-1)).view(index.shape)
        rate, rate_of_vectors = self.rates.index_select(0, step)[0].unbind()
        batch = self.examples.batch(index, key, self.vectors.offsets)
        vectors, tuned = self.vectors.gather(batch.ids), isinstance(self.vectors, TunedVectors)
        grads = self.network.gradients(self.weights, vectors, batch, mask, labels, tuned=tuned)
        if isinstance(self.vectors, TunedVectors):
            grad, sums = grads.pop(), None
            if self.uses_segments:
                number = self.number_in_key.index_select(0, batch_number)
                sums = self.segments[key].sums(number, grad.flatten(end_dim=-2))
            self.vectors.update(batch.ids, grad, rate_of_vectors, sums)
        self.optimiser.step(self.weights, grads, rate)
        self.at.add_(1)

    def keep(self, places: Sequence[int]) -> None:
        """Drop the other seeds."""
        indices = torch.tensor(places, dtype=torch.int64, device=self.places.device)
        self.weights = [weight.index_select(0, indices) for weight in self.weights]
        self.optimiser.keep(indices)
        self.vectors.keep(indices)
        self._count_seeds(len(places), self.orders.shape[1])


def predict(network: Network, weights: list[Tensor], vectors: Vectors, examples: Examples) -> NDArray[np.int64]:
    """Most probable classes by each seed's weights, shape (S, n)."""
    orders = np.tile(np.arange(len(examples)), (len(weights[0]), 1))
    plan = examples.plan(orders, examples.test_batch, None)
    index = on_device(plan.orders, weights[0].device)
    predicted = torch.empty_like(index)
    for start, key in zip(plan.starts.tolist(), plan.keys, strict=True):
        some = index[:, start : start + key[0]]
        batch = examples.batch(some, key, vectors.offsets)
        logits = network.logits(weights, vectors.gather(batch.ids), batch, None)
        predicted.scatter_(1, some, logits.argmax(dim=-1))
    return predicted.cpu().numpy()


@torch.no_grad()
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
    make_executor: Callable[[Callable[[Key], None], torch.device], Executor] = Executor,
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
    order = _Order(streams, Stream(task, mode, "order of batches"), splits.train, settings.batch, network.dropout_width)
    with in_turn(device):
        rows = torch.from_numpy(table).to(device)
        weights = [torch.stack(parts).to(device) for parts in zip(*map(network.initial, streams), strict=True)]
        vectors = Vectors(rows) if mode == "fixed" else TunedVectors(rows, len(streams), settings)
        learner = Learner(network, splits.train, weights, vectors, settings)
    trained = [TrainedSeed(seed) for seed in seeds]
    cell = _Cell(learner, make_executor(learner.step, device), order, splits, settings, trained, score, progress)
    epochs_seconds = cell.train_for_a_budget() if settings.patience is None else cell.train_until_none_improves()
    return Training(trained, time.perf_counter() - began, epochs_seconds)


@dataclass(frozen=True)
class _Cell:
    """All seeds of a cell; both ways of training return the seconds of every epoch."""

    learner: Learner
    executor: Executor
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
        steps, reported, dev = len(learner.rates), -1, ""
        orders = ahead(partial(self.order.epoch, range(len(self.seeds))), epochs, self.executor.device)
        for epoch, order in enumerate(orders, start=1):
            began = time.perf_counter()
            for step in self._run(order):
                done = (epoch - 1) * len(learner.starts) + step
                if done * _REPORTS // steps > reported:
                    reported = done * _REPORTS // steps
                    self.progress(done / steps, f"epoch {epoch} of {epochs}{dev}")
            for seed, predicted in zip(self.seeds, self._predict(splits.dev), strict=True):
                seed.dev.append(self.score(predicted))
                seed.scored_epoch = epoch
            dev = f", dev score {np.mean([seed.scored_dev for seed in self.seeds]):.4f}"
            epochs_seconds.append(time.perf_counter() - began)
        for seed, predicted in zip(self.seeds, self._predict(splits.test), strict=True):
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
            deque(self._run(self.order.epoch(active)), maxlen=0)
            predictions = self._predict(splits.dev)
            for place, i in enumerate(active):
                seeds[i].dev.append(self.score(predictions[place]))
                if seeds[i].scored_epoch == 0 or seeds[i].dev[-1] > seeds[i].scored_dev:
                    seeds[i].scored_epoch = epoch
                    best.take(learner, place, i)
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
                with in_turn(self.executor.device):
                    learner.keep(still)
                self.executor.forget()
        with in_turn(self.executor.device):
            predictions = predict(learner.network, best.weights, best.vectors, splits.test)
        for seed, predicted in zip(seeds, predictions, strict=True):
            seed.predictions = predicted
        return epochs_seconds

    def _run(self, epoch: Epoch) -> Iterator[int]:
        with in_turn(self.executor.device):
            self.learner.load(epoch)
        return self.executor.run(epoch[0].keys)

    def _predict(self, examples: Examples) -> NDArray[np.int64]:
        with in_turn(self.executor.device):
            learner = self.learner
            return predict(learner.network, learner.weights, learner.vectors, examples)


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
    examples: Examples
    batch: int
    dropout_width: int

    def epoch(self, active: Sequence[int]) -> Epoch:
        """The next epoch of the active seeds."""
        n, streams = len(self.examples), [self.streams[i] for i in active]
        orders = np.stack([stream.permutation(n) for stream in streams])
        bits = [stream.dropout_bits(n, self.dropout_width) for stream in streams]
        return self.examples.plan(orders, self.batch, self.shared), bits


class _Snapshots:
    """Each seed's weights (and vectors, if trained) at its best epoch so far."""

    def __init__(self, learner: Learner) -> None:
        self.weights = [weight.clone() for weight in learner.weights]
        self.vectors = learner.vectors
        if isinstance(learner.vectors, TunedVectors):
            self.vectors = Vectors(learner.vectors.table.clone(), learner.vectors.rows)

    def take(self, learner: Learner, place: int, seed: int) -> None:
        """Keep what the seed has now; ``place``: in the learner's stack."""
        for copy, weight in zip(self.weights, learner.weights, strict=True):
            copy[seed].copy_(weight[place])
        if learner.vectors.offsets is not None:
            self.vectors.of_seed(seed).copy_(learner.vectors.of_seed(place))
