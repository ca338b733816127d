"""Squared lengths of coefficients against refitted regressions, loops, and numbers worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import chi2, ncx2
from scipy.stats import t as student

from extensions.associations.measure.regression import NO_INTERVAL, NO_VARIANCE, Regression
from tasks.statistics.bootstrap import RESAMPLES, SEED


def fitted(design: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Coefficients, weights, projection and residuals by the normal equations."""
    weights = np.linalg.inv(design.T @ design) @ design.T
    return weights @ vectors, weights, design @ weights, vectors - design @ (weights @ vectors)


def parts(design: np.ndarray, vectors: np.ndarray, column: int) -> tuple[float, float]:
    """Squared length of a coefficient and its sampling variance, number by number."""
    coefficients, weights, projection, residuals = fitted(design, vectors)
    length = sum(x * x for x in coefficients[column])
    noise = 0.0
    for i, residual in enumerate(residuals):
        noise += weights[column, i] ** 2 * sum(x * x for x in residual) / (1 - projection[i, i])
    return length, noise


def jackknife(design: np.ndarray, vectors: np.ndarray, column: int) -> float:
    length, noise = parts(design, vectors, column)
    projection = fitted(design, vectors)[2]
    total = 0.0
    for i in range(len(design)):
        own_length, own_noise = parts(np.delete(design, i, 0), np.delete(vectors, i, 0), column)
        total += (1 - projection[i, i]) * (own_length - own_noise - length + noise) ** 2
    return total


def permutation_p(design: np.ndarray, vectors: np.ndarray, column: int, count: int) -> float:
    """Freedman and Lane: every permutation of the residuals without the column is fitted again."""
    without = np.delete(design, column, 1)
    expected = without @ np.linalg.lstsq(without, vectors, rcond=None)[0]
    generator = np.random.default_rng(SEED)
    length, noise = parts(design, vectors, column)
    reached = 0
    for _ in range(count):
        moved = np.empty_like(vectors)
        moved[generator.permuted(np.arange(len(vectors))[None], axis=1)[0]] = vectors - expected
        own_length, own_noise = parts(design, expected + moved, column)
        reached += own_length / own_noise >= length / noise * (1 - 1e-9)
    return (reached + 1) / (count + 1)


def two_groups(first: list[list[float]], second: list[list[float]]) -> Regression:
    design = np.column_stack([np.ones(len(first) + len(second)), [1.0] * len(first) + [0.0] * len(second)])
    return Regression(design, np.array([*first, *second], dtype=np.float64))


def made(n: int, dimensions: int = 7, seed: int = 0) -> Regression:
    """A constant, a group, two levels of another field, and a number."""
    generator = np.random.default_rng(seed)
    level, group = np.arange(n) // 2 % 3, np.arange(n) % 2 == 0
    design = np.column_stack([np.ones(n), group, level == 1, level == 2, generator.normal(size=n)]).astype(np.float64)
    vectors = generator.normal(size=(n, dimensions)) * generator.uniform(0.5, 2, (n, 1))
    return Regression(design, vectors + np.outer(design[:, 4], np.ones(dimensions) / 4))


def test_two_groups_by_hand() -> None:
    """Means 2 and 6, variances 2 and 4: 16 − 2/2 − 4/3."""
    found = two_groups([[1.0], [3.0]], [[4.0], [6.0], [8.0]]).squared_norm(1)
    assert found.uncorrected == pytest.approx(16)
    assert found.estimate == pytest.approx(16 - 1 - 4 / 3)
    # Of ten divisions, only 6 and 8 against 1, 3 and 4 is further apart, by 18.8 over 1 + 7/9.
    assert found.p == pytest.approx(2 / 10, abs=0.03)
    assert found.interval is None
    assert found.reason == NO_INTERVAL.format(one="document")


def test_a_negative_estimate_is_not_cut() -> None:
    """Means (1, 0) and (1, 1), variances 2 and 2 in the first number: 1 − 1 − 1."""
    found = two_groups([[0.0, 0.0], [2.0, 0.0]], [[0.0, 1.0], [2.0, 1.0]]).squared_norm(1)
    assert found.estimate == pytest.approx(-1)


def test_the_jackknife_of_two_groups_is_that_within_groups() -> None:
    first, second = [[1.0, 0.0], [3.0, 1.0], [4.0, 4.0]], [[4.0, 2.0], [6.0, 0.0], [8.0, 1.0], [5.0, 5.0]]

    def distance(a: list[list[float]], b: list[list[float]]) -> float:
        means = [np.mean(group, axis=0) for group in (a, b)]
        noise = [np.var(group, axis=0, ddof=1).sum() / len(group) for group in (a, b)]
        return float(np.sum((means[0] - means[1]) ** 2) - sum(noise))

    whole = distance(first, second)
    without = [[distance(first[:i] + first[i + 1 :], second) for i in range(3)]]
    without += [[distance(first, second[:i] + second[i + 1 :]) for i in range(4)]]
    expected = sum((len(own) - 1) / len(own) * sum((x - whole) ** 2 for x in own) for own in without)
    regression = two_groups(first, second)
    assert regression.squared_norm(1).standard_error == pytest.approx(math.sqrt(expected))
    n = (3, 4)  # Welch's degrees of freedom with equal variances
    freedom = (1 / n[0] + 1 / n[1]) ** 2 / sum(1 / (k * k * (k - 1)) for k in n)
    assert regression.squared_norm(1).degrees_of_freedom == pytest.approx(freedom)


def test_groups_of_equal_size_have_the_degrees_of_freedom_of_both() -> None:
    regression = Regression(made(40).design[:, :1] * [1.0, 0.0] + np.outer(np.arange(40) % 2, [0, 1]), np.eye(40))
    assert regression.squared_norm(1).degrees_of_freedom == pytest.approx(38)


@pytest.mark.parametrize("n", [12, 30])
@pytest.mark.parametrize("column", [1, 3, 4])
def test_coefficients_are_those_of_refitted_regressions(n: int, column: int) -> None:
    regression = made(n)
    length, noise = parts(regression.design, regression.vectors, column)
    found = regression.squared_norm(column, 60)
    assert found.uncorrected == pytest.approx(length)
    assert found.estimate == pytest.approx(length - noise)
    assert found.p == permutation_p(regression.design, regression.vectors, column, 60)
    expected = jackknife(regression.design, regression.vectors, column)
    assert found.standard_error == pytest.approx(math.sqrt(expected))
    assert found.degrees_of_freedom is not None
    assert found.degrees_of_freedom <= n - 5


def test_the_detectable_length_is_that_of_an_f_test_whose_directions_vary_alike() -> None:
    """2,000 vectors that vary alike in 20 directions: F with 20 and nearly infinite degrees of freedom."""
    design = np.column_stack([np.ones(2000), np.arange(2000) % 2]).astype(np.float64)
    found = Regression(design, np.random.default_rng(0).normal(size=(2000, 20))).squared_norm(1, 1)
    noise = 20 * 4 / 2000
    critical = chi2.ppf(0.95, 20)
    assert found.detectable == pytest.approx(
        brentq(lambda x: ncx2.sf(critical, 20, x) - 0.8, 1, 99) * noise / 20, rel=0.03
    )
    assert found.scaled(2).detectable == pytest.approx(2 * found.detectable)


def test_three_and_three_documents_have_too_few_permutations_to_detect_a_difference() -> None:
    vectors = np.random.default_rng(0).normal(size=(8, 5)).tolist()
    assert two_groups(vectors[:3], vectors[3:6]).squared_norm(1).detectable is None
    assert two_groups(vectors[:3], vectors[3:]).squared_norm(1).detectable is not None


def test_the_ends_of_an_interval_are_t_standard_errors_away_each_with_its_own() -> None:
    """The formula of docs/protocol.md §6.5, with the covariance as a matrix."""
    growths, bounded = [], 0
    for seed in range(20):
        even = made(30, seed=seed)
        design, vectors = even.design, even.vectors / np.arange(1, 8) ** 2
        found = Regression(design, vectors).squared_norm(1, 1)
        coefficients, weights, projection, residuals = fitted(design, vectors)
        b, length, freedom = coefficients[1], found.uncorrected, found.degrees_of_freedom
        covariance = (residuals.T * (weights[1] ** 2 / (1 - np.diag(projection)))) @ residuals
        noise, along = np.trace(covariance), b @ covariance @ b
        square = (b @ covariance @ covariance @ b - along * noise / freedom) / (1 + 1 / freedom)
        growths.append(min(max(length * square / along**2 - 1, 0.0), 1.0))
        most = 4 * np.linalg.eigvalsh(covariance)[-1]
        assert found.interval[0] < found.estimate < found.interval[1]
        for end in found.interval:
            truth = max(end, 0.0)
            slope = found.standard_error**2 / length * ((truth + noise) / length) ** growths[-1]
            t = student.ppf(0.975, [freedom, 2 * freedom])
            expected = math.sqrt(min(slope, most) * (t**2 @ [truth, noise / 2]))
            assert abs(end - found.estimate) == pytest.approx(expected)
            bounded += slope > most
    assert min(growths) == 0
    assert max(growths) == 1
    assert any(0 < growth < 1 for growth in growths)
    assert 0 < bounded < 40


def test_an_interval_has_the_unit_of_squared_vectors() -> None:
    regression = made(12)
    larger = Regression(regression.design, 1e5 * regression.vectors).squared_norm(1, 1)
    expected = regression.squared_norm(1, 1).scaled(1e10)
    assert larger.interval == pytest.approx(expected.interval, rel=1e-9)


def test_more_dimensions_than_documents_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = made(15, dimensions=40)
    turned = Regression(wide.design, wide.vectors @ np.linalg.qr(np.random.default_rng(1).normal(size=(40, 40)))[0])
    whole = wide.squared_norm(4)
    assert turned.squared_norm(4).p == whole.p
    assert whole.p == permutation_p(wide.design, wide.vectors, 4, RESAMPLES)
    monkeypatch.setattr("extensions.associations.measure.regression._A_BLOCK", 700)
    blocked = Regression(wide.design, wide.vectors).squared_norm(4)
    assert blocked.p == whole.p
    assert blocked.interval == pytest.approx(whole.interval)


def test_equal_documents_have_no_difference() -> None:
    for document in ([1.0, 2.0], [0.1, 0.7], [1 / 3, -1e6, 1e-6]):
        found = two_groups([document] * 3, [document] * 4).squared_norm(1)
        assert found.estimate == pytest.approx(0, abs=1e-12 * max(map(abs, document)) ** 2)
        assert found.p == 1


def test_repeated_documents_tie_with_their_exchange() -> None:
    """A document of each group is the same; exchanging both gives the observed groups, and must count."""
    found = two_groups([[0.0], [5.0]], [[5.0], [9.0]]).squared_norm(1)
    assert found.p == pytest.approx(2 / 3, abs=0.05)


def test_a_document_alone_at_its_level_leaves_the_other_coefficients() -> None:
    regression = made(30)
    alone = np.zeros(31)
    alone[-1] = 1.0
    design = np.column_stack([np.vstack([regression.design, np.ones(5)]), alone])
    wider = Regression(design, np.vstack([regression.vectors, np.ones(7)]))
    found, expected = wider.squared_norm(1), regression.squared_norm(1)
    assert found.estimate == pytest.approx(expected.estimate)
    assert found.interval == pytest.approx(expected.interval)
    assert wider.squared_norm(5).reason == NO_VARIANCE.format(one="document")
    assert wider.squared_norm(5).estimate is None
