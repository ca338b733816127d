"""Findings from scores typed by hand; the page matches the command's output."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from scipy.stats import t as student_t

from benchmark.shipped.dump import SHIPPED, dump_path
from research.board.entries import estimates_by_name
from research.cli import main
from research.findings.finding import Finding, Verdict, by_count, by_interval, number
from research.findings.page import BEGIN, END, PAGE, put, shown
from research.findings.practice import practice
from research.findings.priming import CONDITIONS, condition_difference, priming, within_target_difference
from research.findings.scales import gain, pitman_morgan, scales, tuning, unevenness
from research.findings.windows import measures, windows
from tasks.metrics import PRECISION_AT_1
from tasks.results import MODES, UNITS, CellResult, Outcomes
from tasks.statistics.correlations import correlation_difference
from tasks.suites import OPEN_2026
from tests.research.board.entries import Cell, entry, predicted, result, right

CELLS: list[Cell] = [(task.id, mode) for task, mode in OPEN_2026.cells_of_mean(MODES)]


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [((0.1, 0.9), "holds"), ((-0.9, -0.1), "does not hold"), ((-0.1, 0.9), "undecided"), (None, "undecided")],
)
def test_an_interval_around_nothing_is_undecided(interval: tuple[float, float] | None, verdict: str) -> None:
    assert by_interval(interval) == verdict


@pytest.mark.parametrize(
    ("right", "wrong", "verdict"),
    [
        (3, 0, "holds"),
        (2, 0, "holds in part"),
        (2, 1, "mixed"),
        (1, 2, "mixed"),
        (0, 1, "partly contradicted"),
        (0, 3, "does not hold"),
        (0, 0, "undecided"),
    ],
)
def test_a_claim_with_several_tests_holds_only_if_all_agree(right: int, wrong: int, verdict: str) -> None:
    assert by_count(right, wrong, 3) == verdict


def test_numbers_have_a_true_minus_and_a_dash_for_none() -> None:
    assert (number(-0.5, 1), number(0.5, 1, sign=True), number(None)) == ("−0.5", "+0.5", "–")


def test_unevenness_is_the_largest_spread_over_the_smallest() -> None:
    assert unevenness(np.array([[0, 0], [2, 10], [4, 20.0]])) == 5


def test_reductions_that_even_out_differ_from_raw_scores_that_do_not() -> None:
    reduced = np.random.default_rng(1).normal(size=(20, 6))
    ratio, interval = gain(reduced * [1, 1, 1, 1, 1, 9], reduced)
    assert interval is not None
    assert 3 < interval[0] < ratio


def test_entries_without_all_tasks_leave_it_undecided() -> None:
    section = scales([entry({CELLS[0]: 0.6})] * 6, OPEN_2026)
    assert {found.verdict for found in section.findings} == {"undecided"}


def test_qvec_is_correlated_within_a_dimension_only_and_controls_are_left_out() -> None:
    rising = [
        entry({("qvec-en", None): 10 + i, ("sim-men-tr-3k", None): 0.1 * i, ("senti", None): 0.5 + 0.01 * i})
        for i in range(6)
    ]
    control = entry({("qvec-en", None): 99.0, ("sim-men-tr-3k", None): 0.0, ("senti", None): 0.5}, algorithm="random")
    of_qvec = [found for found in practice([*rising, control]).findings if found.claim.startswith("QVEC correlates")]
    assert [found.claim.endswith("(100 dimensions, without controls).") for found in of_qvec] == [True, True]
    assert "Senti 1.00 (" in of_qvec[0].here
    assert "6 entries" in of_qvec[0].here


def test_four_entries_are_too_few_for_a_correlation() -> None:
    few = [entry({("sim-men-tr-3k", None): 0.1 * i, ("senti", None): 0.5 + 0.01 * i}) for i in range(4)]
    assert not [found for found in practice(few).findings if found.claim.startswith("QVEC")]


def test_analogies_are_cut_where_the_semantic_categories_end() -> None:
    categories = {f"c{i}": {"correct": 0, "known": 1, "questions": 1} for i in range(7)}
    secondary = {"categories": categories, "semantic": 1.0, "syntactic": 0.0}
    cell: Cell = ("analogy-google", None)
    pairs = {"first pair": np.arange(0, 14, 2), "second pair": np.arange(1, 14, 2), "category": np.arange(7)}
    outcomes = Outcomes.of(correct=[1, 1, 1, 1, 1, 0, 0], total=np.ones(7), **pairs)
    found = entry({cell: result(OPEN_2026, cell, 5 / 7, outcomes, secondary=secondary)})
    semantic, syntactic = measures(found, OPEN_2026, estimates_by_name([found], OPEN_2026)[found.name])
    assert (semantic.title, syntactic.title) == ("Google analogies, semantic", "Google analogies, syntactic")
    assert semantic.outcomes.column("total").tolist() == [1] * 5 + [0] * 2
    assert syntactic.outcomes.column("total").tolist() == [0] * 5 + [1] * 2
    assert (PRECISION_AT_1.of(semantic.outcomes), PRECISION_AT_1.of(syntactic.outcomes)) == (1.0, 0.0)
    for part, score in ((semantic, 1.0), (syntactic, 0.0)):
        assert part.estimate is not None
        assert (part.estimate.value, part.estimate.error) == (score, pytest.approx(0, abs=1e-6))


def test_a_window_that_wins_on_syntax_is_named() -> None:
    cell: Cell = ("pos", "fixed")
    narrow, wide = (
        entry({cell: result(OPEN_2026, cell, score, right(*flags))}, window=window)
        for window, score, flags in ((2, 0.9, [1] * 90 + [0] * 10), (10, 0.5, [1] * 50 + [0] * 50))
    )
    syntax, topic = windows([wide, narrow], OPEN_2026).findings
    assert (syntax.verdict, syntax.answer) == ("holds", "holds, for these files")
    assert "clearly worse on 1 (Part-of-speech tagging, fixed)" in syntax.here
    assert topic.verdict == "undecided"
    chart = windows([wide, narrow], OPEN_2026).chart
    assert chart is not None
    assert "Part-of-speech tagging, fixed −40.0 (" in chart.file()


@pytest.mark.parametrize(
    ("verdict", "trainings", "answer"),
    [("holds", 2, "holds, for these files"), ("holds", 3, "holds"), ("undecided", 1, "undecided")],
)
def test_a_verdict_on_settings_trained_fewer_than_three_times_is_one_for_files(
    verdict: Verdict, trainings: int, answer: str
) -> None:
    assert Finding("A window helps.", "a paper", "It does.", verdict, trainings).answer == answer


def test_equal_spreads_are_not_told_apart_and_unequal_ones_are() -> None:
    generator = np.random.default_rng(3)
    a, b = generator.normal(size=(2, 40))
    equal, unequal = pitman_morgan(a.tolist(), b.tolist()), pitman_morgan(a.tolist(), (0.2 * b).tolist())
    assert equal is not None and unequal is not None  # noqa: PT018
    assert unequal < 0.001 < 0.05 < equal


def test_differences_that_fine_tuning_shrinks_are_seen_in_every_task() -> None:
    generator = np.random.default_rng(4)
    real = [
        entry({cell: 0.7 + float(generator.normal(0, 0.1 if cell[1] == "fixed" else 0.01)) for cell in CELLS})
        for _ in range(12)
    ]
    (found,) = tuning(real, OPEN_2026).findings
    assert found.verdict == "holds"
    assert "in 4 of 4 tasks" in found.here


NOISE = (0.0, 1.0, 1.0, 3.0)
"""Of the reaction times in each condition: lexical decision and naming, after 200 and 1,200 ms."""


def primed(algorithm: str, noise: float, scores: float) -> object:
    generator = np.random.default_rng(5)
    gold = generator.normal(size=400)
    cosines = (gold + noise * generator.normal(size=400)).tolist()
    cells: dict[Cell, object] = {}
    for condition, of_times in zip(CONDITIONS, NOISE, strict=True):
        times = gold + of_times * generator.normal(size=400)
        measured = result(OPEN_2026, (condition, None), scores, predicted(cosines, times.tolist()))
        cells[condition, None] = replace(measured, secondary={"within_target": None})
    return entry(cells, algorithm=algorithm, window=10)  # type: ignore[arg-type]


def test_glove_is_compared_with_skip_gram_of_its_own_window_and_dimension() -> None:
    section = priming([primed("glove", 0.5, 0.9), primed("skip-gram", 3.0, 0.3)])  # type: ignore[list-item]
    assert section.findings[0].claim.endswith("(window 10, 100 dimensions).")
    assert section.findings[0].verdict == "holds"
    assert [found.verdict for found in section.findings[1:]] == ["holds", "holds"]


def test_conditions_are_compared_with_the_error_of_correlations_that_share_a_side() -> None:
    """One entry in two conditions is, with the sides exchanged, two entries on the same gold scores."""
    generator = np.random.default_rng(3)
    cosines = generator.normal(size=300)
    first, second = (cosines + noise * generator.normal(size=300) for noise in (1.0, 1.5))
    words = dict(zip(UNITS, generator.integers(0, 80, (2, 300)), strict=True))
    sides = [Outcomes.of(predicted=cosines, gold=times, **words) for times in (first, second)]
    exchanged = [Outcomes.of(predicted=times, gold=cosines, **words) for times in (first, second)]
    apart, expected = condition_difference([(sides[0], sides[1])], "published"), correlation_difference(*exchanged)
    assert expected is not None
    assert apart.difference == pytest.approx(expected.first - expected.second)
    assert apart.standard_error == pytest.approx(expected.error_of_correlations, rel=0.05)


def test_more_entries_on_the_same_reaction_times_are_not_more_evidence() -> None:
    generator = np.random.default_rng(4)
    cosines, first, second = generator.normal(size=(3, 200))
    sides = [Outcomes.of(predicted=cosines, gold=cosines + noise) for noise in (first, second)]
    alone = condition_difference([(sides[0], sides[1])], "published")
    many = condition_difference([(sides[0], sides[1])] * 13, "published")
    assert (many.difference, many.p) == (pytest.approx(alone.difference), pytest.approx(alone.p))


def two_entries(seed: int, targets: np.ndarray) -> tuple[Outcomes, Outcomes]:
    """Times that two entries predict equally well within targets, which differ in speed; one pair is unknown."""
    generator = np.random.default_rng(seed)
    effect, slow = generator.standard_normal(len(targets)), 2 * generator.standard_normal(targets.max() + 1)[targets]
    both = [0.3 * effect + generator.standard_normal(len(targets)) for _ in range(2)]
    both[1][1] = np.nan
    gold = effect + slow
    first, second = (Outcomes.of(predicted=own, gold=gold, target=targets) for own in both)
    return first, second


def test_the_test_within_targets_has_as_many_degrees_of_freedom_as_free_deviations() -> None:
    """Against Steiger's formula, with n - T + 1 for n; T counts targets with several known pairs."""
    targets = np.repeat(np.arange(16), 3)
    targets[-1] = 40  # alone, so it doesn't count
    first, second = two_entries(1, targets)
    rows: list[np.ndarray] = []
    for target in range(16):
        own = np.flatnonzero(np.isfinite(second.column("predicted")) & (targets == target))
        three = np.stack([first.column("gold")[own], first.column("predicted")[own], second.column("predicted")[own]])
        rows.extend((three - three.mean(axis=1, keepdims=True)).T)
    ranks = spearmanr(np.array(rows)).statistic
    n = len(rows) - 16 + 1
    r_xy, r_xz, r_yz = ranks[0, 1], ranks[0, 2], ranks[1, 2]
    determinant, mean = np.linalg.det(ranks), (r_xy + r_xz) / 2
    scale = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r_yz) ** 3
    t = (r_xy - r_xz) * np.sqrt((n - 1) * (1 + r_yz) / scale)
    found = within_target_difference(first, second)
    assert found is not None
    assert found.n == n == 46 - 16 + 1
    assert (found.t, found.p) == (pytest.approx(t), pytest.approx(2 * student_t.sf(abs(t), n - 3)))


def test_two_equally_good_entries_differ_within_targets_in_one_of_twenty_cases() -> None:
    targets = np.repeat(np.arange(60), 2)
    found = [within_target_difference(*two_entries(seed, targets)) for seed in range(1000)]
    assert 0.035 <= np.mean([one is not None and one.p <= 0.05 for one in found]) <= 0.065


def test_targets_with_too_few_free_deviations_are_not_compared() -> None:
    assert within_target_difference(*two_entries(0, np.repeat(np.arange(3), 2))) is None


def test_an_entry_does_not_differ_from_itself_within_targets() -> None:
    first, _ = two_entries(0, np.repeat(np.arange(20), 3))
    same = within_target_difference(first, first)
    assert same is not None
    assert (same.first, same.n, same.p) == (same.second, 60 - 20 + 1, 1.0)


def test_claims_on_priming_are_judged_within_targets_too() -> None:
    """Only the published score rewards knowing how slow each target is."""
    generator = np.random.default_rng(6)
    targets = np.repeat(np.arange(100), 4)
    slow, gold = generator.normal(scale=5, size=100)[targets], generator.normal(size=400)
    sides = {"glove": gold + 2 * generator.normal(size=400) + slow, "skip-gram": gold + generator.normal(size=400) / 2}
    entries = []
    for algorithm, cosines in sides.items():
        cells: dict[Cell, CellResult] = {}
        for condition, noise in zip(CONDITIONS, NOISE, strict=True):
            times = gold + noise * np.random.default_rng(7).normal(size=400) + slow
            measured = result(
                OPEN_2026, (condition, None), 0.5, Outcomes.of(predicted=cosines, gold=times, target=targets)
            )
            cells[condition, None] = replace(measured, secondary={"within_target": 0.4})
        entries.append(entry(cells, algorithm=algorithm, window=10))
    found = priming(entries).findings
    assert found[0].verdict == "holds"
    assert [finding.verdict for finding in found[3:]] == ["does not hold", "holds", "holds"]
    assert found[3].claim.endswith("Within the pairs of a target.")


def test_only_the_text_between_the_marks_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "findings.md"
    page.write_text(f"by hand\n{BEGIN}\nold\n{END}\nbelow\n", encoding="utf-8")
    put("new", page)
    assert page.read_text(encoding="utf-8") == f"by hand\n{BEGIN}\nnew\n{END}\nbelow\n"


def test_a_page_without_marks_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "findings.md"
    page.write_text("by hand\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no place for the findings"):
        put("new", page)


@pytest.mark.slow
@pytest.mark.skipif(
    not dump_path(OPEN_2026).is_file() and any(SHIPPED.glob("open-2026-*.zip")),
    reason="the page speaks of an earlier version of the suite, whose board is shipped; the new one waits for its own",
)
def test_the_page_has_the_commands_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["findings"]) == 0
    assert capsys.readouterr().out.strip() == shown(PAGE), "python -m research findings --write"
