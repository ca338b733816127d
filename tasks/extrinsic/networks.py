"""The small networks of docs/protocol.md §2.1, each for several seeds at once (a leading dimension S everywhere)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from tasks.extrinsic.lstm import last_states
from tasks.extrinsic.streams import Stream


@dataclass(frozen=True)
class Batch:
    """Some examples of every seed.

    Parameters
    ----------
    ids : int64 rows of the vector table; (S, B, 5) for windows, (T, S, B) for texts, (T₁ + T₂, S, B) for pairs.
    shapes : float32 letter-case features, shape (S, B, 25), window family with shapes only.
    lengths : int64 numbers of real words, shape (S, B), one tensor per text of the example.
    steps : T of each text of the example (pairs are padded separately).
    """

    ids: Tensor
    shapes: Tensor | None = None
    lengths: tuple[Tensor, ...] = ()
    steps: tuple[int, ...] = ()


class Network(Protocol):
    """Weights are a flat list of tensors, so that optimisers, snapshots and stacking need not know about layers."""

    @property
    def dropout_width(self) -> int:
        """Number of units that dropout can switch off."""
        ...

    @property
    def dense(self) -> tuple[int, ...]:
        """Positions of the dense weight matrices (those that ``veceval-2016`` regularises)."""
        ...

    def initial(self, stream: Stream) -> list[Tensor]:
        """Weights of one seed: Glorot-uniform dense and input weights, orthogonal recurrent, forget bias 1."""
        ...

    def logits(self, weights: list[Tensor], vectors: Tensor, batch: Batch, mask: Tensor | None) -> Tensor:
        """Class scores, shape (S, B, C). ``mask``: (S, B, dropout_width) of 0 and 2 in training, None in testing."""
        ...


def _affine(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return torch.baddbmm(bias.unsqueeze(1), x, weight)


def _drop(x: Tensor, mask: Tensor | None) -> Tensor:
    return x if mask is None else x * mask


class WindowNetwork:
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

    def logits(self, weights: list[Tensor], vectors: Tensor, batch: Batch, mask: Tensor | None) -> Tensor:
        first, first_bias, second, second_bias = weights
        x = vectors.flatten(start_dim=2)
        hidden = _affine(x, first[:, : self.inputs], first_bias)
        if batch.shapes is not None:
            hidden = torch.baddbmm(hidden, batch.shapes, first[:, self.inputs :])
        return _affine(_drop(torch.tanh(hidden), mask), second, second_bias)


def _initial_lstm(stream: Stream, dimensions: int) -> list[Tensor]:
    """Input weights, recurrent weights and bias; gates i, f, g, o; as many hidden units as dimensions."""
    inputs = torch.cat([stream.glorot(dimensions, dimensions) for _ in range(4)], dim=0)
    recurrent = torch.cat([stream.orthogonal(dimensions) for _ in range(4)], dim=0)
    bias = torch.zeros(4 * dimensions)
    bias[dimensions : 2 * dimensions] = 1.0
    return [inputs, recurrent, bias]


class SentenceNetwork:
    """LSTM, dropout on its state at the last real word, linear."""

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


class PairNetwork:
    """Two LSTMs, dropout on each last state, concatenation, linear + tanh, linear."""

    dense: tuple[int, ...] = (6, 8)

    def __init__(self, dimensions: int, classes: int, hidden: int) -> None:
        self.dimensions = dimensions
        self.hidden = hidden
        self.classes = classes
        self.dropout_width = 2 * dimensions

    def initial(self, stream: Stream) -> list[Tensor]:
        return [
            *_initial_lstm(stream, self.dimensions),
            *_initial_lstm(stream, self.dimensions),
            stream.glorot(2 * self.dimensions, self.hidden),
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

    def initial(self, stream: Stream) -> list[Tensor]:
        return [
            *_initial_lstm(stream, self.dimensions),
            stream.glorot(4 * self.dimensions, self.hidden),
            torch.zeros(self.hidden),
            stream.glorot(self.hidden, self.classes),
            torch.zeros(self.classes),
        ]

    def logits(self, weights: list[Tensor], vectors: Tensor, batch: Batch, mask: Tensor | None) -> Tensor:
        encoder, (first_dense, first_bias, second_dense, second_bias) = weights[:3], weights[3:]
        # Read together, as one batch: (T, 2, S, B, D) to (T, S, 2·B, D).
        texts = pad_sequence(list(vectors.split_with_sizes(batch.steps))).transpose(1, 2).flatten(2, 3)
        states = last_states(texts, torch.cat(batch.lengths, dim=1), *encoder)
        u, v = _drop(torch.cat(states.chunk(2, dim=1), dim=-1), mask).chunk(2, dim=-1)
        features = torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        return _affine(torch.tanh(_affine(features, first_dense, first_bias)), second_dense, second_bias)
