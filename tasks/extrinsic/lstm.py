"""An LSTM over time-major input for several seeds, in two ways that agree.

On the CPU, torch's own LSTM (oneDNN) runs one seed after the other. On a GPU, where launching a kernel costs more than
its work, all seeds run at once, with the backward pass written out; so they do for texts of few words, as oneDNN
rearranges the weights at every call. Weights have torch's layout: gates i, f, g, o along the rows.
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

# Each in one pass over the memory: the gradient at what a function was given, from that at its values and these values.
_through_sigmoid = torch.ops.aten.sigmoid_backward.grad_input
_through_tanh = torch.ops.aten.tanh_backward.grad_input
FEW_STEPS = 4
"""Texts of up to so many words are read by all seeds at once on a CPU too."""


def last_states(x: Tensor, lengths: Tensor, w: Tensor, u: Tensor, b: Tensor) -> Tensor:
    """State at the last real word of every text.

    Parameters
    ----------
    x : vectors, shape (T, S, B, D), padded at the end; the padding has no influence.
    lengths : int64, shape (S, B), at least 1.
    w, u, b : input weights (S, 4H, D), recurrent weights (S, 4H, H), bias (S, 4H); gates in the order i, f, g, o.

    Returns
    -------
    Tensor, shape (S, B, H).
    """
    states = one_by_one(x, w, u, b) if x.device.type == "cpu" and len(x) > FEW_STEPS else stacked(x, w, u, b)
    last = (lengths - 1).unsqueeze(0).unsqueeze(-1).expand(1, -1, -1, states.shape[-1])
    return states.gather(0, last).squeeze(0)


def one_by_one(x: Tensor, w: Tensor, u: Tensor, b: Tensor) -> Tensor:
    """States of all steps, shape (T, S, B, H), by torch's LSTM; its second bias stays zero."""
    no_bias, start = torch.zeros_like(b[0]), x.new_zeros(1, x.shape[2], u.shape[2])
    # Unbound rather than indexed: the gradient of an index is as large as that of all seeds together.
    each_seed = zip(x.unbind(1), w.unbind(), u.unbind(), b.unbind(), strict=True)
    states = [
        torch.lstm(vectors.contiguous(), (start, start), (*weights, no_bias), True, 1, 0.0, True, False, False)[0]
        for vectors, *weights in each_seed
    ]
    return torch.stack(states, dim=1)


def stacked(x: Tensor, w: Tensor, u: Tensor, b: Tensor) -> Tensor:
    """The same as :func:`one_by_one`, with all seeds in every kernel."""
    states: Tensor = _StackedLSTM.apply(x, w, u, b)  # type: ignore[no-untyped-call]
    return states


class _Saved(Protocol):
    """What autograd keeps between the passes."""

    saved_tensors: tuple[Tensor, ...]
    needs_input_grad: tuple[bool, ...]

    def save_for_backward(self, *tensors: Tensor) -> None: ...


class _StackedLSTM(torch.autograd.Function):
    """One matrix product per step, one for the input projection of all steps; likewise for the weights' gradients.

    The state before the first word is zero and has no product: half the work for texts of one word.
    """

    @staticmethod
    def forward(ctx: _Saved, x: Tensor, w: Tensor, u: Tensor, b: Tensor) -> Tensor:
        steps, seeds, batch, _ = x.shape
        hidden = u.shape[2]
        inputs = x.transpose(0, 1).reshape(seeds, steps * batch, -1)
        projected = torch.baddbmm(b.unsqueeze(1), inputs, w.transpose(1, 2))
        gates = projected.view(seeds, steps, batch, 4 * hidden).transpose(0, 1).contiguous()
        h = x.new_zeros(steps + 1, seeds, batch, hidden)
        c = x.new_zeros(steps + 1, seeds, batch, hidden)
        squashed = x.new_empty(steps, seeds, batch, hidden)
        recurrent = u.transpose(1, 2)
        for t in range(steps):
            gate = gates[t]
            if t:
                gate.baddbmm_(h[t], recurrent)
            gate[..., : 2 * hidden].sigmoid_()
            gate[..., 2 * hidden : 3 * hidden].tanh_()
            gate[..., 3 * hidden :].sigmoid_()
            i, f, g, o = gate.chunk(4, dim=-1)
            torch.mul(f, c[t], out=c[t + 1])
            c[t + 1].addcmul_(i, g)
            torch.tanh(c[t + 1], out=squashed[t])
            torch.mul(o, squashed[t], out=h[t + 1])
        ctx.save_for_backward(inputs, w, u, gates, h, c, squashed)
        return h[1:]

    @staticmethod
    def backward(ctx: _Saved, *grad_outputs: Tensor) -> tuple[Tensor | None, Tensor, Tensor, Tensor]:
        (grad_h,) = grad_outputs
        inputs, w, u, gates, h, c, squashed = ctx.saved_tensors
        steps, seeds, batch, hidden = grad_h.shape
        grad_gates = torch.empty_like(gates)
        dh, dc = grad_h[-1], torch.zeros_like(grad_h[0])
        for t in reversed(range(steps)):
            i, f, g, o = gates[t].chunk(4, dim=-1)
            di, df, dg, do = grad_gates[t].chunk(4, dim=-1)
            _through_sigmoid(dh * squashed[t], o, grad_input=do)
            dc += torch.ops.aten.tanh_backward(dh * o, squashed[t])
            _through_sigmoid(dc * g, i, grad_input=di)
            _through_sigmoid(dc * c[t], f, grad_input=df)
            _through_tanh(dc * i, g, grad_input=dg)
            dc *= f
            if t:
                dh = torch.baddbmm(grad_h[t - 1], grad_gates[t], u)
        flat = grad_gates.transpose(0, 1).reshape(seeds, steps * batch, 4 * hidden)
        later, states = flat[:, batch:], h[1:-1].transpose(0, 1).reshape(seeds, (steps - 1) * batch, hidden)
        grad_x = None
        if ctx.needs_input_grad[0]:
            grad_x = torch.bmm(flat, w).view(seeds, steps, batch, -1).transpose(0, 1)
        grad_w, grad_u = (torch.bmm(out.transpose(1, 2), of) for out, of in ((flat, inputs), (later, states)))
        return grad_x, grad_w, grad_u, flat.sum(dim=1)
