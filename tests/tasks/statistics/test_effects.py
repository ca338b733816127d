"""Effects of examples and seeds on figures, against a bootstrap and sums written out."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from tasks.metrics import ACCURACY, PRECISION_AT_1, SPAN_F1, SPEARMAN
from tasks.metrics.metric import Metric
from tasks.results import UNIT, Outcomes
from tasks.statistics.bootstrap import bootstrap_weights
from tasks.statistics.effects import Effects, FigureEstimate, SharedUnits, effects_of, mean_of


def counts_of(metric: Metric, n: int, seed: int = 3) -> Outcomes:
    counts = np.random.default_rng(seed).integers(0, 5, (n, len(metric.columns))).astype(np.float32)
    if metric is ACCURACY:
        counts[:, 1] += counts[:, 0] + 1
    return Outcomes(metric.columns, counts)


def effects(metric: Metric, outcomes: Outcomes) -> Effects:
    (only,) = effects_of(metric, outcomes, "a task").values()
    return only


def bootstrap_error(metric: Metric, outcomes: Outcomes, unit: np.ndarray, resamples: int = 4_000) -> float:
    """Standard deviation of the score over resamples of whole units."""
    weights = bootstrap_weights(int(unit.max()) + 1, resamples)[:, unit].astype(float)
    sums = {name: weights @ outcomes.column(name) for name in metric.columns}
    assert metric.score is not None
    return float(np.std(metric.score(sums)))


@pytest.mark.parametrize("metric", [ACCURACY, SPAN_F1])
def test_an_effect_is_the_change_of_the_score_by_one_more_copy_of_an_example(metric: Metric) -> None:
    outcomes = counts_of(metric, 30)
    score, weight, counts = metric.of(outcomes), 1e-4, outcomes.values.astype(float)
    expected = []
    for column in counts:
        sums = counts.sum(axis=0) + weight * column
        changed = metric.score(dict(zip(metric.columns, sums[:, None], strict=True)))  # type: ignore[misc]
        expected.append((float(changed[0]) - score) / weight)
    values = effects(metric, outcomes).values
    assert values == pytest.approx(expected, abs=1e-4)
    assert values.sum() == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("metric", [ACCURACY, SPAN_F1])
@pytest.mark.parametrize("size", [1, 8])
def test_the_standard_error_is_that_of_a_bootstrap_of_examples_or_documents(metric: Metric, size: int) -> None:
    outcomes = counts_of(metric, 800)
    unit = np.arange(800) // size
    with_units = outcomes.with_units(unit[None]) if size > 1 else outcomes
    error = math.sqrt(effects(metric, with_units).variance)
    assert error == pytest.approx(bootstrap_error(metric, outcomes, unit), rel=0.04)


def test_effects_of_documents_are_summed_and_few_long_ones_are_few() -> None:
    """Two documents: one of 9 tokens in three sentences, one of a token."""
    outcomes = Outcomes.of(correct=[1, 2, 0, 1], total=[3, 3, 3, 1], **{UNIT: [0, 0, 0, 1]})
    of_documents = effects(ACCURACY, outcomes)
    assert of_documents.values == pytest.approx([(3 - 0.4 * 9) / 10, (1 - 0.4) / 10])
    assert of_documents.effective == pytest.approx((81 + 1) ** 2 / (9**4 + 1))
    assert math.isinf(of_documents.variance)


def test_a_correlation_has_no_effects_by_sums() -> None:
    with pytest.raises(ValueError, match="not a function of sums"):
        effects_of(SPEARMAN, Outcomes.of(predicted=[0.0], gold=[1.0]), "a task")


def questions_of(good: np.ndarray) -> Outcomes:
    """Every pair of words set against every other of its category, a row of flags; right if both pairs are good."""
    categories, pairs = good.shape
    rows = [
        (number * pairs + i, number * pairs + j, number)
        for number in range(categories)
        for i, j in permutations(range(pairs), 2)
    ]
    first, second, category = np.array(rows).T
    right = good.ravel()[first] & good.ravel()[second]
    units = {"first pair": first, "second pair": second, "category": category}
    return Outcomes.of(correct=right, total=np.ones(len(rows)), **units)


@pytest.mark.parametrize("categories", [1, 4])
def test_few_pairs_in_many_questions_are_as_uncertain_as_few_pairs(categories: int) -> None:
    """The standard error is that of new word pairs in the same categories, of very different difficulty."""
    generator, pairs = np.random.default_rng(2), 40
    chances = np.linspace(0.5, 0.9, categories)[:, None]
    drawn = [questions_of(generator.random((categories, pairs)) < chances) for _ in range(400)]
    variances = [effects(PRECISION_AT_1, outcomes).variance for outcomes in drawn]
    scores = [PRECISION_AT_1.of(outcomes) for outcomes in drawn]
    assert np.mean(variances) == pytest.approx(np.var(scores), rel=0.15)
    by_questions = [
        PRECISION_AT_1.of(outcomes) * (1 - PRECISION_AT_1.of(outcomes)) / len(outcomes) for outcomes in drawn
    ]
    assert np.mean(variances) > 8 * np.mean(by_questions)


def test_unknown_questions_have_no_effect() -> None:
    outcomes = questions_of(np.arange(12)[None] % 2 == 0)
    unknown = Outcomes(outcomes.columns, outcomes.values.copy())
    unknown.values[:, :2] = 0.0
    both = Outcomes(outcomes.columns, np.concatenate([outcomes.values, unknown.values]))
    of_known, of_both = effects(PRECISION_AT_1, outcomes), effects(PRECISION_AT_1, both)
    assert (of_both.variance, of_both.effective) == pytest.approx((of_known.variance, of_known.effective))


def normal(seed: int, n: int = 50, seeds: dict[str, float] | None = None, task: str = "a task") -> FigureEstimate:
    values = np.random.default_rng(seed).standard_normal(n)
    effects = Effects(((values - values.mean()) / n).astype(np.float32), SharedUnits(*[np.arange(n)] * 2), float(n))
    return FigureEstimate(float(seed), {task: effects}, seeds or {})


def test_the_difference_of_two_figures_is_the_paired_t_test() -> None:
    first, second = (np.random.default_rng(seed).random(60) for seed in (1, 2))
    outcomes = [Outcomes.of(correct=values, total=np.ones(60)) for values in (first, second)]
    figure, other = (
        FigureEstimate(ACCURACY.of(answers), effects_of(ACCURACY, answers, "a task")) for answers in outcomes
    )
    test, expected = figure.against(other), stats.ttest_rel(first, second)
    assert test.p == pytest.approx(expected.pvalue, rel=1e-4)
    assert test.interval == pytest.approx(tuple(expected.confidence_interval()), abs=1e-6)


def test_figures_on_the_same_examples_are_paired_and_on_others_independent() -> None:
    first = normal(1)
    assert (first - first).error == 0.0
    assert first.against(first).p == 1.0
    other = normal(2, task="another")
    assert (first - other).error == pytest.approx(math.hypot(first.error, other.error))
    assert mean_of([first, first]).error == pytest.approx(first.error)
    assert mean_of([first, other]).error == pytest.approx(math.hypot(first.error, other.error) / 2)


def test_shared_seeds_cancel_and_others_add_up() -> None:
    first, other = normal(1, seeds={"base": 0.3, "one": 0.4}), normal(1, seeds={"base": 0.1, "other": 0.2})
    assert (first - other).error == pytest.approx(math.sqrt(0.2**2 + 0.4**2 + 0.2**2))
    assert (first * 2).seeds_error == pytest.approx(1.0)
    assert first.errors["seeds"] == pytest.approx(0.5)


def test_the_degrees_of_freedom_are_satterthwaites() -> None:
    """Welch's test of two independent samples of unequal sizes; seeds add certain variance."""
    few, many = normal(1, 8), normal(2, 40, task="another")
    apart = few - many
    variances = np.array([few.error, many.error]) ** 2
    assert apart.freedom == pytest.approx(variances.sum() ** 2 / (variances**2 / [7, 39]).sum())
    assert few.freedom == pytest.approx(7)
    assert normal(1, 8, seeds={"one": 3 * few.error}).freedom == pytest.approx(700, rel=1e-3)


def test_a_logarithm_is_shown_as_the_share_of_errors_avoided_with_an_uneven_interval() -> None:
    figure = FigureEstimate(math.log(2), normal(1).examples, is_log=True)
    assert figure.shown == pytest.approx(0.5)
    assert figure.interval is not None
    half = stats.t.isf(0.025, 49) * figure.error
    assert figure.interval == pytest.approx((1 - math.exp(half) / 2, 1 - math.exp(-half) / 2))
    assert figure.errors["examples"] == pytest.approx(figure.error / 2)
    other = FigureEstimate(math.log(1.6), normal(2).examples, is_log=True)
    assert figure.against(other).difference == pytest.approx(1 - 1.6 / 2)
