"""Optimisers for weights of several seeds at once, and for rows of a vector table.

Unlike torch's, these optimisers can drop finished seeds from the stack (``keep``) and take their rate from a tensor;
tests compare their steps with torch's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tasks.suite import OPTIMISERS, TrainingSettings

_ADAM, _RMSPROP, _ADAGRAD = (OPTIMISERS[name] for name in ("adam", "rmsprop", "adagrad"))
Tensors = list[Tensor]


class Rule(ABC):
    """An update rule. Its state is so many figures of each number, all starting at zero."""

    figures = 1

    def state(self, values: Tensors) -> list[Tensors]:
        """Fresh state: for each figure a tensor for each of the values."""
        return [[torch.zeros_like(value) for value in values] for _ in range(self.figures)]

    @abstractmethod
    def move(self, values: Tensors, grads: Tensors, state: list[Tensors], rate: Tensor) -> None:
        """Update values and state in place; ``rate``: shape (), on the device, float32 on a GPU."""


class Adam(Rule):
    """Kingma & Ba (2015), algorithm 1; torch's fused version, one pass over the memory of all tensors."""

    figures = 2

    def state(self, values: Tensors) -> list[Tensors]:
        self.steps = torch.zeros((), device=values[0].device)
        return super().state(values)

    def move(self, values: Tensors, grads: Tensors, state: list[Tensors], rate: Tensor) -> None:
        means, squares = state
        self.steps.add_(1)
        torch._fused_adam_(
            values, grads, means, squares, [], [self.steps] * len(values), lr=rate,
            beta1=_ADAM["beta1"], beta2=_ADAM["beta2"], eps=_ADAM["epsilon"],
            weight_decay=0.0, amsgrad=False, maximize=False,
        )  # fmt: skip


class RMSprop(Rule):
    """ρ 0.9, ε 1e-6 inside the root, as in the Keras of the original (docs/protocol.md §2.6)."""

    def move(self, values: Tensors, grads: Tensors, state: list[Tensors], rate: Tensor) -> None:
        for value, grad, square in zip(values, grads, *state, strict=True):
            square.mul_(_RMSPROP["decay"]).addcmul_(grad, grad, value=1 - _RMSPROP["decay"])
            value.sub_((grad * rate).div_((square + _RMSPROP["epsilon"]).sqrt_()))


class Adagrad(Rule):
    """Duchi et al. (2011): each number's rate falls with the root of its summed squared gradients."""

    def move(self, values: Tensors, grads: Tensors, state: list[Tensors], rate: Tensor) -> None:
        for value, grad, square in zip(values, grads, *state, strict=True):
            square.addcmul_(grad, grad)
            value.sub_((grad * rate).div_(square.sqrt().add_(_ADAGRAD["epsilon"])))


_RULES: dict[str, Callable[[], Rule]] = {"adam": Adam, "rmsprop": RMSprop, "adagrad": Adagrad}


class WeightOptimiser:
    """Updates the network's weights, tensors of shape (S, …)."""

    def __init__(self, weights: Tensors, settings: TrainingSettings, dense: tuple[int, ...]) -> None:
        self.rule = _RULES[settings.optimiser]()
        self.state = self.rule.state(weights)
        self.decay = dict.fromkeys(dense, 2 * settings.l2_dense) if settings.l2_dense else {}

    def step(self, weights: Tensors, grads: Tensors, rate: Tensor) -> None:
        """Move the weights against their gradients; ``rate`` as in :meth:`Rule.move`."""
        for i, decay in self.decay.items():
            grads[i] = grads[i].add(weights[i], alpha=decay)
        self.rule.move(weights, grads, self.state, rate)

    def keep(self, seeds: Tensor) -> None:
        """Drop all other seeds from the stack."""
        self.state = [[part.index_select(0, seeds) for part in figure] for figure in self.state]


class Segments(NamedTuple):
    """The distinct rows of each of k batches of one shape, with m ids each, and the gradients of each row.

    So the gradients of a row are summed in a fixed order, and the host need not know how many rows there are.

    Parameters
    ----------
    order : places of the ids, sorted by row, int64, shape (k, m).
    rows : distinct rows, then 0s, int64, shape (k, m).
    ends : start of each row's part of the order, and its end, int64, shape (k, m + 1).
    """

    order: Tensor
    rows: Tensor
    ends: Tensor

    @classmethod
    def of(cls, ids: Tensor) -> Segments:
        """Segments of batches' ids, shape (k, m)."""
        ordered, order = ids.sort(dim=1, stable=True)
        is_next = torch.zeros_like(ordered)
        is_next[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        segment = is_next.cumsum(dim=1)
        rows = torch.zeros_like(ordered).scatter_(1, segment, ordered)
        numbers = torch.arange(ids.shape[1] + 1, device=ids.device).expand(len(ids), -1).contiguous()
        return cls(order, rows, torch.searchsorted(segment, numbers))

    def sums(self, batch: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
        """Rows of a batch, shape (m,), and the sums of their gradients, shape (m, D).

        Parameters
        ----------
        batch : its number, int64, shape (1,).
        grad : of every id, shape (m, D).
        """
        order, rows, ends = (part.index_select(0, batch)[0] for part in self)
        ordered = grad.index_select(0, order)
        return rows, torch.segment_reduce(ordered, "sum", offsets=ends, axis=0, unsafe=True, initial=0)


class Vectors:
    """One table for all seeds, or one of so many rows for each, stacked; never changed (mode ``fixed``).

    ``offsets``: first row of each seed's table, int64, shape (S,); None if they share one.
    """

    def __init__(self, table: Tensor, rows: int = 0) -> None:
        self.table = table
        self.rows = rows
        self.offsets = torch.arange(0, len(table), rows, device=table.device) if rows else None

    def gather(self, ids: Tensor) -> Tensor:
        """Vectors of these rows, shape (*ids.shape, D)."""
        return self.table.index_select(0, ids.reshape(-1)).view(*ids.shape, -1)

    def keep(self, seeds: Tensor) -> None:
        """Do nothing: all seeds share the table."""

    def of_seed(self, place: int) -> Tensor:
        """The table of the seed at this place in the stack, shape (R, D)."""
        return self.table[place * self.rows : (place + 1) * self.rows]


class TunedVectors(Vectors):
    """A table per seed, stacked to (S·R, D); only rows in the batch are updated (mode ``fine-tuned``).

    Dense rules (``veceval-2016``) update every row of the task's table at every step, as L2 on vectors requires.
    """

    def __init__(self, table: Tensor, seeds: int, settings: TrainingSettings) -> None:
        if settings.vector_optimiser is None or settings.vector_learning_rate is None:
            raise ValueError("fine-tuned mode needs an optimiser and a learning rate for the vectors")
        super().__init__(table.repeat(seeds, 1), len(table))
        kind, name = settings.vector_optimiser.split("-")
        self.dense = kind == "dense"
        self.rule = _RULES[name]()
        self.l2 = settings.l2_vectors
        (self.squares,) = self.rule.state([self.table])[0]
        self.marked = np.zeros(len(self.table), dtype=np.bool_)
        self.places = np.zeros(len(self.table), dtype=np.int64)

    def update(self, ids: Tensor, grad: Tensor, rate: Tensor, sums: tuple[Tensor, Tensor] | None = None) -> None:
        """Move the rows ``ids`` (including the seeds' offsets) against ``grad``, shape (*ids.shape, D).

        ``sums``: rows and sums of their gradients (:meth:`Segments.sums`); None: found here, on the host.
        """
        touched, total = sums or self._sums(ids.reshape(-1), grad.flatten(end_dim=-2))
        if self.dense:
            total = torch.zeros_like(self.table).index_copy_(0, touched, total)
            if self.l2:
                total.add_(self.table, alpha=2 * self.l2)
            self.rule.move([self.table], [total], [[self.squares]], rate)
        else:
            values, squares = (part.index_select(0, touched) for part in (self.table, self.squares))
            self.rule.move([values], [total], [[squares]], rate)
            self.table.index_copy_(0, touched, values)
            self.squares.index_copy_(0, touched, squares)
        self.table.view(-1, self.rows, self.table.shape[1])[:, 0] = 0.0  # <pad> is never trained

    def _sums(self, ids: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
        """The distinct ids in ascending order, and the sums of their gradients: ``torch.unique`` without its sort.

        Uses NumPy on the same memory: torch takes three times as long to find the marked ids.
        """
        listed: NDArray[np.int64] = ids.numpy()
        self.marked[listed] = True
        distinct = np.flatnonzero(self.marked)
        self.marked[distinct] = False
        self.places[distinct] = np.arange(len(distinct))
        place = torch.from_numpy(self.places[listed])
        return torch.from_numpy(distinct), grad.new_zeros(len(distinct), grad.shape[1]).index_add_(0, place, grad)

    def keep(self, seeds: Tensor) -> None:
        self.table, self.squares = (
            part.view(-1, self.rows, part.shape[1]).index_select(0, seeds).flatten(end_dim=1)
            for part in (self.table, self.squares)
        )
        super().__init__(self.table, self.rows)
