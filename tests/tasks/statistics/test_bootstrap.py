"""Bootstrap counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tasks.statistics import bootstrap
from tasks.statistics.bootstrap import bootstrap_weights


def test_every_resample_draws_as_many_examples_as_there_are() -> None:
    weights = bootstrap_weights(17, resamples=50)
    assert weights.shape == (50, 17)
    assert (weights.sum(axis=1) == 17).all()


def test_resamples_are_seeded() -> None:
    assert np.array_equal(bootstrap_weights(9, 20, seed=3), bootstrap_weights(9, 20, seed=3))
    assert not np.array_equal(bootstrap_weights(9, 20, seed=3), bootstrap_weights(9, 20, seed=4))


def test_every_example_is_drawn_equally_often() -> None:
    mean = bootstrap_weights(40, resamples=4000).mean(axis=0)
    assert np.abs(mean - 1).max() < 5 / math.sqrt(4000)


def test_resamples_do_not_depend_on_the_size_of_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bootstrap_weights(30, resamples=25)
    monkeypatch.setattr(bootstrap, "_DRAWS_A_BLOCK", 70)
    assert np.array_equal(bootstrap_weights(30, resamples=25), whole)
