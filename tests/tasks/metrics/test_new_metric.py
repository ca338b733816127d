"""A new metric is one object, which is counted, scored, tested and formatted like any other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import matthews_corrcoef

from benchmark.leaderboard.columns import Column
from benchmark.templatetags.figures import writer_of
from tasks.cells import evaluate_cell
from tasks.datasets.store import DataStore
from tasks.metrics import METRICS, Answers, Metric, metric_named
from tasks.metrics.metric import Ints, Scores, Sums
from tasks.results import CellResult, Outcomes, plain, typed
from tasks.statistics.uncertainty import SeedVariances, score_estimate
from tasks.suites import DEMO
from tasks.vectors import Embedding
from tests.tasks.statistics.uncertain import SIGMA, seed_variances


def count(answers: Answers) -> Ints:
    """tp, fp, fn and tn of the class with id 1."""
    gold, predicted = answers.gold == 1, answers.predicted == 1
    cases = (gold & predicted, ~gold & predicted, gold & ~predicted, ~gold & ~predicted)
    return np.stack([answers.per_example(case) for case in cases], axis=1)


def coefficient(sums: Sums) -> Scores:
    tp, fp, fn, tn = (sums[name] for name in ("tp", "fp", "fn", "tn"))
    below = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    scores: Scores = np.divide(tp * tn - fp * fn, below, out=np.zeros_like(below), where=below > 0)
    return scores


@pytest.fixture(scope="module")
def mcc() -> Iterator[Metric]:
    yield Metric("mcc", "Matthews correlation", "", 3, columns=("tp", "fp", "fn", "tn"), score=coefficient, count=count)
    del METRICS["mcc"]


@pytest.fixture(scope="module")
def measured(mcc: Metric, demo_vectors: Embedding, store: DataStore) -> CellResult:
    """The demo's sentiment task, one seed, scored only by the new metric."""
    task = replace(DEMO.task("sentiment"), metric=mcc)
    return evaluate_cell(demo_vectors, DEMO, task, "fixed", data=store, seeds=1)


def outcomes_of(result: CellResult) -> Outcomes:
    assert result.outcomes is not None
    return result.outcomes


def labels_of(outcomes: Outcomes) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Gold and predicted label of each text, from its counts."""
    tp, fp, fn, tn = (outcomes.column(name) > 0 for name in ("tp", "fp", "fn", "tn"))
    assert (outcomes.values.sum(axis=1) == 1).all()
    assert (tp | fp | fn | tn).all()
    return tp | fn, tp | fp


def test_its_score_is_scikit_learns(measured: CellResult) -> None:
    gold, predicted = labels_of(outcomes_of(measured))
    assert measured.n == len(gold)
    assert 0 < gold.mean() < 1
    assert measured.metric == "mcc"
    assert measured.score == pytest.approx(matthews_corrcoef(gold, predicted), abs=1e-9)
    assert measured.score != 0.0


def test_it_is_chosen_by_on_dev_and_kept_for_every_seed(measured: CellResult) -> None:
    assert measured.training is not None
    (seed,) = measured.training["seeds"]
    assert seed["test"] == pytest.approx(measured.score)


def test_its_standard_error_is_that_of_a_bootstrap(measured: CellResult, mcc: Metric) -> None:
    score = score_estimate(measured, "vectors", SeedVariances())
    assert score is not None
    gold, predicted = labels_of(outcomes_of(measured))
    generator = np.random.default_rng(1)
    drawn = (generator.integers(0, len(gold), len(gold)) for _ in range(300))
    plain = [matthews_corrcoef(gold[rows], predicted[rows]) for rows in drawn]
    assert score.errors["examples"] == pytest.approx(np.std(plain, ddof=1), rel=0.1)
    assert score.interval is not None
    assert score.interval[0] < measured.score < score.interval[1]


def test_seeds_count_for_it_too(measured: CellResult) -> None:
    score = score_estimate(measured, "vectors", seed_variances([measured]))
    assert score is not None
    assert score.errors["seeds"] == pytest.approx(SIGMA, rel=0.1)


def test_pages_and_the_board_write_it(mcc: Metric) -> None:
    column = Column("sentiment.mcc", "Sentiment", "Fixed", "score", "", metric=mcc)
    assert writer_of(mcc)(-0.12345) == column.write(-0.12345) == "−0.123"
    assert (column.unit, column.decimals) == ("", 3)
    per_cent = replace_unit(mcc)
    assert writer_of(per_cent)(0.12345) == "12.3"


def replace_unit(metric: Metric) -> Metric:
    """The same unit in per cent with one decimal, under a temporary name."""
    changed = replace(metric, name="mcc in per cent", unit="%", decimals=1)
    del METRICS["mcc in per cent"]
    return changed


def test_a_stored_result_finds_it_by_name(mcc: Metric, measured: CellResult) -> None:
    stored = typed(CellResult, plain(measured))
    assert metric_named(stored.metric) is mcc


def test_a_second_one_of_its_name_is_refused(mcc: Metric) -> None:
    with pytest.raises(ValueError, match="two metrics named 'mcc'"):
        replace(mcc)
