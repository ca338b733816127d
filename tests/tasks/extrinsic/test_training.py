"""Training with a fixed budget, against torch's layers, optimiser and schedule."""

from __future__ import annotations

import platform
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from tasks.cells import evaluate_cell
from tasks.datasets.store import DataStore
from tasks.extrinsic.examples import TextExamples, WindowExamples
from tasks.extrinsic.networks import Batch, SharedPairNetwork, Stream, WindowNetwork
from tasks.extrinsic.training import Splits, train
from tasks.results import Mode
from tasks.suite import TrainingSettings
from tasks.suites import DEMO
from tasks.vectors import Embedding

SIZE, CLASSES, ROWS, EXAMPLES, BATCH, EPOCHS = 6, 4, 40, 50, 16, 7
CPU = torch.device("cpu")


def window_examples(seed: int) -> WindowExamples:
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(1, ROWS, (EXAMPLES, 5), generator=generator)
    return WindowExamples(ids, None, ids[:, 2] % CLASSES)


def some_table() -> np.ndarray:
    table = np.random.default_rng(3).normal(size=(ROWS, SIZE)).astype(np.float32)
    table[0] = 0.0
    return table


def test_every_rate_falls_to_zero_and_the_last_weights_predict_as_with_torchs_own_parts() -> None:
    """Also with fewer examples than fill the last batch."""
    table, splits = some_table(), Splits(*(window_examples(seed) for seed in range(3)))
    network = WindowNetwork(5 * SIZE, CLASSES, 0, hidden=8)
    settings = TrainingSettings("adam", 0.03, batch=BATCH, max_epochs=EPOCHS)
    shares: list[float] = []
    training = train(
        network, table, splits, settings, task="t", mode="fixed", seeds=[0, 1], device=CPU,
        score=lambda predicted: float(np.mean(predicted == splits.dev.labels.numpy())),
        progress=lambda share, what: shares.append(share),
    )  # fmt: skip
    for run in training.seeds:
        logits, dev = plain(table, splits, run.seed, settings)
        np.testing.assert_array_equal(run.predictions, logits.argmax(dim=-1).numpy())
        assert (run.scored_epoch, len(run.dev)) == (EPOCHS, EPOCHS)
        assert run.scored_dev == dev
    assert shares == sorted(set(shares))
    assert shares[0] < 0.1
    assert max(shares) < 1


def plain(table: np.ndarray, splits: Splits, seed: int, settings: TrainingSettings) -> tuple[torch.Tensor, float]:
    """Test logits and dev accuracy of one seed, by torch.nn, torch.optim and LambdaLR."""
    stream = Stream("t", "fixed", seed)
    first, _, second, _ = WindowNetwork(5 * SIZE, CLASSES, 0, hidden=8).initial(stream)
    layers = nn.Sequential(nn.Linear(5 * SIZE, 8), nn.Tanh(), nn.Linear(8, CLASSES))
    vectors = torch.from_numpy(table)
    with torch.no_grad():
        layers[0].weight.copy_(first.T)
        layers[2].weight.copy_(second.T)
        layers[0].bias.zero_()
        layers[2].bias.zero_()
    optimiser = torch.optim.Adam(layers.parameters(), settings.learning_rate)
    steps = EPOCHS * -(-EXAMPLES // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / steps)
    for _ in range(EPOCHS):
        order = torch.from_numpy(stream.permutation(EXAMPLES))
        masks = torch.from_numpy(np.unpackbits(stream.dropout_bits(EXAMPLES, 8), axis=1))
        for start in range(0, EXAMPLES, BATCH):
            chosen = order[start : start + BATCH]
            hidden = layers[1](layers[0](vectors[splits.train.windows[chosen]].flatten(start_dim=1)))
            logits = layers[2](hidden * 2 * masks[start : start + BATCH])
            optimiser.zero_grad()
            nn.functional.cross_entropy(logits, splits.train.labels[chosen]).backward()
            optimiser.step()
            schedule.step()
    with torch.no_grad():
        dev, test = (layers(vectors[part.windows].flatten(start_dim=1)) for part in (splits.dev, splits.test))
    return test, float((dev.argmax(dim=-1) == splits.dev.labels).double().mean())


@pytest.mark.parametrize("longest", [(3, 5), (2, 1)])
def test_the_shared_encoder_reads_both_texts_with_the_same_weights(longest: tuple[int, int]) -> None:
    """Against torch.nn.LSTM, one example after the other."""
    network = SharedPairNetwork(SIZE, CLASSES, hidden=8)
    weights = [part.unsqueeze(0) for part in network.initial(Stream("t", "fixed", 0))]
    lstm = nn.LSTM(SIZE, SIZE)
    with torch.no_grad():
        for name, weight in zip(("weight_ih_l0", "weight_hh_l0", "bias_ih_l0"), weights, strict=False):
            getattr(lstm, name).copy_(weight[0])
        lstm.bias_hh_l0.zero_()
    generator = torch.Generator().manual_seed(5)
    texts = [torch.randint(1, ROWS, (EXAMPLES, length), generator=generator) for length in longest]
    lengths = [torch.randint(1, text.shape[1] + 1, (EXAMPLES,), generator=generator) for text in texts]
    examples = TextExamples(
        tuple(texts), tuple(lengths), torch.zeros(EXAMPLES, dtype=torch.int64), tuple(part.numpy() for part in lengths)
    )
    everything = np.arange(EXAMPLES)[None, :]
    key = (EXAMPLES, *(int(part.max()) for part in lengths))
    batch: Batch = examples.batch(torch.from_numpy(everything), key, None)
    table = torch.from_numpy(some_table())
    found = network.logits(weights, table[batch.ids], batch, None)[0]
    for n in range(EXAMPLES):
        u, v = (
            lstm(table[text[n, : length[n]]].unsqueeze(1))[0][-1, 0]
            for text, length in zip(texts, lengths, strict=True)
        )
        features = torch.cat([u, v, (u - v).abs(), u * v])
        hidden = torch.tanh(features @ weights[3][0] + weights[4][0])
        torch.testing.assert_close(found[n], hidden @ weights[5][0] + weights[6][0], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("mode", ["fixed", "fine-tuned"])
@pytest.mark.parametrize("task", [pytest.param("chunk", marks=pytest.mark.slow), "questions"])
def test_without_patience_every_epoch_is_trained(
    task: str, mode: Mode, demo_vectors: Embedding, store: DataStore
) -> None:
    declared = DEMO.task(task)
    key = (declared.family.id, mode)
    settings = replace(DEMO.training[key], patience=None, max_epochs=4)
    suite = replace(DEMO, training={**DEMO.training, key: settings})
    result = evaluate_cell(demo_vectors, suite, declared, mode, data=store, seeds=1)
    assert result.training is not None
    assert [seed["epochs"] for seed in result.training["seeds"]] == [4]
    assert result.score > 0.4


RESIDENT = Path("/proc/self/statm")
STEP = """
import contextlib, os, resource
import torch
from tasks.extrinsic.training import kept_between_steps

def resident():
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * resource.getpagesize()

def step(how):
    before = resident()
    with how:
        arrays = [torch.zeros(5_000_000) for _ in range(3)]
        print(resident() - before)
        del arrays
        print(resident() - before)
    print(resident() - before, flush=True)

for how in (contextlib.nullcontext(), kept_between_steps()):
    child = os.fork()
    if not child:
        step(how)
        os._exit(0)
    os.waitpid(child, 0)
"""
ARRAYS = 3 * 5_000_000 * 4


@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can be set to keep memory")
@pytest.mark.skipif(not RESIDENT.exists(), reason="this system does not say how much memory a process has")
def test_memory_that_a_step_frees_is_there_for_the_next() -> None:
    """One step in a process of its own each: how much of later ones glibc keeps depends on what else is in its heap.

    Measured are the bytes that the process has gained: with 60 MB in arrays, without them, and after training.
    """
    printed = subprocess.run([sys.executable, "-c", STEP], capture_output=True, check=True, text=True).stdout
    as_it_is, kept = np.array(printed.split(), dtype=np.int64).reshape(2, 3)
    held, freed, _ = as_it_is
    assert held > 0.9 * ARRAYS
    assert freed < 0.2 * ARRAYS, "the C library keeps it of itself: nothing is shown by what follows"

    held, freed, after = kept
    assert freed > 0.9 * held > 0.8 * ARRAYS
    assert after < 0.2 * ARRAYS  # with what the first operations load, 9 MB where libraries are paged in lazily
