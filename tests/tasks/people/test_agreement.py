from __future__ import annotations

import krippendorff
import numpy as np
import pytest

from tasks.people.agreement import alpha


def test_raters_who_always_choose_alike_agree_perfectly() -> None:
    assert alpha([(1, "a"), (1, "a"), (2, "b"), (2, "b")]).alpha == 1.0


def test_it_is_what_another_program_says() -> None:
    values = np.random.default_rng(3).integers(0, 3, size=(8, 40)).astype(float)
    values[np.random.default_rng(4).random(values.shape) < 0.6] = np.nan
    choices = [(unit, value) for row in values for unit, value in enumerate(row) if not np.isnan(value)]
    expected = krippendorff.alpha(reliability_data=values, level_of_measurement="nominal")
    assert alpha(choices).alpha == pytest.approx(expected, abs=1e-12)


def test_triads_that_one_rater_saw_are_left_out() -> None:
    agreement = alpha([(1, "a"), (1, "b"), (2, "a")])
    assert (agreement.units, agreement.answers) == (1, 2)


def test_it_says_when_nothing_is_shared() -> None:
    agreement = alpha([(1, "a"), (2, "a")])
    assert agreement.alpha is None
    assert "No two raters" in agreement.reason


def test_it_says_when_chance_would_agree_as_well() -> None:
    assert "All answers are the same" in alpha([(1, "a"), (1, "a")]).reason
