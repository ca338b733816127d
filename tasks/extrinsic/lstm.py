"""An LSTM over time-major input for several seeds at once, with its backward pass written out.

One matrix product per step and one for the input projection of all steps; the weight gradients of all steps are a
single product too. ``torch.nn.LSTM`` is the test's oracle; it cannot stack seeds.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def _sigmoid_and_tanh_(gates: Tensor, hidden: int) -> Tensor:
    """In place: sigmoid of the gates i, f, o and tanh of the candidate g; tanh(x) = 2σ(2x) − 1 (σ is much faster)."""
    candidate = gates[..., 3 * hidden :]
    candidate.mul_(2)
    torch.sigmoid(gates, out=gates)
    candidate.mul_(2).sub_(1)
    return gates


class _LSTM(torch.autograd.Function):
    """States of all steps. Gates are laid out i, f, o, g."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor, u: Tensor, b: Tensor) -> Tensor:
        steps, seeds, batch, _ = x.shape
        hidden = u.shape[1]
        inputs = x.transpose(0, 1).reshape(seeds, steps * batch, -1)
        gates = (
            torch.baddbmm(b.unsqueeze(1), inputs, w).view(seeds, steps, batch, 4 * hidden).transpose(0, 1).contiguous()
        )
        h = x.new_zeros(steps + 1, seeds, batch, hidden)
        c = x.new_zeros(steps + 1, seeds, batch, hidden)
        squashed = x.new_empty(steps, seeds, batch, hidden)
        for t in range(steps):
            gate = gates[t]
            gate.baddbmm_(h[t], u)
            i, f, o, g = _sigmoid_and_tanh_(gate, hidden).chunk(4, dim=-1)
            torch.mul(f, c[t], out=c[t + 1])
            c[t + 1].addcmul_(i, g)
            torch.sigmoid(c[t + 1] * 2, out=squashed[t])
            squashed[t].mul_(2).sub_(1)
            torch.mul(o, squashed[t], out=h[t + 1])
        ctx.save_for_backward(inputs, w, u, gates, h, c, squashed)
        return h[1:]

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, Tensor, Tensor, Tensor]:
        (grad_h,) = grad_outputs
        inputs, w, u, gates, h, c, squashed = ctx.saved_tensors
        steps, seeds, batch, hidden = grad_h.shape
        grad_gates = torch.empty_like(gates)
        dh_next = torch.zeros_like(grad_h[0])
        dc = torch.zeros_like(grad_h[0])
        u_transposed = u.transpose(1, 2)
        for t in reversed(range(steps)):
            i, f, o, g = gates[t].chunk(4, dim=-1)
            di, df, do, dg = grad_gates[t].chunk(4, dim=-1)
            dh = grad_h[t] + dh_next
            torch.mul(dh, squashed[t], out=do)
            dc.addcmul_(dh * o, 1 - squashed[t] * squashed[t])
            torch.mul(dc, g, out=di)
            torch.mul(dc, c[t], out=df)
            torch.mul(dc, i, out=dg)
            dc = dc * f
            dg.mul_(1 - g * g)
            sigmoids = gates[t][..., : 3 * hidden]
            grad_gates[t][..., : 3 * hidden].mul_(sigmoids * (1 - sigmoids))
            torch.bmm(grad_gates[t], u_transposed, out=dh_next)
        flat = grad_gates.transpose(0, 1).reshape(seeds, steps * batch, 4 * hidden)
        states = h[:-1].transpose(0, 1).reshape(seeds, steps * batch, hidden)
        grad_x = None
        if ctx.needs_input_grad[0]:
            grad_x = torch.bmm(flat, w.transpose(1, 2)).view(seeds, steps, batch, -1).transpose(0, 1)
        grad_w = torch.bmm(inputs.transpose(1, 2), flat)
        grad_u = torch.bmm(states.transpose(1, 2), flat)
        return grad_x, grad_w, grad_u, flat.sum(dim=1)


def last_states(x: Tensor, lengths: Tensor, w: Tensor, u: Tensor, b: Tensor) -> Tensor:
    """State at the last real word of every text.

    Parameters
    ----------
    x : vectors, shape (T, S, B, D), padded at the end; what stands behind a text's length has no influence.
    lengths : int64, shape (S, B), at least 1.
    w, u, b : input weights (S, D, 4H), recurrent weights (S, H, 4H), bias (S, 4H); gates in the order i, f, o, g.

    Returns
    -------
    Tensor, shape (S, B, H).
    """
    states: Tensor = _LSTM.apply(x, w, u, b)  # type: ignore[no-untyped-call]
    last = (lengths - 1).unsqueeze(0).unsqueeze(-1).expand(1, -1, -1, states.shape[-1])
    return states.gather(0, last).squeeze(0)
