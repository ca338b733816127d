"""Counting operations that torch's own counter misses."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from research.performance.arithmetic import Counted
from tasks.extrinsic.networks import one_by_one, stacked

Reading = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
STEPS, SEEDS, BATCH, INPUTS, UNITS = 6, 2, 4, 10, 7
BY_INPUTS = 2 * STEPS * SEEDS * BATCH * INPUTS * 4 * UNITS
BY_STATES = 2 * STEPS * SEEDS * BATCH * UNITS * 4 * UNITS


def weights() -> list[Tensor]:
    shapes = ((SEEDS, 4 * UNITS, INPUTS), (SEEDS, 4 * UNITS, UNITS), (SEEDS, 4 * UNITS))
    return [torch.randn(shape).requires_grad_() for shape in shapes]


@pytest.mark.parametrize(
    ("read", "steps_with_a_state_before"), [(one_by_one, STEPS), (stacked, STEPS - 1)], ids=["oneDNN", "stacked"]
)
def test_reading_and_training_an_lstm_is_counted(read: Reading, steps_with_a_state_before: int) -> None:
    by_states = BY_STATES * steps_with_a_state_before // STEPS
    x = torch.randn(STEPS, SEEDS, BATCH, INPUTS).requires_grad_()
    with Counted() as counted:
        states = read(x, torch.full((SEEDS, BATCH), STEPS), *weights())
        assert counted.operations == BY_INPUTS + by_states
        states.sum().backward()
        assert counted.operations == 3 * (BY_INPUTS + by_states)


def test_a_gradient_that_is_not_computed_is_not_counted() -> None:
    with Counted() as counted:
        one_word = torch.ones(SEEDS, BATCH, dtype=torch.int64)
        stacked(torch.randn(1, SEEDS, BATCH, INPUTS), one_word, *weights()).sum().backward()
    assert counted.operations == 2 * BY_INPUTS // STEPS
