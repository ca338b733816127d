"""The two sources of uncertainty of all intervals, differences and ranks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tasks.baseline.published import seed_variances as published_variances
from tasks.baseline.published import write_seed_variances
from tasks.metrics import ACCURACY
from tasks.results import AGGREGATES, UNITS, CellResult, Outcomes, cell_key
from tasks.statistics.bootstrap import resampled_scores
from tasks.statistics.intervals import paired_difference, percentile_interval
from tasks.statistics.shared_units import SharedUnits
from tasks.statistics.uncertainty import (
    SeedVariance,
    SeedVariances,
    Spread,
    mean_spread,
    pooled,
    prior_freedom,
    reduction_spread,
    reductions,
    score_spreads,
    seed_noise,
    spread_difference,
    spreads_of,
)
from tasks.suites import DEMO
from tests.tasks.statistics.uncertain import CELLS, SIGMA, report, result, seed_variances

NOTHING = SeedVariances()


def spread(one: CellResult, variances: SeedVariances, name: str = "the vectors") -> Spread:
    (found,) = score_spreads(DEMO, [(one, name)], variances)
    assert found is not None
    return found


def test_the_same_vectors_get_the_same_draws() -> None:
    one, variances = result("pos", "fixed", 0.7, 1), seed_variances(report(0.7, 1).results)
    np.testing.assert_array_equal(spread(one, variances).total, spread(one, variances).total)


@pytest.mark.parametrize(
    "other",
    [
        (DEMO, "pos.fixed", "other vectors"),
        (DEMO, "pos.fine-tuned", "the vectors"),
        (replace(DEMO, version=DEMO.version + 1), "pos.fixed", "the vectors"),
        (replace(DEMO, id="another"), "pos.fixed", "the vectors"),
    ],
    ids=["vectors", "cell", "version", "suite"],
)
def test_other_vectors_cells_and_suites_get_draws_of_their_own(other: tuple[object, str, str]) -> None:
    one, two = seed_noise(DEMO, "pos.fixed", "the vectors", 1.0), seed_noise(*other, 1.0)  # type: ignore[arg-type]
    assert abs(np.corrcoef(one, two)[0, 1]) < 4 / np.sqrt(len(one))


def test_the_noise_of_seeds_is_normal_and_of_the_given_size() -> None:
    drawn = np.concatenate([seed_noise(DEMO, "pos.fixed", f"vectors {i}", 0.5) for i in range(50)])
    assert drawn.mean() == pytest.approx(0.0, abs=4 * 0.5 / np.sqrt(len(drawn)))
    assert drawn.std() == pytest.approx(0.5, rel=0.02)
    assert np.quantile(drawn, [0.025, 0.975]) == pytest.approx([-0.98, 0.98], rel=0.03)


@pytest.mark.parametrize("seeds", [1, 3])
def test_the_variance_of_a_score_is_the_bootstraps_and_that_of_a_mean_over_seeds(seeds: int) -> None:
    one = result("pos", "fixed", 0.7, 1, seeds)
    variances = seed_variances([one])
    found = [spread(one, variances, f"vectors {i}") for i in range(60)]
    bootstrap = float(np.var(resampled_scores([one.outcomes], ACCURACY, "pos"), ddof=1))  # type: ignore[list-item]
    expected = bootstrap + SIGMA**2 / seeds
    assert np.mean([np.var(each.total, ddof=1) for each in found]) == pytest.approx(expected, rel=0.02)
    assert np.mean([each.total.mean() for each in found]) == pytest.approx(one.score, abs=0.002)


def test_four_times_the_seeds_halve_what_seeds_add() -> None:
    once, often = (spread(one, seed_variances([one])) for one in (result("pos", "fixed", 0.7, 1, s) for s in (1, 4)))
    assert once.errors["seeds"] == pytest.approx(2 * often.errors["seeds"], rel=1e-4)
    assert once.errors["examples"] == often.errors["examples"]


def test_the_two_parts_add_up() -> None:
    one = result("pos", "fixed", 0.7, 1)
    found = spread(one, seed_variances([one]))
    parts = found.errors
    assert set(parts) == {"examples", "seeds"}
    assert parts["seeds"] == pytest.approx(SIGMA, rel=0.1)
    assert parts["examples"] ** 2 + parts["seeds"] ** 2 == pytest.approx(np.var(found.total, ddof=1), rel=0.1)


def test_without_a_published_variance_only_examples_count() -> None:
    one = result("pos", "fixed", 0.7, 1)
    found = spread(one, NOTHING)
    assert found.seeds is None
    assert set(found.errors) == {"examples"}
    np.testing.assert_array_equal(found.total, resampled_scores([one.outcomes], ACCURACY, "pos")[0])  # type: ignore[list-item]


def test_a_variance_of_another_definition_does_not_count() -> None:
    one = result("pos", "fixed", 0.7, 1)
    other = SeedVariances({"pos.fixed": SeedVariance("another definition", 0.01, 15, 30)})
    assert spread(one, other).seeds is None
    of_the_other_mode = SeedVariances({"pos.fine-tuned": SeedVariance(one.task_hash, 0.01, 15, 30)})
    assert spread(one, of_the_other_mode).seeds is None


def test_a_cell_without_outcomes_has_no_spread() -> None:
    assert score_spreads(DEMO, [(replace(result("pos", "fixed", 0.7, 1), outcomes=None), "v")], NOTHING) == [None]


def test_a_word_task_has_no_training_seed() -> None:
    one = replace(result("pos", "fixed", 0.7, 1), mode=None)
    variances = SeedVariances({"pos": SeedVariance(one.task_hash, 0.01, 15, 30)})
    assert set(spread(one, variances).errors) == {"examples"}


def test_the_baseline_against_itself_is_zero_in_every_draw() -> None:
    base = report(0.5, 2, "the baseline")
    found = spreads_of(DEMO, base.results, "the baseline", base, seed_variances(base.results))
    assert set(found.figures) == {*(cell_key(task, mode) for task, mode in CELLS), *AGGREGATES}
    assert all(not figure.total.any() for figure in found.figures.values())
    assert found.figures["overall"].interval == (0.0, 0.0)
    assert found.scores["pos.fixed"].errors["seeds"] > 0


def test_equal_scores_of_other_vectors_differ_by_what_seeds_do() -> None:
    base = report(0.5, 2, "the baseline")
    found = spreads_of(DEMO, base.results, "other vectors", base, seed_variances(base.results))
    low, high = found.figures["pos.fixed"].interval or (0.0, 0.0)
    # Both scores vary with σ: the error reduction with about √2 σ / (1 - baseline).
    error = np.sqrt(2) * SIGMA / (1 - base.results[0].score)
    assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.1)


def test_an_error_reduction_is_computed_draw_by_draw_from_the_two_scores() -> None:
    one, base = report(0.7, 1), report(0.5, 2, "the baseline")
    variances = seed_variances(one.results)
    found = spreads_of(DEMO, one.results, "the vectors", base, variances)
    own, other = spread(one.results[0], variances), spread(base.results[0], variances, "the baseline")
    expected = (own.total - other.total) / (1 - other.total)
    np.testing.assert_allclose(found.figures[cell_key(*CELLS[0])].total, expected, rtol=1e-5)
    np.testing.assert_array_equal(found.scores[cell_key(*CELLS[0])].total, own.total)


@pytest.mark.parametrize("name", AGGREGATES)
def test_cells_and_means_come_from_the_same_draws(name: str) -> None:
    one, base = report(0.7, 1), report(0.5, 2, "the baseline")
    found = spreads_of(DEMO, one.results, "the vectors", base, seed_variances(one.results))
    cells = [cell_key(task, mode) for task, mode in CELLS if mode in AGGREGATES[name]]
    expected = np.mean([found.figures[cell].total.astype(float) for cell in cells], axis=0)
    np.testing.assert_allclose(found.draws[name], expected, rtol=1e-5, atol=1e-7)
    assert found.figures[name].interval == pytest.approx(percentile_interval(expected), rel=1e-4)


def test_a_mean_of_independent_cells_is_surer_than_each_of_them() -> None:
    one, base = report(0.7, 1), report(0.5, 2, "the baseline")
    found = spreads_of(DEMO, one.results, "the vectors", base, seed_variances(one.results)).figures
    of_cells = np.mean([found[cell_key(task, mode)].errors["seeds"] for task, mode in CELLS])
    assert found["overall"].errors["seeds"] == pytest.approx(of_cells / np.sqrt(len(CELLS)), rel=0.15)


def test_a_mean_counts_seeds_only_if_each_of_its_cells_does() -> None:
    one = result("pos", "fixed", 0.7, 1)
    known, unknown = spread(one, seed_variances([one])), spread(one, NOTHING)
    assert mean_spread([known, known]).seeds is not None
    assert mean_spread([known, unknown]).seeds is None


def test_two_entries_differ_by_the_noise_that_is_not_shared() -> None:
    """Noise of shared examples cancels in a difference; noise of seeds never does."""
    base = report(0.5, 2, "the baseline")
    one, twin = (
        spreads_of(DEMO, base.results, name, base, seed_variances(base.results)).scores["pos.fixed"].total
        for name in ("one", "twin")
    )
    assert paired_difference(0.5, 0.5, one, twin).standard_error == pytest.approx(np.sqrt(2) * SIGMA, rel=0.1)


def with_words(one: CellResult, seed: int = 7) -> CellResult:
    """The result of pairs that share 40 words."""
    assert one.outcomes is not None
    words = np.random.default_rng(seed).integers(0, 40, (2, len(one.outcomes)))
    columns = {name: one.outcomes.column(name) for name in one.outcomes.columns}
    return replace(one, outcomes=Outcomes.of(**columns, **dict(zip(UNITS, words, strict=True))))


def test_a_score_of_pairs_that_share_words_has_their_standard_error_and_students_interval() -> None:
    one = with_words(result("nli", "fixed", 0.7, 1))
    assert one.outcomes is not None
    found, units = spread(one, NOTHING), SharedUnits.of(one.outcomes)
    (error,), (freedom,) = units.errors((one.outcomes.column("correct").astype(float) - one.score)[None])
    assert found.errors == {"examples": pytest.approx(error, rel=1e-4)}
    half = stats.t.isf(0.025, freedom) * error
    assert found.interval == pytest.approx((one.score - half, one.score + half), abs=1e-5)


def test_few_large_documents_have_students_interval_with_few_degrees_of_freedom() -> None:
    """One document of 200 sentences and 20 of 5 have no interval; ten equal ones have nine degrees of freedom."""
    one, unit = result("pos", "fixed", 0.7, 1), np.concatenate([np.zeros(200), 1 + np.arange(100) // 5])
    assert one.outcomes is not None
    columns = {name: one.outcomes.column(name) for name in one.outcomes.columns}
    found = spread(replace(one, outcomes=Outcomes.of(**columns, unit=unit)), NOTHING)
    sizes = np.array([200.0] + [5.0] * 20)
    freedom = (sizes**2).sum() ** 2 / (sizes**4).sum() - 1
    assert found.freedom == pytest.approx(freedom)
    assert found.interval is None, "fewer than two effective units"
    unit = np.arange(300) // 30
    found = spread(replace(one, outcomes=Outcomes.of(**columns, unit=unit)), NOTHING)
    half = stats.t.isf(0.025, 9) * float(found.total.std(ddof=1, dtype=np.float64))
    middle = float(found.total.mean(dtype=np.float64))
    assert found.interval == pytest.approx((middle - half, middle + half), abs=1e-6)


def test_groups_without_a_trial_do_not_count() -> None:
    """The textbook interval of the mean of six groups; four more have no score."""
    right, group = np.array([90, 70, 80, 60, 95, 75, 0, 0, 0, 0]), np.arange(10)
    outcomes = Outcomes.of(correct=right, total=[100] * 6 + [0] * 4, **dict.fromkeys(UNITS, group))
    shares = right[:6] / 100
    found = spread(replace(result("pos", "fixed", 0.7, 1), score=float(shares.mean()), outcomes=outcomes), NOTHING)
    expected = stats.t.interval(0.95, 5, shares.mean(), stats.sem(shares))
    assert found.interval == pytest.approx(expected, abs=1e-5)


def test_an_error_reduction_of_pairs_that_share_words_has_their_standard_error() -> None:
    """The influence of an example on (s - b) / (1 - b), by one more copy of it in both entries' sums."""
    own, base = (with_words(result("nli", "fixed", share, seed)) for share, seed in ((0.7, 1), (0.6, 2)))
    assert own.outcomes is not None
    assert base.outcomes is not None
    found = reduction_spread(spread(own, NOTHING), spread(base, NOTHING, "base"), own.score, base.score, "nli")
    right = np.stack([own.outcomes.column("correct"), base.outcomes.column("correct")]).astype(float)
    n, weight = right.shape[1], 1e-5
    more = (right.sum(axis=1, keepdims=True) + weight * right) / (n + weight)
    plain = (own.score - base.score) / (1 - base.score)
    values = ((more[0] - more[1]) / (1 - more[1]) - plain) * n / weight
    (error,), _ = SharedUnits.of(own.outcomes).errors(values[None])
    assert found.errors["examples"] == pytest.approx(error, rel=1e-3)
    assert found.total.mean() == pytest.approx(plain, abs=1e-6)


def test_seeds_are_counted_in_the_test_of_pairs_that_share_words() -> None:
    one, other, base = (
        with_words(result("nli", "fixed", share, seed)) for share, seed in ((0.7, 1), (0.7, 2), (0.6, 3))
    )
    variances = seed_variances([one])
    first, second = (
        reduction_spread(
            spread(entry, variances, name), spread(base, variances, "base"), entry.score, base.score, "nli"
        )
        for name, entry in (("one", one), ("other", other))
    )
    found = spread_difference(one.score, other.score, first, second)
    examples = spread_difference(one.score, other.score, first.of_examples, second.of_examples)
    own = 2 * (SIGMA / (1 - base.score)) ** 2
    shared = ((one.score - other.score) / (1 - base.score) ** 2 * SIGMA) ** 2
    assert found.standard_error**2 - examples.standard_error**2 == pytest.approx(own + shared, rel=1e-4)
    assert found.standard_error == pytest.approx((first.total - second.total).std(), rel=0.15)


def test_the_baseline_of_pairs_that_share_words_is_certain_against_itself() -> None:
    base = with_words(result("nli", "fixed", 0.6, 2))
    own = spread(base, seed_variances([base]), "base")
    found = reduction_spread(own, own, base.score, base.score, "nli")
    assert not found.total.any()
    assert found.influence is not None
    assert (found.influence.own, found.influence.shared, found.influence.values.any()) == (0, 0, False)


@pytest.mark.parametrize("change", [{"task_hash": "another definition"}, {"outcomes": None}, {"task": "chunk"}])
def test_a_cell_without_a_comparable_baseline_has_a_score_and_no_reduction(change: dict[str, object]) -> None:
    one, base = report(0.7, 1), report(0.5, 2)
    changed = replace(base, results=(replace(base.results[0], **change), *base.results[1:]))  # type: ignore[arg-type]
    found = spreads_of(DEMO, one.results, "the vectors", changed, NOTHING)
    assert "pos.fixed" in found.scores
    assert set(found.figures) == {cell_key(task, mode) for task, mode in CELLS[1:]} | {"fine-tuned"}


def test_without_a_baseline_there_are_scores_only() -> None:
    found = spreads_of(DEMO, report(0.7, 1).results, "the vectors", None, NOTHING)
    assert len(found.scores) == len(CELLS)
    assert found.figures == {}


def test_a_resample_in_which_the_baseline_is_perfect_has_no_reduction() -> None:
    found = reductions(np.float32([[0.5, 0.9]]), np.float32([[0.0, 1.0]]))
    assert found[0, 0] == pytest.approx(0.5)
    assert np.isnan(found[0, 1])


def test_the_interval_of_a_reduction_is_paired() -> None:
    """An entry right on the baseline's examples has a narrower interval than one right on as many others."""
    base, better = np.arange(200) < 60, np.arange(200) < 100

    def interval(flags: np.ndarray) -> tuple[float, float]:  # type: ignore[type-arg]
        outcomes = [Outcomes.of(correct=each, total=np.ones(200)) for each in (flags, base)]
        own, other = resampled_scores(outcomes, ACCURACY, "questions")
        return percentile_interval(reductions(own, other)) or (0.0, 0.0)

    aligned, reverse = interval(better), interval(better[::-1])
    assert aligned[0] < (0.5 - 0.3) / (1 - 0.3) < aligned[1]
    assert aligned[1] - aligned[0] < reverse[1] - reverse[0]


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


def seeds_of(freedom: float, entries: int, seeds: int) -> list[list[list[float]]]:
    """Twelve cells of entries with scaled inverse χ² variances with these degrees of freedom."""
    generator = np.random.default_rng(8)
    deviations = np.sqrt(freedom / generator.chisquare(freedom, (12, entries)))
    return (deviations[:, :, None] * generator.standard_normal((12, entries, seeds))).tolist()


@pytest.mark.parametrize("freedom", [4.0, 12.0])
def test_how_much_entries_differ_is_found_again(freedom: float) -> None:
    found = prior_freedom(seeds_of(freedom, 200, 3))
    assert found == pytest.approx(freedom, rel=0.35)


def test_entries_that_differ_by_chance_only_are_not_told_apart() -> None:
    found = prior_freedom([np.random.default_rng(5).standard_normal((20_000, 3)).tolist()])
    assert found is None or found > 30


def test_entries_with_different_numbers_of_seeds_are_refused() -> None:
    with pytest.raises(ValueError, match="different numbers of seeds"):
        prior_freedom([[[1.0, 2.0], [1.0, 2.0, 3.0]]])


def test_without_two_seeds_nothing_is_known_of_how_entries_differ() -> None:
    assert prior_freedom([[[1.0], [2.0]]]) is None
