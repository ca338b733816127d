"""A step of the machine's clock must not look like the death of every worker."""

from __future__ import annotations

import pytest

from workers.sweep.clock import Clock


class Watch:
    def __init__(self) -> None:
        self.day, self.monotonic = 1_000_000.0, 50.0

    def pass_seconds(self, seconds: float, step: float = 0.0) -> None:
        self.monotonic += seconds
        self.day += seconds + step


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def clock(watch: Watch) -> Clock:
    return Clock(lambda: watch.day, lambda: watch.monotonic)


def test_time_that_passes_is_not_a_step(watch: Watch, clock: Clock) -> None:
    for _ in range(100):
        watch.pass_seconds(30, step=0.001)
        assert clock.is_steady()


@pytest.mark.parametrize("step", [3_600.0, -3_600.0])
def test_after_a_step_signs_of_life_are_waited_for(watch: Watch, clock: Clock, step: float) -> None:
    watch.pass_seconds(30, step=step)
    assert not clock.is_steady()
    watch.pass_seconds(60)
    assert not clock.is_steady()
    watch.pass_seconds(31)
    assert clock.is_steady()
