"""Bounds of sequential tests, against published ones and simulated paths."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.statistics.sequential import ONLY_LOOK, Look, spending_bounds


def test_equally_spaced_looks_have_the_published_bounds() -> None:
    # Reboussin, DeMets, Kim & Lan (2000), Controlled Clinical Trials 21(3): O'Brien-Fleming type, one-sided 2.5 %.
    thirds = spending_bounds((1 / 3, 2 / 3, 1.0), 0.025)
    assert thirds == pytest.approx((3.7103, 2.5114, 1.9930), abs=2e-4)
    fifths = spending_bounds((0.2, 0.4, 0.6, 0.8, 1.0), 0.025)
    assert fifths == pytest.approx((4.8769, 3.3569, 2.6803, 2.2898, 2.0310), abs=3e-4)


@pytest.mark.parametrize("fractions", [(0.3, 0.5, 1.0), (0.72, 0.87, 0.94, 0.98, 1.0), (0.996, 0.998, 0.999, 1.0)])
def test_a_difference_of_examples_and_seeds_exceeds_the_bounds_at_the_level_spent(fractions: tuple[float, ...]) -> None:
    bounds = np.array(spending_bounds(fractions, 0.05))
    steps = np.sqrt(np.diff((0.0, *fractions)))
    paths = np.cumsum(steps * np.random.default_rng(1).standard_normal((400_000, len(fractions))), axis=1)
    is_beyond = paths / np.sqrt(fractions) > bounds
    assert is_beyond.any(axis=1).mean() == pytest.approx(0.05, abs=0.0015)
    spent = is_beyond[:, 0].mean()
    assert spent == pytest.approx(Look(fractions, 1).level(0.05), abs=0.0015)


def test_means_over_more_and_more_seeds_have_these_fractions() -> None:
    # The variance of a mean over k seeds is σ² / k and that of the examples stays: a second, independent simulation.
    generator, runs, seeds, of_examples = np.random.default_rng(2), 400_000, 5, 0.4
    examples = np.sqrt(of_examples) * generator.standard_normal((runs, 1))
    counts = np.arange(1, seeds + 1)
    means = np.cumsum(generator.standard_normal((runs, seeds)), axis=1) / counts
    variances = of_examples + 1 / counts
    bounds = spending_bounds(tuple((variances[-1] / variances).tolist()), 0.05)
    is_beyond = (examples + means) / np.sqrt(variances) > bounds
    assert is_beyond.any(axis=1).mean() == pytest.approx(0.05, abs=0.0015)


def test_a_single_look_has_the_whole_level() -> None:
    assert ONLY_LOOK.level(0.05) == 0.05
    assert spending_bounds((1.0,), 0.05) == pytest.approx((1.6449,), abs=1e-4)
