"""Properties of all metrics, and the two that count answers against numbers typed by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from tasks.errors import UnknownName
from tasks.metrics import (
    ACCURACY,
    LOG_RANK_DEVIATION,
    METRICS,
    PRECISION_AT_1,
    SPAN_F1,
    SPEARMAN,
    Answers,
    Metric,
    count_outcomes,
    metric_named,
)
from tasks.results import Outcomes

TAGS = ("O", "B-PER", "I-PER")


def answers(gold: list[int], predicted: list[int], offsets: list[int] | None = None) -> Answers:
    whole = None if offsets is None else np.array(offsets)
    return Answers(np.array(gold), np.array(predicted), TAGS, whole)


@pytest.fixture
def another() -> Iterator[Metric]:
    """A metric that only this test declares."""
    yield Metric("of a test", "Of a test", "", 1)
    del METRICS["of a test"]


def test_accuracy_is_the_share_of_equal_labels() -> None:
    outcomes = count_outcomes((ACCURACY,), answers([0, 1, 2, 0], [0, 1, 0, 1]))
    assert outcomes.column("correct").tolist() == [1, 1, 0, 0]
    assert ACCURACY.of(outcomes) == 0.5


def test_an_example_is_a_sentence_where_there_are_sentences() -> None:
    """B-PER I-PER | O B-PER O: one span is found and one is missed, of five tags four are right."""
    given = answers([1, 2, 0, 1, 0], [1, 2, 0, 0, 0], [0, 2, 5])
    outcomes = count_outcomes((ACCURACY, SPAN_F1), given)
    assert outcomes.columns == ("correct", "total", "tp", "fp", "fn")
    assert outcomes.values.tolist() == [[2, 2, 1, 0, 0], [2, 3, 0, 0, 1]]
    assert ACCURACY.of(outcomes) == pytest.approx(4 / 5)
    assert SPAN_F1.of(outcomes) == pytest.approx(2 / 3)


def test_a_column_that_two_metrics_need_is_counted_once() -> None:
    assert count_outcomes((ACCURACY, ACCURACY), answers([0, 1], [0, 0])).columns == ("correct", "total")


def test_spans_need_sentences() -> None:
    with pytest.raises(ValueError, match="spans are counted in sentences"):
        count_outcomes((SPAN_F1,), answers([0, 1], [0, 1]))


def test_a_metric_that_counts_no_answers_is_refused() -> None:
    with pytest.raises(ValueError, match="'spearman' does not count answers"):
        count_outcomes((SPEARMAN,), answers([0], [0]))


def test_nothing_to_score_gives_no_accuracy_but_an_f1_of_zero() -> None:
    assert math.isnan(ACCURACY.of(Outcomes.of(correct=[0.0], total=[0.0])))
    assert SPAN_F1.of(Outcomes.of(tp=[0], fp=[0], fn=[0])) == 0.0


def test_outcomes_of_several_seeds_are_averaged_and_score_as_their_mean() -> None:
    of_seeds = [Outcomes.of(correct=right, total=[1, 1]) for right in ([1, 0], [1, 1], [0, 0])]
    averaged = Outcomes.averaged(of_seeds)
    assert averaged.column("correct") == pytest.approx([2 / 3, 1 / 3])
    assert ACCURACY.of(averaged) == pytest.approx(np.mean([ACCURACY.of(one) for one in of_seeds]))


@pytest.mark.parametrize(("metric", "missing"), [(ACCURACY, "total"), (SPAN_F1, "tp, fp, fn")])
def test_outcomes_without_a_column_say_which(metric: Metric, missing: str) -> None:
    with pytest.raises(ValueError, match=f"'{metric.name}' needs outcomes that count {missing}"):
        metric.of(Outcomes.of(correct=[1, 0]))


def test_a_metric_that_is_not_a_function_of_sums_scores_no_outcomes() -> None:
    assert not SPEARMAN.is_of_sums
    with pytest.raises(ValueError, match="not a function of sums"):
        SPEARMAN.of(Outcomes.of(predicted=[1, 2], gold=[1, 2]))


def test_two_metrics_of_one_name_are_refused(another: Metric) -> None:
    assert metric_named("of a test") is another
    with pytest.raises(ValueError, match="two metrics named 'of a test'"):
        Metric("of a test", "Another", "%", 2)
    assert metric_named("of a test") is another


def test_an_unknown_name_names_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="'shininess' is not a metric; the metrics are accuracy, span F1"):
        metric_named("shininess")


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
def test_every_metric_can_be_written_and_is_of_sums_if_it_has_columns(metric: Metric) -> None:
    assert METRICS[metric.name] is metric
    assert metric.title
    assert metric.scale == (100 if metric.unit == "%" else 1)
    assert metric.is_of_sums == bool(metric.columns)
    assert bool(metric.units) == bool(metric.stratum)


def test_one_metric_is_better_where_it_is_lower() -> None:
    assert {metric.name for metric in METRICS.values() if metric.direction == "lower"} == {LOG_RANK_DEVIATION.name}


def test_examples_share_nothing_unless_a_metric_says_so() -> None:
    assert ACCURACY.unit_columns == ()
    assert PRECISION_AT_1.unit_columns == ("first pair", "second pair", "category")
