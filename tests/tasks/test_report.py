"""Assembling a report adds intervals and standard errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tasks.report import NOT_RECORDED, assemble
from tasks.results import METHOD, CellResult, Mean, Outcomes, Report, plain
from tasks.statistics.correlations import correlation_interval
from tasks.statistics.uncertainty import Baseline, estimates_of
from tests.tasks.statistics.uncertain import SUITE, VECTORS, publish, report, result, seed_variances


@pytest.fixture(autouse=True)
def own_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VECBOARD_BASELINE_SCORES", str(tmp_path))


@pytest.fixture
def baseline() -> Report:
    """The suite's baseline, with its published seed variances."""
    base = report(0.5, 2, "the baseline")
    return publish(base, variances=base.results)


def made(results: Sequence[CellResult]) -> Report:
    return assemble(SUITE, VECTORS, results, [], {})


def test_the_interval_of_a_mean_holds_it_and_is_narrower_than_that_of_one_cell(baseline: Report) -> None:
    found = made(report(0.7, 1).results)
    assert set(found.aggregates.intervals) == {"overall", "fixed", "fine_tuned"}
    low, high = found.aggregates.intervals["fixed"]
    assert found.aggregates.fixed is not None
    assert low < found.aggregates.fixed < high
    cell = found.results[0].relative_error_reduction_interval
    assert cell is not None
    assert high - low < cell[1] - cell[0]


def test_against_itself_every_mean_is_exactly_zero(baseline: Report) -> None:
    found = assemble(SUITE, {**VECTORS, "sha256": "the baseline"}, baseline.results, [], {})
    assert set(found.aggregates.intervals.values()) == {(0.0, 0.0)}
    assert (found.aggregates.overall, found.results[0].relative_error_reduction_interval) == (0.0, (0.0, 0.0))


def test_a_baseline_without_an_error_leaves_a_blank_with_its_reason_and_no_interval(baseline: Report) -> None:
    first = baseline.results[0]
    assert first.outcomes is not None
    all_right = Outcomes.of(correct=first.outcomes.column("total"), total=first.outcomes.column("total"))
    perfect = replace(baseline, results=[replace(first, score=1.0, outcomes=all_right), *baseline.results[1:]])
    publish(perfect, variances=baseline.results)
    found = made(report(0.7, 1).results)
    means, cell = found.aggregates, found.results[0]
    assert (means.fixed, means.overall, cell.relative_error_reduction) == (None, None, None)
    assert (set(means.intervals), set(means.errors)) == ({"fine_tuned"}, {"fine_tuned"})
    assert all("The baseline makes no error" in why for why in (means.reasons["overall"], cell.why_no_reduction))
    assert Report.from_json(found.to_json()) == found


def test_without_a_baseline_blanks_say_so() -> None:
    found = made(report(0.7, 1).results)
    assert "no baseline score" in found.aggregates.reasons["overall"]
    assert "no baseline score" in found.results[0].why_no_reduction


def test_a_task_outside_the_means_has_its_figures_and_moves_no_mean(baseline: Report) -> None:
    results = report(0.7, 1).results
    outside = replace(
        SUITE,
        tasks=tuple(
            replace(task, outside_means={"fixed": "Elsewhere"} if task.id == "nli" else {}) for task in SUITE.tasks
        ),
    )
    whole, found = made(results), assemble(outside, VECTORS, results, [], {})
    cells = {(r.task, r.mode): r.relative_error_reduction for r in found.results}
    kept = [value for cell, value in cells.items() if cell != ("nli", "fixed") and value is not None]
    assert found.aggregates.overall == pytest.approx(np.mean(kept))
    assert set(found.aggregates.intervals) == set(whole.aggregates.intervals)
    assert cells["nli", "fixed"] == whole.result("nli", "fixed").relative_error_reduction is not None
    without = assemble(outside, VECTORS, [r for r in results if (r.task, r.mode) != ("nli", "fixed")], [], {})
    assert without.aggregates == found.aggregates


SIZES = replace(SUITE, baseline_sizes=(2, 50))


def test_reductions_take_the_baseline_of_as_many_dimensions_and_the_one_as_used_stands_beside(baseline: Report) -> None:
    small = publish(report(0.6, 2, "the small baseline"), 2, variances=baseline.results)
    results = report(0.8, 1).results
    found = assemble(SIZES, VECTORS, results, [], {})
    cell, base, used = found.results[0], small.results[0].score, baseline.results[0].score
    assert (cell.baseline, found.baseline) == (base, "2 dimensions")
    assert cell.relative_error_reduction == pytest.approx((cell.score - base) / (1 - base))
    assert cell.as_used is not None
    assert cell.as_used.value == pytest.approx((cell.score - used) / (1 - used))
    assert cell.as_used.interval is not None
    assert found.as_used is not None
    assert found.as_used == made(results).aggregates
    assert set(found.aggregates.intervals) == set(found.as_used.intervals) == {"overall", "fixed", "fine_tuned"}
    assert Report.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    ("dimensions", "words"),
    [(10, "10 dimensions, interpolated between 2 and 50"), (51, "50 dimensions, the most that are published"),
     (1, "2 dimensions, the fewest that are published"), (50, "50 dimensions")],
)  # fmt: skip
def test_another_size_is_interpolated_or_takes_the_nearest(baseline: Report, dimensions: int, words: str) -> None:
    small = publish(report(0.6, 2, "the small baseline"), 2, variances=baseline.results)
    found = assemble(SIZES, {**VECTORS, "dimensions": dimensions}, report(0.8, 1).results, [], {})
    share = {10: math.log(5) / math.log(25), 1: 1.0}.get(dimensions, 0.0)
    errors = 1 - small.results[0].score, 1 - baseline.results[0].score
    assert found.results[0].baseline == pytest.approx(1 - errors[0] ** share * errors[1] ** (1 - share))
    assert found.baseline == words


def test_in_a_language_with_one_baseline_it_is_for_vectors_of_all_sizes(baseline: Report) -> None:
    alone = assemble(SIZES, VECTORS, report(0.8, 1).results, [], {})
    assert (alone.as_used, alone.results[0].as_used, alone.baseline) == (None, None, "50 dimensions")
    assert alone.aggregates == made(report(0.8, 1).results).aggregates
    assert not {"as_used"} & set(plain(alone))


def test_a_mean_with_a_missing_cell_has_no_interval(baseline: Report) -> None:
    entry = report(0.7, 1)
    for results in (entry.results[1:], [replace(entry.results[0], outcomes=None), *entry.results[1:]]):
        means = made(results).aggregates
        assert set(means.intervals) == {"fine_tuned"}


def test_a_result_has_no_interval_before_its_report_is_put_together(baseline: Report) -> None:
    before = report(0.7, 1).results[0]
    assert (before.interval, before.errors, before.relative_error_reduction_interval) == (None, {}, None)
    after = made([before]).results[0]
    assert after.interval is not None
    assert after.interval[0] < after.score < after.interval[1]
    assert set(after.errors) == set(after.relative_error_reduction_errors) == {"examples", "seeds"}


def test_every_interval_is_that_of_the_figures_that_ranks_are_computed_from(baseline: Report) -> None:
    results = report(0.7, 1).results
    estimates = estimates_of(SUITE, results, "the vectors", Baseline(((baseline, 1.0),)), seed_variances(results))
    found = made(results)
    one = found.results[0]
    assert one.interval == estimates.scores["pos.fixed"].interval
    assert one.relative_error_reduction_interval == estimates.figures["pos.fixed"].interval
    assert found.aggregates.intervals["fine_tuned"] == estimates.figures["fine-tuned"].interval
    assert found.aggregates.errors["fine_tuned"] == estimates.figures["fine-tuned"].errors


@pytest.mark.parametrize("kind", ["arithmetic", "geometric"])
def test_a_report_has_the_means_of_both_kinds_and_its_suite_chooses(baseline: Report, kind: Mean) -> None:
    assembled = assemble(replace(SUITE, mean=kind), VECTORS, report(0.7, 1).results, [], {})
    errors = [1 - (cell.relative_error_reduction or 0.0) for cell in assembled.results]
    means = assembled.aggregates.by_kind
    assert means["arithmetic"]["overall"].value == pytest.approx(1 - np.mean(errors))
    assert means["geometric"]["overall"].value == pytest.approx(1 - np.prod(errors) ** (1 / len(errors)))
    headline = means[kind]["overall"]
    assert (assembled.aggregates.overall, assembled.aggregates.intervals["overall"]) == (
        headline.value,
        headline.interval,
    )
    for mean in means.values():
        assert mean["overall"].interval is not None
        assert mean["overall"].interval[0] < mean["overall"].value < mean["overall"].interval[1]
    assert Report.from_json(assembled.to_json()) == assembled


def test_seeds_widen_every_interval(baseline: Report) -> None:
    results = report(0.7, 1).results
    with_seeds = made(results)
    publish(baseline)
    without = made(results)
    assert [set(parts) for parts in without.aggregates.errors.values()] == [{"examples"}] * 3
    assert [set(parts) for parts in with_seeds.aggregates.errors.values()] == [{"examples", "seeds"}] * 3
    for wide, narrow in zip(with_seeds.results, without.results, strict=True):
        assert wide.interval[1] - wide.interval[0] > narrow.interval[1] - narrow.interval[0]  # type: ignore[index]
        assert wide.score == narrow.score
    assert with_seeds.aggregates.overall == without.aggregates.overall


@pytest.mark.usefixtures("baseline")
def test_a_report_says_how_its_intervals_were_computed() -> None:
    assert made(report(0.7, 1).results).method == METHOD == 4


def word_task(task: str, metric: str, **fields: object) -> CellResult:
    return replace(result("pos", "fixed", 0.7, 1), task=task, mode=None, metric=metric, score=0.4, n=30, **fields)  # type: ignore[arg-type]


@pytest.mark.usefixtures("baseline")
def test_a_rank_correlation_has_the_interval_of_its_pairs_and_no_standard_errors() -> None:
    predicted = np.random.default_rng(1).permutation(30) + np.arange(30)
    pairs = Outcomes.of(predicted=predicted, gold=np.arange(30))
    (found,) = made([word_task("sim-simlex-999", "spearman", outcomes=pairs)]).results
    assert found.interval is not None
    assert (found.interval, found.errors) == (correlation_interval(pairs), {})


@pytest.mark.usefixtures("baseline")
def test_an_interval_of_the_familys_own_stays_where_the_metric_has_none() -> None:
    own = word_task("sim-simlex-999", "qvec", interval=(0.3, 0.5), outcomes=None)
    (found,) = made([own]).results
    assert found.interval == (0.3, 0.5)


@pytest.mark.usefixtures("baseline")
def test_putting_a_report_together_again_changes_nothing() -> None:
    once = made(report(0.7, 1).results)
    assert assemble(SUITE, VECTORS, once.results, [], {}) == once
    assert made(report(0.7, 1).results[::-1]) == once


@pytest.mark.usefixtures("baseline")
def test_what_was_computed_before_does_not_outlive_its_outcomes() -> None:
    """A result that is reused without its outcomes loses the interval of its error reduction."""
    (found,) = made(report(0.7, 1).results[:1]).results
    (again,) = made([replace(found, outcomes=None)]).results
    assert again.relative_error_reduction is not None
    assert (again.relative_error_reduction_interval, again.relative_error_reduction_errors) == (None, {})


HOW = {"device": "cpu", "threads": 1, "torch": "2"}


@pytest.mark.parametrize(
    ("measured", "device", "threads"),
    [
        ([("cpu", 1), ("NVIDIA H100", 1)], "NVIDIA H100, cpu", 1),
        ([("NVIDIA H100", 2), ("NVIDIA H100", 2)], "NVIDIA H100", 2),
        ([("cpu", 1), ("cpu", 8)], "cpu", "1, 8"),
        ([("NVIDIA H100", 1), (None, None)], f"NVIDIA H100, {NOT_RECORDED}", 1),
        ([(None, None), (None, None)], "cpu", 1),
    ],
)
def test_a_report_names_the_devices_that_measured_and_not_the_one_that_assembled_it(
    measured: list[tuple[str | None, int | None]], device: str, threads: int | str
) -> None:
    """Results from before devices were recorded leave what the earlier report says."""
    results = [
        replace(cell, device=on, threads=of) for cell, (on, of) in zip(report(0.7, 1).results, measured, strict=False)
    ]
    assert assemble(SUITE, VECTORS, results, [], HOW).environment == HOW | {"device": device, "threads": threads}
