"""Optimisers for weights of several seeds at once, and for rows of a vector table.

Unlike torch's, these optimisers can drop finished seeds from the stack (``keep``); tests compare their steps with
torch's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.optim.adam import adam

from tasks.suite import OPTIMISERS, TrainingSettings

_ADAM, _RMSPROP, _ADAGRAD = (OPTIMISERS[name] for name in ("adam", "rmsprop", "adagrad"))


class Rule(Protocol):
    """An update rule with state of the shape of what it updates."""

    rate: float

    def state(self, like: Tensor) -> list[Tensor]:
        """Fresh state for one tensor."""
        ...

    def move(self, values: Tensor, grad: Tensor, state: list[Tensor], step: int) -> None:
        """Update the values and their state in place; steps count from 1."""
        ...


class _Moments:
    """Running statistics of each number's gradient, all starting at zero."""

    figures = 1

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def state(self, like: Tensor) -> list[Tensor]:
        return [torch.zeros_like(like) for _ in range(self.figures)]


class Adam(_Moments):
    """Kingma & Ba (2015), algorithm 1; torch's fused version, one pass over the memory."""

    figures = 2

    def move(self, values: Tensor, grad: Tensor, state: list[Tensor], step: int) -> None:
        mean, square = state
        before = torch.full((), step - 1.0, device=values.device)
        adam(
            [values], [grad], [mean], [square], [], [before], fused=True, amsgrad=False, maximize=False,
            lr=self.rate, beta1=_ADAM["beta1"], beta2=_ADAM["beta2"], eps=_ADAM["epsilon"], weight_decay=0.0,
        )  # fmt: skip


class RMSprop(_Moments):
    """ρ 0.9, ε 1e-6 inside the root, as in the Keras of the original (docs/protocol.md §2.6)."""

    def move(self, values: Tensor, grad: Tensor, state: list[Tensor], step: int) -> None:
        (square,) = state
        square.mul_(_RMSPROP["decay"]).addcmul_(grad, grad, value=1 - _RMSPROP["decay"])
        values.addcdiv_(grad, (square + _RMSPROP["epsilon"]).sqrt_(), value=-self.rate)


class Adagrad(_Moments):
    """Duchi et al. (2011): each number's rate falls with the root of its summed squared gradients."""

    def move(self, values: Tensor, grad: Tensor, state: list[Tensor], step: int) -> None:
        (square,) = state
        square.addcmul_(grad, grad)
        values.addcdiv_(grad, square.sqrt().add_(_ADAGRAD["epsilon"]), value=-self.rate)


_RULES: dict[str, Callable[[float], Rule]] = {"adam": Adam, "rmsprop": RMSprop, "adagrad": Adagrad}


class _Ruled:
    """An update rule with an adjustable rate."""

    def __init__(self, name: str, rate: float) -> None:
        self.rate = rate
        self.rule: Rule = _RULES[name](rate)

    def set_rate(self, share: float) -> None:
        """Set the rate to a share of its setting."""
        self.rule.rate = self.rate * share


class WeightOptimiser(_Ruled):
    """Updates the network's weights, one tensor of shape (S, …) after the other."""

    def __init__(self, weights: list[Tensor], settings: TrainingSettings, dense: tuple[int, ...]) -> None:
        super().__init__(settings.optimiser, settings.learning_rate)
        self.states = [self.rule.state(weight) for weight in weights]
        self.decay = dict.fromkeys(dense, 2 * settings.l2_dense) if settings.l2_dense else {}
        self.steps = 0

    @torch.no_grad()
    def step(self, weights: list[Tensor], grads: list[Tensor]) -> None:
        self.steps += 1
        for i, (weight, grad, state) in enumerate(zip(weights, grads, self.states, strict=True)):
            if i in self.decay:
                grad = grad.add(weight, alpha=self.decay[i])
            self.rule.move(weight, grad, state, self.steps)

    def keep(self, seeds: Tensor) -> None:
        """Drop all other seeds from the stack."""
        self.states = [[part.index_select(0, seeds) for part in state] for state in self.states]


class WeightAverage:
    """Exponential moving average of the network's weights over steps (Polyak & Juditsky 1992), with bias correction.

    With a high learning rate the weights keep moving; their average, and so the score, moves less.
    """

    def __init__(self, weights: list[Tensor], decay: float) -> None:
        self.decay = decay
        self.sums = [torch.zeros_like(weight) for weight in weights]
        self.steps = 0

    def take(self, weights: list[Tensor]) -> None:
        """Add the weights after a step."""
        self.steps += 1
        for total, weight in zip(self.sums, weights, strict=True):
            total.lerp_(weight, 1 - self.decay)

    def weights(self) -> list[Tensor]:
        """The current average; needs at least one step."""
        return [total / (1 - self.decay**self.steps) for total in self.sums]

    def keep(self, seeds: Tensor) -> None:
        """Drop all other seeds from the stack."""
        self.sums = [total.index_select(0, seeds) for total in self.sums]


class FrozenVectors:
    """One table for all seeds, never changed (mode ``fixed``)."""

    tuned = False

    def __init__(self, table: Tensor) -> None:
        self.table = table

    def offsets(self, seeds: int) -> Tensor:
        return torch.zeros(seeds, dtype=torch.int64, device=self.table.device)

    def gather(self, ids: Tensor) -> Tensor:
        """Vectors of these rows, shape (*ids.shape, D)."""
        return self.table.index_select(0, ids.reshape(-1)).view(*ids.shape, -1)

    def set_rate(self, share: float) -> None:
        """Do nothing: frozen vectors have no rate."""

    def update(self, ids: Tensor, grad: Tensor) -> None:
        raise AssertionError("frozen vectors have no gradient")

    def keep(self, seeds: Tensor) -> None:
        """Do nothing: all seeds share the table."""

    def of_seed(self, place: int) -> Tensor:
        return self.table


class TunedVectors(_Ruled):
    """A table per seed, stacked to (S·R, D); only rows in the batch are updated (mode ``fine-tuned``).

    Dense rules (``veceval-2016``) update every row of the task's table at every step, as L2 on vectors requires. On a
    GPU Adagrad's sparse rule also runs over the whole table: rows without gradient do not change, and finding the
    others would make the host wait for the device at every step.
    """

    tuned = True

    def __init__(self, table: Tensor, seeds: int, settings: TrainingSettings) -> None:
        if settings.vector_optimiser is None or settings.vector_learning_rate is None:
            raise ValueError("fine-tuned mode needs an optimiser and a learning rate for the vectors")
        kind, name = settings.vector_optimiser.split("-")
        self.dense = kind == "dense" or (name == "adagrad" and table.device.type != "cpu")
        super().__init__(name, settings.vector_learning_rate)
        self.l2 = settings.l2_vectors
        self.rows = len(table)
        self.table = table.repeat(seeds, 1)
        self.state = self.rule.state(self.table)
        self.marked = np.zeros(len(self.table), dtype=np.bool_)
        self.places = np.zeros(len(self.table), dtype=np.int64)
        self.steps = 0

    def offsets(self, seeds: int) -> Tensor:
        return torch.arange(seeds, device=self.table.device) * self.rows

    def gather(self, ids: Tensor) -> Tensor:
        return self.table.index_select(0, ids.reshape(-1)).view(*ids.shape, -1).requires_grad_()

    @torch.no_grad()
    def update(self, ids: Tensor, grad: Tensor) -> None:
        """Move the rows ``ids`` (including the seeds' offsets) against ``grad``, shape (*ids.shape, D)."""
        self.steps += 1
        flat = grad.reshape(-1, grad.shape[-1])
        if self.dense:
            total = torch.zeros_like(self.table).index_add_(0, ids.reshape(-1), flat)
            if self.l2:
                total.add_(self.table, alpha=2 * self.l2)
            self.rule.move(self.table, total, self.state, self.steps)
        else:
            touched, place = self._distinct(ids.reshape(-1))
            total = flat.new_zeros(len(touched), flat.shape[1]).index_add_(0, place, flat)
            moved = [part.index_select(0, touched) for part in (self.table, *self.state)]
            self.rule.move(moved[0], total, moved[1:], self.steps)
            for part, rows in zip((self.table, *self.state), moved, strict=True):
                part.index_copy_(0, touched, rows)
        self.table.view(-1, self.rows, self.table.shape[1])[:, 0] = 0.0  # <pad> is never trained

    def _distinct(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """The distinct ids in ascending order, and each id's index among them: ``torch.unique`` without its sort.

        Uses NumPy on the same memory: torch takes three times as long to find the marked ids.
        """
        if ids.device.type != "cpu":
            touched, place = torch.unique(ids, return_inverse=True)
            return touched, place
        listed: NDArray[np.int64] = ids.numpy()
        self.marked[listed] = True
        distinct = np.flatnonzero(self.marked)
        self.marked[distinct] = False
        self.places[distinct] = np.arange(len(distinct))
        return torch.from_numpy(distinct), torch.from_numpy(self.places[listed])

    def keep(self, seeds: Tensor) -> None:
        def cut(stacked: Tensor) -> Tensor:
            return stacked.view(-1, self.rows, stacked.shape[1]).index_select(0, seeds).flatten(end_dim=1)

        self.table = cut(self.table)
        self.state = [cut(part) for part in self.state]
        self.marked = self.marked[: len(self.table)]

    def of_seed(self, place: int) -> Tensor:
        return self.table[place * self.rows : (place + 1) * self.rows]


Vectors = FrozenVectors | TunedVectors
