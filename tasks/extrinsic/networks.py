"""The small networks of docs/protocol.md §2.1, each for several seeds at once (a leading dimension S everywhere)."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from tasks.results import Mode

DROPOUT = 0.5
"""The only dropout that masks of single bits can express."""
# Gradients at a function's input from those at its output and the output itself, in one pass over the memory.
_through_sigmoid = torch.ops.aten.sigmoid_backward.grad_input
_through_tanh = torch.ops.aten.tanh_backward.grad_input
FEW_STEPS = 4
"""Longest texts, in words, that all seeds read at once on a CPU."""


class Stream:
    """Random numbers of one task, mode and seed: initial weights, order of examples, dropout masks, in that order.

    Drawn on the CPU, so that a seed means the same on every device.
    """

    def __init__(self, task: str, mode: Mode, name: int | str) -> None:
        key = hashlib.sha256(f"{task}|{mode}|{name}".encode()).digest()
        self.generator = np.random.default_rng(np.frombuffer(key, dtype=np.uint32))

    def uniform(self, shape: tuple[int, ...], bound: float) -> torch.Tensor:
        """Float32 numbers, uniform in ±bound."""
        return torch.from_numpy(self.generator.uniform(-bound, bound, shape).astype(np.float32))

    def glorot(self, fan_in: int, fan_out: int) -> torch.Tensor:
        """Glorot-uniform matrix, shape (fan_in, fan_out) (Glorot & Bengio 2010, eq. 16)."""
        return self.uniform((fan_in, fan_out), float(np.sqrt(6.0 / (fan_in + fan_out))))

    def orthogonal(self, size: int) -> torch.Tensor:
        """Random orthogonal matrix, shape (size, size) (Saxe et al. 2014): Q of a Gaussian matrix with unique signs."""
        q, r = np.linalg.qr(self.generator.standard_normal((size, size)))
        return torch.from_numpy((q * np.sign(np.diag(r))).astype(np.float32))

    def permutation(self, n: int) -> NDArray[np.int64]:
        """A random order of n examples."""
        return self.generator.permutation(n)

    def dropout_bits(self, n: int, width: int) -> NDArray[np.uint8]:
        """Masks for ``DROPOUT``, one random bit per unit, packed: shape (n, ⌈width / 8⌉)."""
        row_bytes = -(-width // 8)
        return np.frombuffer(self.generator.bytes(n * row_bytes), dtype=np.uint8).reshape(n, row_bytes)


def last_states(x: Tensor, lengths: Tensor, w: Tensor, u: Tensor, b: Tensor) -> Tensor:
    """LSTM state at the last word of every text, for several seeds.

    On the CPU, torch's own LSTM (oneDNN) runs one seed after the other. On a GPU, where launching a kernel costs more
    than its work, all seeds run at once, with the backward pass written out; likewise for short texts on a CPU, as
    oneDNN rearranges the weights at every call. Weights have torch's layout: gates i, f, g, o along the rows.

    Parameters
    ----------
    x : vectors, shape (T, S, B, D), padded at the end; padding has no influence.
    lengths : int64, shape (S, B), at least 1.
    w, u, b : input weights (S, 4H, D), recurrent weights (S, 4H, H), bias (S, 4H); gates in the order i, f, g, o.

    Returns
    -------
    Tensor, shape (S, B, H).
    """
    way = one_by_one if x.device.type == "cpu" and len(x) > FEW_STEPS else stacked
    return way(x, lengths, w, u, b)


def one_by_one(x: Tensor, lengths: Tensor, w: Tensor, u: Tensor, b: Tensor) -> Tensor:
    """:func:`last_states` by torch's LSTM, seed by seed; its second bias stays zero."""
    no_bias, start = torch.zeros_like(b[0]), x.new_zeros(1, x.shape[2], u.shape[2])
    # Unbound rather than indexed: the gradient of an index is as large as that of all seeds together.
    each_seed = zip(x.unbind(1), w.unbind(), u.unbind(), b.unbind(), strict=True)
    states = [
        torch.lstm(vectors.contiguous(), (start, start), (*weights, no_bias), True, 1, 0.0, True, False, False)[0]
        for vectors, *weights in each_seed
    ]
    return _at_last_word(torch.stack(states, dim=1), lengths)


def stacked(x: Tensor, lengths: Tensor, w: Tensor, u: Tensor, b: Tensor) -> Tensor:
    """:func:`last_states` with all seeds in every kernel."""
    last: Tensor = _LastStates.apply(x, lengths, w, u, b)  # type: ignore[no-untyped-call]
    return last


def _at_last_word(states: Tensor, lengths: Tensor) -> Tensor:
    last = (lengths - 1).unsqueeze(0).unsqueeze(-1).expand(1, -1, -1, states.shape[-1])
    return states.gather(0, last).squeeze(0)


def _cell(gates: Tensor, c: Tensor, zeros: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """State h, cell c and activated gates after one word; torch has this as one kernel for GPUs only.

    ``zeros`` are a second summand of the gates that this kernel requires, shape (S · B, 4H).
    """
    if gates.is_cuda:
        parts = torch.ops.aten._thnn_fused_lstm_cell(gates.flatten(0, 1), zeros, c.flatten(0, 1))
        h, c, gates = (part.view(*gates.shape[:2], -1) for part in parts)
        return h, c, gates
    hidden = c.shape[-1]
    gates[..., : 2 * hidden].sigmoid_()
    gates[..., 2 * hidden : 3 * hidden].tanh_()
    gates[..., 3 * hidden :].sigmoid_()
    i, f, g, o = gates.chunk(4, dim=-1)
    c = (f * c).addcmul_(i, g)
    return o * torch.tanh(c), c, gates


def _cell_backward(dh: Tensor, dc: Tensor, before: Tensor, c: Tensor, gates: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients at the gates and at the cell before the word, from those at the state and the cell after it."""
    if gates.is_cuda:
        flattened = (part.flatten(0, 1) for part in (dh, dc, before, c, gates))
        parts = torch.ops.aten._thnn_fused_lstm_cell_backward_impl(*flattened, False)[:2]
        d_gates, dc = (part.view(*gates.shape[:2], -1) for part in parts)
        return d_gates, dc
    d_gates, squashed = torch.empty_like(gates), torch.tanh(c)
    i, f, g, o = gates.chunk(4, dim=-1)
    di, df, dg, do = d_gates.chunk(4, dim=-1)
    _through_sigmoid(dh * squashed, o, grad_input=do)
    dc += torch.ops.aten.tanh_backward(dh * o, squashed)
    _through_sigmoid(dc * g, i, grad_input=di)
    _through_sigmoid(dc * before, f, grad_input=df)
    _through_tanh(dc * i, g, grad_input=dg)
    return d_gates, dc.mul_(f)


class _Saved(Protocol):
    """Context of autograd between the passes."""

    saved_tensors: tuple[Tensor, ...]
    needs_input_grad: tuple[bool, ...]

    def save_for_backward(self, *tensors: Tensor) -> None: ...


class _LastStates(torch.autograd.Function):
    """One matrix product per step, and one for the input projection of all steps; likewise for the weights' gradients.

    The zero state before the first word needs no product, which halves the work for texts of one word. The gradient of
    the last state enters at its step by a mask, so that every sum has a fixed order on a GPU too.
    """

    @staticmethod
    def forward(ctx: _Saved, x: Tensor, lengths: Tensor, w: Tensor, u: Tensor, b: Tensor) -> Tensor:
        steps, seeds, batch, _ = x.shape
        hidden = u.shape[2]
        inputs = x.transpose(0, 1).reshape(seeds, steps * batch, -1)
        projected = torch.baddbmm(b.unsqueeze(1), inputs, w.transpose(1, 2))
        gates = projected.view(seeds, steps, batch, 4 * hidden).transpose(0, 1).contiguous().unbind()
        c, zeros = [x.new_zeros(seeds, batch, hidden)], x.new_zeros(seeds * batch if x.is_cuda else 0, 4 * hidden)
        h: list[Tensor] = []
        activated: list[Tensor] = []
        for t, gate in enumerate(gates):
            if t:
                gate.baddbmm_(h[-1], u.transpose(1, 2))
            for stack, new in zip((h, c, activated), _cell(gate, c[-1], zeros), strict=True):
                stack.append(new)
        states = torch.stack(h)
        ctx.save_for_backward(inputs, lengths, w, u, states, *c, *activated)
        return _at_last_word(states, lengths)

    @staticmethod
    def backward(ctx: _Saved, *grad_outputs: Tensor) -> tuple[Tensor | None, None, Tensor, Tensor, Tensor]:
        inputs, lengths, w, u, states, *saved = ctx.saved_tensors
        steps, seeds, batch, hidden = states.shape
        c, activated = saved[: steps + 1], saved[steps + 1 :]
        is_last = torch.arange(1, steps + 1, device=w.device).view(-1, 1, 1) == lengths
        dh = (grad_outputs[0] * is_last.unsqueeze(-1)).unbind()
        dc = torch.zeros_like(c[0])
        d_gates: list[Tensor] = []
        for t in reversed(range(steps)):
            d_gate, dc = _cell_backward(dh[t], dc, c[t], c[t + 1], activated[t])
            d_gates.insert(0, d_gate)
            if t:
                dh[t - 1].baddbmm_(d_gate, u)
        flat = torch.stack(d_gates, dim=1).flatten(1, 2)
        later, earlier = flat[:, batch:], states[:-1].transpose(0, 1).reshape(seeds, (steps - 1) * batch, hidden)
        grad_x = None
        if ctx.needs_input_grad[0]:
            grad_x = torch.bmm(flat, w).view(seeds, steps, batch, -1).transpose(0, 1)
        grad_w, grad_u = (torch.bmm(out.transpose(1, 2), of) for out, of in ((flat, inputs), (later, earlier)))
        return grad_x, None, grad_w, grad_u, flat.sum(dim=1)


@dataclass(frozen=True)
class Batch:
    """Some examples of every seed.

    Parameters
    ----------
    ids : int64 rows of the vector table; (S, B, 5) for windows, (T, S, B) for texts, (T₁ + T₂, S, B) for pairs.
    shapes : float32 letter-case features, shape (S, B, 25), window family with shapes only.
    lengths : int64 numbers of words, shape (S, B), one tensor per text of the example.
    steps : T of each text of the example (pairs are padded separately).
    """

    ids: Tensor
    shapes: Tensor | None = None
    lengths: tuple[Tensor, ...] = ()
    steps: tuple[int, ...] = ()


class Network(ABC):
    """Weights are a flat list of tensors: optimisers, snapshots and stacking need not know the layers."""

    dense: tuple[int, ...]
    """Positions of the dense weight matrices (those that ``veceval-2016`` regularises)."""
    dropout_width: int
    """Number of units with dropout."""

    @abstractmethod
    def initial(self, stream: Stream) -> list[Tensor]:
        """Weights of one seed: Glorot-uniform dense and input weights, orthogonal recurrent, forget bias 1."""

    @abstractmethod
    def logits(self, weights: list[Tensor], vectors: Tensor, batch: Batch, mask: Tensor | None) -> Tensor:
        """Class scores, shape (S, B, C). ``mask``: (S, B, dropout_width) of 0 and 2 in training, None in testing."""

    def gradients(
        self, weights: list[Tensor], vectors: Tensor, batch: Batch, mask: Tensor, labels: Tensor, *, tuned: bool
    ) -> list[Tensor]:
        """Gradients of the seeds' mean cross-entropies at the weights and, if ``tuned``, at the vectors; by autograd.

        ``labels``: int64, shape (S, B).
        """
        leaves = [weight.detach().requires_grad_() for weight in weights]
        if tuned:
            leaves.append(vectors.detach().requires_grad_())
        with torch.enable_grad():
            logits = self.logits(leaves[: len(weights)], leaves[-1] if tuned else vectors, batch, mask)
        return list(torch.autograd.grad(logits, leaves, _of_cross_entropy(logits.detach(), labels)))


def _of_cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """Gradient of each seed's mean cross-entropy at the logits, by the operations of torch's own backward pass."""
    logs = torch.log_softmax(logits, dim=-1)
    at_labels = torch.zeros_like(logs).scatter_(2, labels.unsqueeze(-1), -1.0 / labels.shape[1])
    gradient: Tensor = torch.ops.aten._log_softmax_backward_data(at_labels, logs, -1, logs.dtype)
    return gradient


def _affine(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return torch.baddbmm(bias.unsqueeze(1), x, weight)


def _drop(x: Tensor, mask: Tensor | None) -> Tensor:
    return x if mask is None else x * mask


class WindowNetwork(Network):
    """Concatenated vectors of a window (and shapes) → linear, tanh, dropout, linear (after Collobert et al. 2011).

    Parameters
    ----------
    inputs : length of all vectors of a window together.
    """

    dense = (0, 2)

    def __init__(self, inputs: int, classes: int, shape_features: int, hidden: int) -> None:
        self.inputs = inputs
        self.classes = classes
        self.shape_features = shape_features
        self.hidden = self.dropout_width = hidden

    def initial(self, stream: Stream) -> list[Tensor]:
        first = stream.glorot(self.inputs + self.shape_features, self.hidden)
        return [first, torch.zeros(self.hidden), stream.glorot(self.hidden, self.classes), torch.zeros(self.classes)]

    def _hidden(self, weights: list[Tensor], x: Tensor, shapes: Tensor | None) -> Tensor:
        first, first_bias, *_ = weights
        hidden = _affine(x, first[:, : self.inputs], first_bias)
        if shapes is not None:
            hidden = hidden.baddbmm_(shapes, first[:, self.inputs :])
        return hidden.tanh_()

    def logits(self, weights: list[Tensor], vectors: Tensor, batch: Batch, mask: Tensor | None) -> Tensor:
        hidden = self._hidden(weights, vectors.flatten(start_dim=2), batch.shapes)
        return _affine(_drop(hidden, mask), *weights[2:])

    def gradients(
        self, weights: list[Tensor], vectors: Tensor, batch: Batch, mask: Tensor, labels: Tensor, *, tuned: bool
    ) -> list[Tensor]:
        """The backward pass written out, as autograd costs much of so small a step."""
        first, _, second, second_bias = weights
        x = vectors.flatten(start_dim=2)
        hidden = self._hidden(weights, x, batch.shapes)
        dropped = hidden * mask
        d_logits = _of_cross_entropy(_affine(dropped, second, second_bias), labels)
        d_dropped = torch.bmm(d_logits, second.transpose(1, 2))
        d_hidden = torch.ops.aten.tanh_backward(d_dropped.mul_(mask), hidden)
        d_first = torch.bmm(x.transpose(1, 2), d_hidden)
        if batch.shapes is not None:
            d_first = torch.cat([d_first, torch.bmm(batch.shapes.transpose(1, 2), d_hidden)], dim=1)
        d_second = torch.bmm(dropped.transpose(1, 2), d_logits)
        d_weights = [d_first, d_hidden.sum(dim=1), d_second, d_logits.sum(dim=1)]
        if tuned:
            d_weights.append(torch.bmm(d_hidden, first[:, : self.inputs].transpose(1, 2)).view_as(vectors))
        return d_weights


def _initial_lstm(stream: Stream, dimensions: int) -> list[Tensor]:
    """Input weights, recurrent weights and bias; gates i, f, g, o; as many hidden units as dimensions."""
    inputs = torch.cat([stream.glorot(dimensions, dimensions) for _ in range(4)], dim=0)
    recurrent = torch.cat([stream.orthogonal(dimensions) for _ in range(4)], dim=0)
    bias = torch.zeros(4 * dimensions)
    bias[dimensions : 2 * dimensions] = 1.0
    return [inputs, recurrent, bias]


class SentenceNetwork(Network):
    """LSTM, dropout on its state at the last word, linear."""

    dense = (3,)

    def __init__(self, dimensions: int, classes: int) -> None:
        self.dimensions = dimensions
        self.classes = classes
        self.dropout_width = dimensions

    def initial(self, stream: Stream) -> list[Tensor]:
        return [
            *_initial_lstm(stream, self.dimensions),
            stream.glorot(self.dimensions, self.classes),
            torch.zeros(self.classes),
        ]

    def logits(self, weights: list[Tensor], vectors: Tensor, batch: Batch, mask: Tensor | None) -> Tensor:
        w, u, b, dense, dense_bias = weights
        state = last_states(vectors, batch.lengths[0], w, u, b)
        return _affine(_drop(state, mask), dense, dense_bias)


class PairNetwork(Network):
    """Two LSTMs, dropout on each last state, concatenation, linear + tanh, linear."""

    dense = (6, 8)
    encoders, features = 2, 2
    """LSTMs, and states or functions of them that are concatenated."""

    def __init__(self, dimensions: int, classes: int, hidden: int) -> None:
        self.dimensions = dimensions
        self.hidden = hidden
        self.classes = classes
        self.dropout_width = 2 * dimensions

    def initial(self, stream: Stream) -> list[Tensor]:
        return [
            *(tensor for _ in range(self.encoders) for tensor in _initial_lstm(stream, self.dimensions)),
            stream.glorot(self.features * self.dimensions, self.hidden),
            torch.zeros(self.hidden),
            stream.glorot(self.hidden, self.classes),
            torch.zeros(self.classes),
        ]

    def logits(self, weights: list[Tensor], vectors: Tensor, batch: Batch, mask: Tensor | None) -> Tensor:
        first_vectors, second_vectors = vectors[: batch.steps[0]], vectors[batch.steps[0] :]
        first = last_states(first_vectors, batch.lengths[0], *weights[0:3])
        second = last_states(second_vectors, batch.lengths[1], *weights[3:6])
        both = _drop(torch.cat([first, second], dim=-1), mask)
        return _affine(torch.tanh(_affine(both, weights[6], weights[7])), weights[8], weights[9])


class SharedPairNetwork(PairNetwork):
    """One LSTM reads both texts; dropout on each last state u and v, [u, v, |u - v|, u * v], linear + tanh, linear.

    Source: Mou et al. (2016), Natural Language Inference by Tree-Based Convolution and Heuristic Matching, ACL, §3.2.
    """

    dense = (3, 5)
    encoders, features = 1, 4

    def logits(self, weights: list[Tensor], vectors: Tensor, batch: Batch, mask: Tensor | None) -> Tensor:
        encoder, (first_dense, first_bias, second_dense, second_bias) = weights[:3], weights[3:]
        # Read together, as one batch: (T, 2, S, B, D) to (T, S, 2·B, D).
        texts = pad_sequence(list(vectors.split_with_sizes(batch.steps))).transpose(1, 2).flatten(2, 3)
        states = last_states(texts, torch.cat(batch.lengths, dim=1), *encoder)
        u, v = _drop(torch.cat(states.chunk(2, dim=1), dim=-1), mask).chunk(2, dim=-1)
        features = torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        return _affine(torch.tanh(_affine(features, first_dense, first_bias)), second_dense, second_bias)
