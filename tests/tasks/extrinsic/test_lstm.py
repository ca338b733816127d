"""The stacked LSTM against torch's own, one seed at a time, in double precision."""

from __future__ import annotations

import torch
from torch import Tensor

from tasks.extrinsic.lstm import last_states

STEPS, SEEDS, BATCH, SIZE = 7, 2, 5, 6


def torch_order(gates: Tensor) -> Tensor:
    """Ours are i, f, o, g; torch's i, f, g, o."""
    i, f, o, g = gates.split(SIZE, dim=-1)
    return torch.cat([i, f, g, o], dim=-1)


def some_weights() -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(7)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64).requires_grad_()

    lengths = torch.randint(1, STEPS + 1, (SEEDS, BATCH), generator=generator)
    return (
        normal(STEPS, SEEDS, BATCH, SIZE),
        normal(SEEDS, SIZE, 4 * SIZE),
        normal(SEEDS, SIZE, 4 * SIZE),
        normal(SEEDS, 4 * SIZE),
        lengths,
    )


def oracle(w: Tensor, u: Tensor, b: Tensor) -> torch.nn.LSTM:
    lstm = torch.nn.LSTM(SIZE, SIZE).double()
    with torch.no_grad():
        lstm.weight_ih_l0.copy_(torch_order(w).T)
        lstm.weight_hh_l0.copy_(torch_order(u).T)
        lstm.bias_ih_l0.copy_(torch_order(b))
        lstm.bias_hh_l0.zero_()
    return lstm


def test_it_gives_the_states_and_gradients_of_torchs_lstm() -> None:
    x, w, u, b, lengths = some_weights()
    states = last_states(x, lengths, w, u, b)
    weighting = torch.linspace(-1, 1, states.numel(), dtype=torch.float64).view_as(states)
    grads = torch.autograd.grad((states * weighting).sum(), [x, w, u, b])
    for seed in range(SEEDS):
        lstm = oracle(w[seed], u[seed], b[seed])
        own_x = x[:, seed].detach().requires_grad_()
        expected = lstm(own_x)[0].gather(0, (lengths[seed] - 1)[None, :, None].expand(1, -1, SIZE))[0]
        torch.testing.assert_close(states[seed], expected)
        leaves = [own_x, lstm.weight_ih_l0, lstm.weight_hh_l0, lstm.bias_ih_l0]
        dx, dw, du, db = torch.autograd.grad((expected * weighting[seed]).sum(), leaves)
        torch.testing.assert_close(grads[0][:, seed], dx)
        torch.testing.assert_close(torch_order(grads[1][seed]).T, dw)
        torch.testing.assert_close(torch_order(grads[2][seed]).T, du)
        torch.testing.assert_close(torch_order(grads[3][seed]), db)


def test_what_stands_behind_a_texts_end_has_no_influence() -> None:
    x, w, u, b, lengths = some_weights()
    noisy = x.detach().clone()
    for seed in range(SEEDS):
        for place in range(BATCH):
            noisy[lengths[seed, place] :, seed, place] = 1e3
    assert torch.equal(last_states(x, lengths, w, u, b), last_states(noisy, lengths, w, u, b))
