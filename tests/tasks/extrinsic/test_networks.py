"""Both implementations of the LSTM of several seeds against ``torch.nn.LSTM``, in double precision."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tasks.extrinsic.networks import Batch, Stream, WindowNetwork, last_states, one_by_one, stacked

STEPS, SEEDS, BATCH, SIZE = 7, 2, 5, 6


def some_weights(steps: int = STEPS) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(7)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64).requires_grad_()

    lengths = torch.randint(1, steps + 1, (SEEDS, BATCH), generator=generator)
    return (
        normal(steps, SEEDS, BATCH, SIZE),
        normal(SEEDS, 4 * SIZE, SIZE),
        normal(SEEDS, 4 * SIZE, SIZE),
        normal(SEEDS, 4 * SIZE),
        lengths,
    )


def oracle(w: Tensor, u: Tensor, b: Tensor) -> torch.nn.LSTM:
    lstm = torch.nn.LSTM(SIZE, SIZE).double()
    with torch.no_grad():
        lstm.weight_ih_l0.copy_(w)
        lstm.weight_hh_l0.copy_(u)
        lstm.bias_ih_l0.copy_(b)
        lstm.bias_hh_l0.zero_()
    return lstm


@pytest.mark.parametrize("steps", [1, 2, STEPS])
@pytest.mark.parametrize("way", [stacked, one_by_one])
def test_both_ways_give_the_last_states_and_gradients_of_torchs_lstm(way: Callable[..., Tensor], steps: int) -> None:
    x, w, u, b, lengths = some_weights(steps)
    found = way(x, lengths, w, u, b)
    weighting = torch.linspace(-1, 1, found.numel(), dtype=torch.float64).view_as(found)
    grads = torch.autograd.grad((found * weighting).sum(), [x, w, u, b])
    for seed in range(SEEDS):
        lstm = oracle(w[seed], u[seed], b[seed])
        own_x = x[:, seed].detach().requires_grad_()
        states = lstm(own_x)[0]
        expected = torch.stack([states[lengths[seed, place] - 1, place] for place in range(BATCH)])
        torch.testing.assert_close(found[seed], expected)
        leaves = [own_x, lstm.weight_ih_l0, lstm.weight_hh_l0, lstm.bias_ih_l0]
        dx, dw, du, db = torch.autograd.grad((expected * weighting[seed]).sum(), leaves)
        torch.testing.assert_close(grads[0][:, seed], dx)
        for ours, theirs in zip(grads[1:], (dw, du, db), strict=True):
            torch.testing.assert_close(ours[seed], theirs)


def test_what_stands_behind_a_texts_end_has_no_influence() -> None:
    x, w, u, b, lengths = some_weights()
    noisy = x.detach().clone()
    for seed in range(SEEDS):
        for place in range(BATCH):
            noisy[lengths[seed, place] :, seed, place] = 1e3
    assert torch.equal(last_states(x, lengths, w, u, b), last_states(noisy, lengths, w, u, b))


@pytest.mark.parametrize("shape_features", [0, 25])
def test_the_windows_gradients_are_those_of_autograd_bit_for_bit(shape_features: int) -> None:
    """With as many examples as divide one without a remainder, and others."""
    network = WindowNetwork(5 * SIZE, 3, shape_features, hidden=8)
    weights = [
        torch.stack(parts) for parts in zip(*(network.initial(Stream("t", "fixed", s)) for s in (0, 1)), strict=True)
    ]
    for batch in (16, 13):
        generator = torch.Generator().manual_seed(batch)
        vectors, shapes = torch.randn(2, batch, 5, SIZE, generator=generator), torch.ones(2, batch, 25)
        mask = torch.randint(0, 2, (2, batch, 8), generator=generator, dtype=torch.uint8) * 2
        labels = torch.randint(0, 3, (2, batch), generator=generator)
        given = (vectors, Batch(torch.empty(0), shapes if shape_features else None), mask)
        written = network.gradients(weights, *given, labels, tuned=True)
        leaves = [part.clone().requires_grad_() for part in (*weights, vectors)]
        logits = network.logits(leaves[:4], leaves[4], *given[1:])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="sum") / batch
        for ours, theirs in zip(written, torch.autograd.grad(loss, leaves), strict=True):
            assert torch.equal(ours, theirs)
