"""Means over repeated splits against formulas of the textbook, matrices, and planted effects."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import stdtrit

from extensions.sufficiency.measure.pairs import folds_of
from extensions.sufficiency.measure.splits import mean_over_splits

Floats = NDArray[np.float64]


def split_weights(sizes: list[int], partitions: int, seed: int = 0) -> Floats:
    """Weights of groups of these sizes in four folds of each partition."""
    draw = np.random.default_rng(seed)
    folds = [folds_of(np.array(sizes), 4, draw) for _ in range(partitions)]
    chosen = np.array([(fold_of == fold) * sizes for fold_of in folds for fold in range(4)])
    return np.asarray(chosen / chosen.sum(axis=1, keepdims=True))


def test_groups_without_noise_of_the_splits_have_the_interval_of_students_t() -> None:
    weights = split_weights([1] * 8, 5)
    effects = np.array([0.1, -0.2, 0.4, 0.0, 0.3, -0.1, 0.2, 0.1])
    mean, interval = mean_over_splits(weights * effects, weights)
    half = stdtrit(7, 0.975) * effects.std(ddof=1) / np.sqrt(8)
    assert mean == pytest.approx(effects.mean())
    assert interval is not None
    low, high = interval
    assert (high - low) / 2 >= half * 0.999
    assert low < mean - half * 0.999


@pytest.mark.parametrize("sizes", [[1] * 10, [40, 20, 9, 5, 4, 3, 3, 2, 1]])
def test_the_variance_is_unbiased_for_groups_of_equal_variance(sizes: list[int]) -> None:
    weights, draw = split_weights(sizes, 5), np.random.default_rng(1)
    squares = float(np.square(weights.mean(axis=0)).sum())
    variances = []
    for _ in range(2_000):
        _, interval = mean_over_splits(weights * draw.normal(size=len(sizes)), weights)
        assert interval is not None
        variances.append(((interval[1] - interval[0]) / 2 / stdtrit(1 / squares - 1, 0.975)) ** 2)
    assert np.mean(variances) == pytest.approx(squares, rel=0.1)


def coverage(sizes: list[int], spread: float, noise: float) -> float:
    """Share of 600 intervals that hold the true mean, 0."""
    draw = np.random.default_rng(3)
    held = 0
    for design in range(30):
        weights = split_weights(sizes, 5, design)
        for _ in range(20):
            values = spread * draw.normal(size=len(sizes)) + noise * draw.normal(size=(len(weights), 1))
            interval = mean_over_splits(weights * values, weights)[1]
            assert interval is not None
            held += bool(interval[0] <= 0.0 <= interval[1])
    return held / 600


@pytest.mark.parametrize(("spread", "noise"), [(1.0, 0.0), (1.0, 0.5), (0.05, 1.0)])
@pytest.mark.parametrize("sizes", [[1] * 12, [30, 20, 9, 8, 7, 5, 4, 3, 3, 2, 1, 1], [1] * 60])
def test_intervals_hold_the_truth_whether_groups_or_splits_vary(sizes: list[int], spread: float, noise: float) -> None:
    assert 0.925 <= coverage(sizes, spread, noise) <= 0.99


def test_noise_of_splits_averages_over_them_and_effects_of_groups_do_not() -> None:
    draw = np.random.default_rng(0)
    widths = []
    for partitions in (5, 20):
        weights = split_weights([1] * 40, partitions)
        noise, groups = draw.normal(size=(len(weights), 1)), draw.normal(size=40)
        for values in (noise + np.zeros(40), groups + 0 * noise):
            interval = mean_over_splits(weights * values, weights)[1]
            assert interval is not None
            widths.append(interval[1] - interval[0])
    of_noise, of_groups, of_noise_again, of_groups_again = widths
    assert of_noise_again < 0.65 * of_noise
    assert of_groups_again == pytest.approx(of_groups, rel=0.1) or of_groups_again > of_groups


def test_one_split_or_few_groups_give_no_interval() -> None:
    assert mean_over_splits(np.full((1, 8), 0.4 / 8), np.full((1, 8), 1 / 8)) == (pytest.approx(0.4), None)
    for groups, has_interval in ((3, False), (5, True)):
        weights = np.eye(groups)  # each group alone in a split
        assert (mean_over_splits(0.4 * weights, weights)[1] is not None) == has_interval


def test_equal_values_have_an_interval_without_width() -> None:
    weights = split_weights([1] * 8, 2)
    mean, interval = mean_over_splits(weights * 0.5, weights)
    assert interval == pytest.approx((0.5, 0.5))
    assert mean == pytest.approx(0.5)
