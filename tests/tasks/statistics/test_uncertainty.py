"""Figures of entries from outcomes, and the variance of training seeds."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tasks.baseline.published import seed_variances as published_variances
from tasks.baseline.published import write_seed_variances
from tasks.results import AGGREGATES, UNITS, CellResult, Outcomes, Report, cell_key
from tasks.statistics.effects import FigureEstimate, mean_of, units_of
from tasks.statistics.intervals import log_error_ratio
from tasks.statistics.uncertainty import (
    Baseline,
    Estimates,
    SeedVariance,
    SeedVariances,
    error_reduction,
    estimates_of,
    logarithm,
    pooled,
    score_estimate,
)
from tasks.suites import DEMO
from tests.tasks.statistics.uncertain import CELLS, SIGMA, report, result, seed_variances

NOTHING = SeedVariances()


def estimate(cell: CellResult, variances: SeedVariances = NOTHING, name: str = "the vectors") -> FigureEstimate:
    score = score_estimate(cell, name, variances)
    assert score is not None
    return score


def estimated(entry: Report, base: Report | None, variances: SeedVariances = NOTHING) -> Estimates:
    baseline = None if base is None else Baseline(((base, 1.0),))
    return estimates_of(DEMO, entry.results, entry.vectors["sha256"], baseline, variances)


def test_the_variance_of_a_score_is_that_of_its_examples_and_of_the_mean_over_seeds() -> None:
    cell = result("pos", "fixed", 0.7, 1, seeds=3)
    score = estimate(cell, seed_variances([cell]))
    assert cell.outcomes is not None
    examples = stats.sem(cell.outcomes.column("correct"))
    assert score.errors == {"examples": pytest.approx(examples, rel=1e-4), "seeds": pytest.approx(SIGMA / math.sqrt(3))}
    assert score.error == pytest.approx(math.hypot(examples, SIGMA / math.sqrt(3)), rel=1e-4)


def test_without_a_published_variance_only_examples_count() -> None:
    cell = result("pos", "fixed", 0.7, 1)
    other = SeedVariances({"pos.fixed": SeedVariance("another definition", 0.01, 15, 30)})
    of_the_other_mode = SeedVariances({"pos.fine-tuned": SeedVariance(cell.task_hash, 0.01, 15, 30)})
    assert [set(estimate(cell, variances).errors) for variances in (NOTHING, other, of_the_other_mode)] == [
        {"examples"}
    ] * 3


def test_a_cell_without_outcomes_has_no_estimate() -> None:
    cell = result("pos", "fixed", 0.7, 1)
    assert score_estimate(replace(cell, outcomes=None), "v", NOTHING) is None
    assert score_estimate(replace(cell, metric="qvec"), "v", NOTHING) is None


def test_a_word_task_has_no_training_seed() -> None:
    one = replace(result("pos", "fixed", 0.7, 1), mode=None)
    variances = SeedVariances({"pos": SeedVariance(one.task_hash, 0.01, 15, 30)})
    assert set(estimate(one, variances).errors) == {"examples"}


def test_the_baseline_against_itself_is_certain() -> None:
    base = report(0.5, 2, "the baseline")
    estimates = estimated(base, base, seed_variances(base.results))
    assert set(estimates.figures) == {*(cell_key(task, mode) for task, mode in CELLS), *AGGREGATES}
    for figure in [*estimates.figures.values(), *estimates.means["geometric"].values()]:
        assert (figure.value, figure.error, figure.interval) == (0.0, 0.0, (0.0, 0.0))
    assert estimates.scores["pos.fixed"].errors["seeds"] > 0


def test_equal_scores_of_other_vectors_differ_by_what_seeds_do() -> None:
    base = report(0.5, 2, "the baseline")
    other = replace(base, vectors={"sha256": "other vectors"})
    reduction = estimated(other, base, seed_variances(base.results)).figures["pos.fixed"]
    # Both scores vary with σ: the error reduction with √2 σ / (1 - baseline).
    assert reduction.error == pytest.approx(math.sqrt(2) * SIGMA / (1 - base.results[0].score))


def test_more_seeds_of_equal_vectors_are_not_taken_for_the_same_ones() -> None:
    few, many = (result("pos", "fixed", 0.7, 1, seeds=seeds) for seeds in (3, 10))
    variances = seed_variances([few])
    assert (estimate(few, variances) - estimate(few, variances)).error == 0
    difference = estimate(few, variances) - estimate(many, variances)
    assert difference.error == pytest.approx(SIGMA * math.sqrt(1 / 3 + 1 / 10))


def with_words(cell: CellResult, seed: int = 7) -> CellResult:
    """The result of pairs that share 40 words."""
    assert cell.outcomes is not None
    words = np.random.default_rng(seed).integers(0, 40, (2, len(cell.outcomes)))
    columns = {name: cell.outcomes.column(name) for name in cell.outcomes.columns}
    return replace(cell, outcomes=Outcomes.of(**columns, **dict(zip(UNITS, words, strict=True))))


@pytest.mark.parametrize("of", ["error reduction", "logarithm"])
def test_figures_have_the_effects_of_one_more_copy_of_an_example_in_both_entries(of: str) -> None:
    cell, base = (with_words(result("nli", "fixed", share, seed)) for share, seed in ((0.7, 1), (0.6, 2)))
    assert cell.outcomes is not None
    assert base.outcomes is not None
    score, other = estimate(cell), estimate(base, name="base")
    estimated_figure = error_reduction(score, other) if of == "error reduction" else logarithm(score, other, cell.n)
    right = np.stack([cell.outcomes.column("correct"), base.outcomes.column("correct")]).astype(float)
    n, weight = right.shape[1], 1e-5

    def figure(scores: np.ndarray) -> np.ndarray:
        left = (1 - scores[0]) / (1 - scores[1])
        return 1 - left if of == "error reduction" else -np.log(left)

    more = (right.sum(axis=1, keepdims=True) + weight * right) / (n + weight)
    plain = figure(right.mean(axis=1))
    effects = (figure(more) - plain) / weight
    (values,) = (part.values for part in estimated_figure.examples.values())
    assert values == pytest.approx(effects, abs=1e-6)
    (error,), (freedom,) = units_of(cell.outcomes).errors(effects[None])
    assert (estimated_figure.value, estimated_figure.error, estimated_figure.freedom) == pytest.approx(
        (plain, error, freedom), rel=1e-3
    )


def test_the_baselines_seeds_count_by_what_they_change() -> None:
    cell, other, base = (result("nli", "fixed", share, seed) for share, seed in ((0.7, 1), (0.75, 2), (0.6, 3)))
    variances = seed_variances([cell])
    first, second = (
        error_reduction(estimate(entry, variances, name), estimate(base, variances, "base"))
        for name, entry in (("one", cell), ("other", other))
    )
    of_both = 2 * (SIGMA / (1 - base.score)) ** 2
    shared = ((cell.score - other.score) / (1 - base.score) ** 2 * SIGMA) ** 2
    assert (first - second).seeds_error ** 2 == pytest.approx(of_both + shared)


def test_a_ratio_of_two_entries_errors_does_not_depend_on_the_baseline() -> None:
    entry, other = report(0.7, 1), report(0.75, 4, "other")
    bases = [report(share, seed, f"base {seed}") for share, seed in ((0.5, 2), (0.6, 3))]
    compared = []
    for base in bases:
        variances = seed_variances(entry.results)
        first, second = (estimated(of, base, variances).means["geometric"]["overall"] for of in (entry, other))
        compared.append(first.against(second))
    assert compared[0].difference == pytest.approx(compared[1].difference)
    assert compared[0].interval == pytest.approx(compared[1].interval)
    ratios = [(1 - b.score) / (1 - a.score) for a, b in zip(entry.results, other.results, strict=True)]
    assert compared[0].difference == pytest.approx(1 - 1 / np.prod(ratios) ** (1 / len(ratios)))


def test_an_entry_without_an_error_has_half_of_one() -> None:
    cell, base = result("pos", "fixed", 1.1, 1), result("pos", "fixed", 0.5, 2)
    ratio = logarithm(estimate(cell), estimate(base, name="base"), cell.n)
    assert ratio.value == log_error_ratio(1.0, base.score, 300) == pytest.approx(math.log((1 - base.score) * 600))
    assert math.isfinite(ratio.error)
    assert error_reduction(estimate(cell), estimate(base, name="base")).value == 1.0


@pytest.mark.parametrize("name", AGGREGATES)
def test_means_are_those_of_their_cells(name: str) -> None:
    entry, base = report(0.7, 1), report(0.5, 2, "the baseline")
    estimates = estimated(entry, base, seed_variances(entry.results))
    cells = [estimates.figures[cell_key(task, mode)] for task, mode in CELLS if mode in AGGREGATES[name]]
    assert estimates.figures[name] is estimates.means["arithmetic"][name]
    assert estimates.figures[name].value == pytest.approx(np.mean([cell.value for cell in cells]))
    assert estimates.figures[name].error == pytest.approx(mean_of(cells).error)
    geometric = estimates.means["geometric"][name]
    assert geometric.shown == pytest.approx(1 - np.prod([1 - cell.value for cell in cells]) ** (1 / len(cells)))
    assert geometric.interval is not None
    assert geometric.interval[0] < geometric.shown < geometric.interval[1]


def test_a_suite_chooses_the_kind_of_its_means() -> None:
    entry, base = report(0.7, 1), Baseline(((report(0.5, 2, "the baseline"), 1.0),))
    estimates = estimates_of(replace(DEMO, mean="geometric"), entry.results, "the vectors", base, NOTHING)
    assert estimates.figures["overall"] is estimates.means["geometric"]["overall"]


def between(share: float) -> tuple[Baseline, Report, Report]:
    small, large = report(0.5, 2, "small"), report(0.8, 3, "large")
    return Baseline(((small, share), (large, 1 - share))), small, large


def test_between_two_baselines_the_logarithm_of_the_error_is_interpolated() -> None:
    baseline, small, large = between(0.25)
    cell = report(0.7, 1).results[0]
    errors = 1 - small.results[0].score, 1 - large.results[0].score
    assert baseline.score(cell) == pytest.approx(1 - errors[0] ** 0.25 * errors[1] ** 0.75)
    without_mode = replace(baseline.parts[0][0], results=())
    assert Baseline(((without_mode, 0.25), (large, 0.75))).score(cell) is None


def test_an_interpolated_baseline_has_the_effects_of_both_by_the_chain_rule() -> None:
    baseline, small, large = between(0.25)
    cell, variances = report(0.7, 1).results[0], seed_variances(small.results)
    found = baseline.estimate(cell, variances)
    assert found is not None
    ends = [estimate(one.results[0], variances, one.vectors["sha256"]) for one in (small, large)]
    step = 1e-6
    for end, name in zip(ends, ("small", "large"), strict=True):
        moved = [
            replace(
                one,
                results=(replace(one.results[0], score=one.results[0].score + step * (one.vectors["sha256"] == name)),),
            )
            for one in (small, large)
        ]
        slope = (Baseline(((moved[0], 0.25), (moved[1], 0.75))).score(cell) - found.value) / step  # type: ignore[operator]
        (effect,) = end.seeds.values()
        assert found.seeds[f"pos.fixed|1|{name}"] == pytest.approx(slope * effect, rel=1e-4)
    assert found.examples.keys() == ends[0].examples.keys()


def test_entries_share_the_noise_of_the_baselines_that_they_share() -> None:
    baseline, small, _ = between(0.5)
    cells, variances = report(0.7, 1).results[:1], seed_variances(small.results)

    def ratio(of: Baseline) -> FigureEstimate:
        base = of.estimate(cells[0], variances)
        assert base is not None
        return logarithm(FigureEstimate(cells[0].score), base, 300)

    of_small, of_both = ratio(Baseline(((small, 1.0),))), ratio(baseline)
    assert (of_small - of_small).error == 0.0
    independent = math.hypot(of_small.error, of_both.error)
    assert 0.0 < (of_small - of_both).error < independent


def test_equal_entries_of_different_sizes_differ_in_about_one_of_twenty_tests() -> None:
    """Both avoid a tenth of the errors of the baseline of their size; examples are shared, and three seeds drawn."""
    generator, n, seeds = np.random.default_rng(1), 1_000, 3
    cell = replace(result("pos", "fixed", 0.5, 1, seeds=seeds), n=n)
    variances = seed_variances([cell], 0.01**2)

    def drawn(error: float, easy: NDArray[np.float64], name: str) -> Report:
        score = 1 - error + generator.normal(0, 0.01 / math.sqrt(seeds))
        right = (generator.random((seeds, n)) < score + easy).mean(axis=0)
        outcomes = Outcomes.of(correct=right, total=np.ones(n))
        return replace(report(0.5, 1, name), results=(replace(cell, score=float(right.mean()), outcomes=outcomes),))

    def ratio(entry: Report, *parts: tuple[Report, float]) -> FigureEstimate:
        base = Baseline(parts).estimate(entry.results[0], variances)
        assert base is not None
        return logarithm(estimate(entry.results[0], variances, entry.vectors["sha256"]), base, n)

    p_values = []
    for _ in range(600):
        easy = 0.3 * (generator.random(n) - 0.5)
        small, large = drawn(0.35, easy, "small"), drawn(0.2, easy, "large")
        of_small, between_both = drawn(0.9 * 0.35, easy, "a"), drawn(0.9 * 0.35**0.4 * 0.2**0.6, easy, "b")
        apart = ratio(of_small, (small, 1.0)).against(ratio(between_both, (small, 0.4), (large, 0.6)))
        p_values.append(apart.p)
    assert 0.03 <= np.mean(np.array(p_values) <= 0.05) <= 0.075


def test_a_score_of_pairs_that_share_words_has_their_standard_error_and_students_interval() -> None:
    cell = with_words(result("nli", "fixed", 0.7, 1))
    assert cell.outcomes is not None
    score = estimate(cell)
    effects = (cell.outcomes.column("correct").astype(float) - cell.score) / len(cell.outcomes)
    (error,), (freedom,) = units_of(cell.outcomes).errors(effects[None])
    assert score.errors == {"examples": pytest.approx(error, rel=1e-4)}
    half = stats.t.isf(0.025, freedom) * error
    assert score.interval == pytest.approx((cell.score - half, cell.score + half), abs=1e-5)


def test_few_large_documents_have_students_interval_with_few_degrees_of_freedom() -> None:
    """One document of 200 sentences and 20 of 5 have no interval; ten equal ones have nine degrees of freedom."""
    cell, unit = result("pos", "fixed", 0.7, 1), np.concatenate([np.zeros(200), 1 + np.arange(100) // 5])
    assert cell.outcomes is not None
    columns = {name: cell.outcomes.column(name) for name in cell.outcomes.columns}
    score = estimate(replace(cell, outcomes=Outcomes.of(**columns, unit=unit)))
    assert (score.error, score.interval, score.errors) == (math.inf, None, {}), "fewer than two effective units"
    unit = np.arange(300) // 30
    score = estimate(replace(cell, outcomes=Outcomes.of(**columns, unit=unit)))
    shares = columns["correct"].reshape(10, 30).mean(axis=1)
    expected = stats.t.interval(0.95, 9, shares.mean(), stats.sem(shares))
    assert score.interval == pytest.approx(expected, abs=1e-6)


def test_groups_without_a_trial_do_not_count() -> None:
    """The textbook interval of the mean of six groups; four more have no score."""
    right, group = np.array([90, 70, 80, 60, 95, 75, 0, 0, 0, 0]), np.arange(10)
    outcomes = Outcomes.of(correct=right, total=[100] * 6 + [0] * 4, **dict.fromkeys(UNITS, group))
    shares = right[:6] / 100
    score = estimate(replace(result("pos", "fixed", 0.7, 1), score=float(shares.mean()), outcomes=outcomes))
    expected = stats.t.interval(0.95, 5, shares.mean(), stats.sem(shares))
    assert score.interval == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("change", [{"task_hash": "another definition"}, {"outcomes": None}, {"task": "another"}])
def test_a_cell_without_a_comparable_baseline_has_a_score_and_no_reduction(change: dict[str, object]) -> None:
    entry, base = report(0.7, 1), report(0.5, 2)
    changed = replace(base, results=(replace(base.results[0], **change), *base.results[1:]))  # type: ignore[arg-type]
    estimates = estimated(entry, changed)
    assert "pos.fixed" in estimates.scores
    assert set(estimates.figures) == {cell_key(task, mode) for task, mode in CELLS[1:]} | {"fine-tuned"}


def test_a_baseline_on_other_examples_is_not_comparable() -> None:
    entry, base = report(0.7, 1), report(0.5, 2)
    changed = replace(base, results=(with_words(base.results[0]), *base.results[1:]))
    assert "pos.fixed" not in estimated(entry, changed).figures


def test_without_a_baseline_there_are_scores_only() -> None:
    estimates = estimated(report(0.7, 1), None)
    assert len(estimates.scores) == len(CELLS)
    assert estimates.figures == {}


KNOWN = SeedVariances({"pos.fixed": SeedVariance("abc", 1 / 3e5, 2, 3), "ner.fine-tuned": SeedVariance("d", 0.0, 1, 1)})


def test_it_is_the_mean_square_within_groups_of_the_one_way_analysis() -> None:
    generator = np.random.default_rng(0)
    groups = [generator.normal(mean, 0.01, size) for mean, size in ((0.9, 3), (0.5, 2), (0.7, 5), (0.1, 3))]
    found = pooled("hash", groups)
    assert found is not None
    assert (found.task_hash, found.entries, found.freedom) == ("hash", 4, 13 - 4)
    # F = mean square between / mean square within
    grand = np.concatenate(groups).mean()
    between = sum(len(group) * (group.mean() - grand) ** 2 for group in groups) / 3
    assert found.variance == pytest.approx(between / stats.f_oneway(*groups).statistic)


def test_typed_by_hand() -> None:
    # Within (1, 3): 2 of 1 degree of freedom; within (5, 5, 8): 6 of 2.
    found = pooled("hash", [[1.0, 3.0], [5.0, 5.0, 8.0]])
    assert found == SeedVariance("hash", pytest.approx(8 / 3), 2, 3)


def test_how_far_entries_are_apart_does_not_matter() -> None:
    near, far = (pooled("hash", [[0.50, 0.52], [shift, shift + 0.04]]) for shift in (0.5, 0.9))
    assert near is not None
    assert far is not None
    assert near.variance == pytest.approx(far.variance)


def test_an_entry_of_one_seed_adds_nothing() -> None:
    assert pooled("hash", [[0.5, 0.6], [0.9], []]) == pooled("hash", [[0.5, 0.6]])
    assert pooled("hash", [[0.9], [0.1]]) is None
    assert pooled("hash", []) is None


def test_it_reads_back_what_it_wrote_to_the_bit(tmp_path: Path) -> None:
    path = tmp_path / "seeds.json"
    path.write_text(KNOWN.to_json(), encoding="utf-8")
    assert SeedVariances.read(path) == KNOWN


def test_without_a_file_nothing_is_known(tmp_path: Path) -> None:
    assert SeedVariances.read(tmp_path / "none.json") == SeedVariances()
    assert SeedVariances().get("pos.fixed", "abc") is None


def test_a_variance_holds_for_its_own_definition_only() -> None:
    known = KNOWN.get("pos.fixed", "abc")
    assert known is not None
    assert known.variance == 1 / 3e5
    assert KNOWN.get("pos.fixed", "another definition") is None
    assert KNOWN.get("pos.fine-tuned", "abc") is None


def test_what_is_published_is_found_with_the_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.baseline.published.directories", lambda: [tmp_path])
    assert published_variances(DEMO) == SeedVariances()
    write_seed_variances(DEMO, KNOWN)
    assert published_variances(DEMO) == KNOWN
    newer = SeedVariances({"pos.fixed": SeedVariance("abc", 0.5, 2, 3)})
    write_seed_variances(DEMO, newer)
    assert published_variances(DEMO) == newer


def test_own_seeds_that_vary_more_than_the_published_variance_raise_it() -> None:
    published = SeedVariance("abc", 4.0, 15, 30)
    # Student's t of 2 and the normal distribution: 2.920 and 1.645.
    assert published.of_entry(4.0, 3) == pytest.approx(4 + (2.920 / 1.645) ** 2 * (16 - 4), rel=1e-3)
    assert published.of_entry(4.0, 2) > published.of_entry(4.0, 3) > published.of_entry(4.0, 1_000) > 15.9


@pytest.mark.parametrize(("deviation", "seeds"), [(None, 1), (0.0, 2), (1.9, 100)])
def test_no_seeds_lower_the_published_variance(deviation: float | None, seeds: int) -> None:
    assert SeedVariance("abc", 4.0, 15, 30, prior_freedom=6.0).of_entry(deviation, seeds) == 4.0
