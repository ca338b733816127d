"""The GPU code path without a GPU.

Tensors on torch's ``meta`` device have shapes but no values, so an operation that needs a number on the host (``item``,
``unique``, ``nonzero``) cannot run there: a step that does never makes the host wait. And an executor whose recordings
are the recorded calls runs the same steps on the CPU.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from tasks.extrinsic import executor, networks
from tasks.extrinsic.examples import Examples, Key, TextExamples, WindowExamples
from tasks.extrinsic.executor import UNROLLED, Executor, masks_of
from tasks.extrinsic.networks import Network, PairNetwork, SentenceNetwork, SharedPairNetwork, Stream, WindowNetwork
from tasks.extrinsic.optimisers import Segments, TunedVectors, Vectors
from tasks.extrinsic.training import Learner, Splits, Training, train
from tasks.results import Mode
from tasks.suite import TrainingSettings

META, CPU = torch.device("meta"), torch.device("cpu")
ROWS, SIZE, CLASSES, SEEDS = 30, 8, 3, 3
SETTINGS = TrainingSettings(
    "adam", 1e-2, batch=16, max_epochs=4, vector_optimiser="sparse-adagrad", vector_learning_rate=1e-2
)
STOPPING = TrainingSettings(
    "rmsprop", 1e-2, batch=16, max_epochs=6, patience=1, l2_dense=1e-4,
    vector_optimiser="dense-rmsprop", vector_learning_rate=1e-3, l2_vectors=1e-4,
)  # fmt: skip
NETWORKS: dict[str, Network] = {
    "window": WindowNetwork(5 * SIZE, CLASSES, 0, hidden=50),
    "window with shapes": WindowNetwork(5 * SIZE, CLASSES, 25, hidden=50),
    "sentence": SentenceNetwork(SIZE, CLASSES),
    "pair": PairNetwork(SIZE, CLASSES, hidden=50),
    "shared-pair": SharedPairNetwork(SIZE, CLASSES, hidden=50),
}


def examples(family: str, n: int, longest: int = 6, device: torch.device = CPU) -> Examples:
    """Random ones of a family."""
    random = np.random.default_rng(n)

    def moved(array: Any) -> Tensor:
        return torch.from_numpy(np.asarray(array)).to(device)

    if family.startswith("window"):
        ids = random.integers(0, ROWS, (n, 5))
        shapes = random.integers(0, 2, (n, 25)).astype(np.float32) if "shapes" in family else None
        return WindowExamples(moved(ids), None if shapes is None else moved(shapes), moved(ids[:, 2] % CLASSES))
    texts = 1 if family == "sentence" else 2
    lengths = [random.integers(1, longest + 1, n) for _ in range(texts)]
    rows = [np.where(np.arange(longest) < of[:, None], random.integers(1, ROWS, (n, longest)), 0) for of in lengths]
    labels = rows[0][:, 0] % CLASSES
    return TextExamples(tuple(map(moved, rows)), tuple(map(moved, lengths)), moved(labels), tuple(lengths))


def some_table() -> np.ndarray:
    table = np.random.default_rng(3).normal(size=(ROWS, SIZE)).astype(np.float32)
    table[0] = 0.0
    return table


class Kernels(TorchDispatchMode):
    """Counts the kernels that a GPU would run for a block: operations that are neither views nor empty tensors."""

    count = 0

    def __torch_dispatch__(self, func: OpOverload, types: object, args: Any = (), kwargs: Any = None) -> object:
        name = func.overloadpacket.__name__
        if name == "_fused_adam_":  # it has no version for meta
            self.count += 1
            return None
        found = func(*args, **(kwargs or {}))
        memory = {part.untyped_storage()._cdata for part in tree_leaves((args, kwargs)) if isinstance(part, Tensor)}
        made = [part for part in tree_leaves(found) if isinstance(part, Tensor)]
        is_view = not func._schema.is_mutable and all(part.untyped_storage()._cdata in memory for part in made)
        if not is_view and "empty" not in name and name != "_unsafe_view":
            self.count += 2 if name == "baddbmm" else 1  # the bias is copied first
        return found


def one_kernel_cell(monkeypatch: pytest.MonkeyPatch, kernels: Kernels) -> None:
    """A GPU's fused LSTM cells, one kernel each."""

    def forward(gates: Tensor, c: Tensor, zeros: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        kernels.count += 1
        return torch.empty_like(c), torch.empty_like(c), gates

    def backward(dh: Tensor, dc: Tensor, before: Tensor, c: Tensor, gates: Tensor) -> tuple[Tensor, Tensor]:
        kernels.count += 1
        return torch.empty_like(gates), torch.empty_like(c)

    monkeypatch.setattr(networks, "_cell", forward)
    monkeypatch.setattr(networks, "_cell_backward", backward)


@pytest.mark.parametrize(
    ("family", "words", "fixed", "tuned"),
    [
        ("window", 0, 29, 49),
        ("window with shapes", 0, 33, 53),
        ("sentence", 19, 117, 138),
        ("shared-pair", 2, 78, 105),
        ("pair", 2, 81, 105),
    ],
)
@pytest.mark.parametrize("mode", ["fixed", "fine-tuned"])
def test_a_step_runs_without_a_number_on_the_host_and_in_so_many_kernels(
    family: str, words: int, fixed: int, tuned: int, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    network, some = NETWORKS[family], examples(family, 64, words, META)
    streams = [Stream("t", mode, seed) for seed in range(SEEDS)]
    weights = [torch.stack(parts).to(META) for parts in zip(*map(network.initial, streams), strict=True)]
    table = torch.from_numpy(some_table()).to(META)
    vectors = Vectors(table) if mode == "fixed" else TunedVectors(table, SEEDS, SETTINGS)
    learner = Learner(network, some, weights, vectors, SETTINGS)
    key = (16, *[words] * (0 if not words else 1 if family == "sentence" else 2))
    ids = some.batch(learner.orders[:, :16], key, vectors.offsets).ids
    learner.segments[key] = Segments.of(torch.zeros(4, ids.numel(), dtype=torch.int64, device=META))
    with torch.no_grad(), Kernels() as kernels:
        one_kernel_cell(monkeypatch, kernels)
        learner.step(key)
    assert kernels.count <= (fixed if mode == "fixed" else tuned)


class Recorded(Executor):
    """Replays by calling the recorded steps; counts the steps, and notes the memory that they use."""

    def __init__(self, step: Callable[[Key], None], device: torch.device) -> None:
        self.replays = 0
        super().__init__(step, device)
        self.replays_steps = True
        self.learner: Learner = step.__self__  # type: ignore[attr-defined]
        self.learner.uses_segments = True
        self.addresses: set[tuple[int, ...]] = set()
        self.steps: list[Key] = []
        self.step = self.noted
        RECORDED.append(self)

    def noted(self, key: Key) -> None:
        it = self.learner
        segments = [part for of_key in it.segments.values() for part in of_key]
        lasting = [
            *it.weights,
            *(part for figure in it.optimiser.state for part in figure),
            it.vectors.table,
            it.orders,
            it.masks,
            it.starts,
            *segments,
        ]
        self.addresses.add(tuple(part.data_ptr() for part in lasting))
        self.steps.append(key)
        Learner.step(it, key)

    def captured(self, key: Key, times: int) -> Callable[[], None]:
        def replay() -> None:
            self.replays += 1
            for _ in range(times):
                self.step(key)

        return replay


RECORDED: list[Recorded] = []


def trained(family: str, mode: Mode, settings: TrainingSettings, how: type[Executor], n: int = 150) -> Training:
    splits = Splits(*(examples(family, count) for count in (n, 40, 50)))
    labels = splits.dev.labels.numpy()
    return train(
        NETWORKS[family], some_table(), splits, settings, task="t", mode=mode, seeds=range(SEEDS), device=CPU,
        score=lambda predicted: float(np.mean(predicted == labels)), progress=lambda *_: None, make_executor=how,
    )  # fmt: skip


@pytest.fixture
def as_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """All seeds in every kernel, and no handle of a pool of CUDA's memory."""
    RECORDED.clear()
    monkeypatch.setattr(networks, "FEW_STEPS", 1000)
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: None)


@pytest.mark.usefixtures("as_on_a_gpu")
@pytest.mark.parametrize("settings", [SETTINGS, STOPPING], ids=["budget", "stopping"])
@pytest.mark.parametrize("mode", ["fixed", "fine-tuned"])
@pytest.mark.parametrize("family", NETWORKS)
def test_recorded_steps_learn_what_the_plain_loop_learns(
    family: str, mode: Mode, settings: TrainingSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To rounding, as rows of vectors are summed in another order, and LSTM states are from another implementation."""
    recorded = trained(family, mode, settings, Recorded)
    monkeypatch.setattr(networks, "FEW_STEPS", 4)
    plain = trained(family, mode, settings, Executor)
    for ours, theirs in zip(recorded.seeds, plain.seeds, strict=True):
        assert ours.dev == theirs.dev
        np.testing.assert_array_equal(ours.predictions, theirs.predictions)


@pytest.mark.usefixtures("as_on_a_gpu")
@pytest.mark.parametrize("mode", ["fixed", "fine-tuned"])
@pytest.mark.parametrize("family", ["window", "sentence", "shared-pair"])
def test_every_batch_is_read_once_by_steps_that_always_use_the_same_memory(family: str, mode: Mode) -> None:
    n = 700 if family == "window" else 150
    trained(family, mode, SETTINGS, Recorded, n)
    (it,) = RECORDED
    assert len(it.steps) == SETTINGS.max_epochs * -(-n // SETTINGS.batch) == int(it.learner.at[1])
    seen_first = len(set(it.steps))
    assert it.replays <= len(it.steps) - seen_first
    if family == "window":
        assert it.replays < len(it.steps) / UNROLLED * 2
    # The segments of a shape come with the first epoch; from then on nothing moves.
    assert len(it.addresses) == 1


@pytest.mark.usefixtures("as_on_a_gpu")
def test_a_replayed_training_has_the_bits_of_one_without_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    class Eager(Recorded):
        def __init__(self, step: Callable[[Key], None], device: torch.device) -> None:
            super().__init__(step, device)
            self.replays_steps = False

    for how in (Recorded, Eager):
        trained("sentence", "fine-tuned", SETTINGS, how)
    replayed, eager = (it.learner for it in RECORDED)
    assert RECORDED[0].replays > RECORDED[1].replays == 0
    assert torch.equal(replayed.vectors.table, eager.vectors.table)
    assert all(torch.equal(one, other) for one, other in zip(replayed.weights, eager.weights, strict=True))


def test_segments_sum_the_gradients_of_every_row() -> None:
    random = torch.Generator().manual_seed(4)
    ids, grad = torch.randint(0, 9, (3, 20), generator=random), torch.randn(20, 2, generator=random)
    segments = Segments.of(ids)
    for batch in range(3):
        rows, sums = segments.sums(torch.tensor([batch]), grad)
        count = len(ids[batch].unique())
        expected = torch.zeros(9, 2).index_add_(0, ids[batch], grad)
        torch.testing.assert_close(torch.zeros(9, 2).index_copy_(0, rows[:count], sums[:count]), expected)
        assert not sums[count:].any()


def test_masks_are_unpacked_alike_on_the_host_and_on_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    plain_arange = torch.arange
    bits = Stream("t", "fixed", 0).dropout_bits(30, 50)
    on_host = masks_of(bits, 50, CPU)
    monkeypatch.setattr(executor, "on_device", lambda array, _: torch.from_numpy(array.copy()))
    monkeypatch.setattr(torch, "arange", lambda *args, device, **more: plain_arange(*args, **more))
    shifted = masks_of(bits, 50, torch.device("cuda"))
    assert torch.equal(on_host, shifted)
    assert set(on_host.unique().tolist()) == {0, 2}


def test_the_next_epoch_is_planned_in_order_while_a_gpu_works() -> None:
    made = iter(range(4))
    assert list(executor.ahead(lambda: next(made), 4, torch.device("cuda"))) == [0, 1, 2, 3]
