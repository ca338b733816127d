"""The GPU code path without a GPU: tensors on torch's ``meta`` device have shapes but no values.

An operation that needs a number on the host (``item``, ``unique``, ``nonzero``) cannot run there, so a step that runs
on ``meta`` never makes the host wait for a GPU.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tasks.extrinsic.examples import Examples, TextExamples, WindowExamples
from tasks.extrinsic.networks import Network, PairNetwork, SentenceNetwork, SharedPairNetwork, Stream, WindowNetwork
from tasks.extrinsic.optimisers import FrozenVectors, TunedVectors
from tasks.extrinsic.training import Learner
from tasks.suite import TrainingSettings

DEVICE, EXAMPLES, ROWS, SIZE, CLASSES, SEEDS, BATCH = torch.device("meta"), 40, 30, 8, 3, 2, 16
SETTINGS = TrainingSettings(
    "adam", 1e-2, batch=16, max_epochs=10, vector_optimiser="sparse-adagrad", vector_learning_rate=1e-2, averaging=0.99
)


def ints(*shape: int) -> torch.Tensor:
    return torch.zeros(shape, dtype=torch.int64, device=DEVICE)


def texts(count: int) -> TextExamples:
    lengths = np.arange(EXAMPLES, dtype=np.int64) % 7 + 1
    return TextExamples((ints(EXAMPLES, 7),) * count, (ints(EXAMPLES),) * count, ints(EXAMPLES), (lengths,) * count)


FAMILIES: dict[str, tuple[Network, Examples]] = {
    "window": (
        WindowNetwork(5 * SIZE, CLASSES, 25, hidden=50),
        WindowExamples(ints(EXAMPLES, 5), ints(EXAMPLES, 25).float(), ints(EXAMPLES)),
    ),
    "sentence": (SentenceNetwork(SIZE, CLASSES), texts(1)),
    "pair": (PairNetwork(SIZE, CLASSES, hidden=50), texts(2)),
    "shared-pair": (SharedPairNetwork(SIZE, CLASSES, hidden=50), texts(2)),
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("tuned", [False, True])
def test_a_training_step_never_asks_the_device_for_a_number(family: str, tuned: bool) -> None:
    network, examples = FAMILIES[family]
    weights = [
        torch.stack(parts).to(DEVICE)
        for parts in zip(*(network.initial(Stream("task", "fixed", seed)) for seed in range(SEEDS)), strict=True)
    ]
    table = torch.zeros(ROWS, SIZE, device=DEVICE)
    vectors = TunedVectors(table, SEEDS, SETTINGS) if tuned else FrozenVectors(table)
    learner = Learner(network, weights, vectors, SETTINGS)
    orders = np.tile(np.arange(EXAMPLES), (SEEDS, 1))
    orders, slices = examples.plan(orders, BATCH, Stream("task", "fixed", "order"))
    mask = torch.zeros(SEEDS, BATCH, network.dropout_width, dtype=torch.uint8, device=DEVICE)
    for cut in [part for part in slices if part.stop - part.start == BATCH]:
        learner.step(examples, ints(SEEDS, BATCH), orders[:, cut], mask)
    assert all(weight.device == DEVICE for weight in learner.scored_weights())


def test_finding_the_touched_rows_would_ask_for_a_number() -> None:
    vectors = TunedVectors(torch.zeros(ROWS, SIZE, device=DEVICE), 1, SETTINGS)
    vectors.dense = False
    with pytest.raises(NotImplementedError):
        vectors.update(ints(4, 6), torch.zeros(4, 6, SIZE, device=DEVICE))


def test_the_whole_table_moves_as_the_touched_rows_do() -> None:
    table = torch.randn(ROWS, SIZE, generator=torch.Generator().manual_seed(1))
    table[0] = 0.0
    sparse, whole = (TunedVectors(table, 1, SETTINGS) for _ in range(2))
    whole.dense = True
    generator = torch.Generator().manual_seed(2)
    for _ in range(5):
        ids = torch.randint(0, ROWS, (4, 6), generator=generator)
        grad = torch.randn(4, 6, SIZE, generator=generator)
        sparse.update(ids, grad)
        whole.update(ids, grad)
    torch.testing.assert_close(sparse.table, whole.table)
