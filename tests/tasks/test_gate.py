"""The rule “not inferior”, and the gate between two reports."""

from __future__ import annotations

import math
import shutil
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.special import stdtrit

from tasks.cli import main
from tasks.errors import InputError
from tasks.evaluate import evaluate, over_seeds
from tasks.gate import Gated, corrected, gate, is_futile, judge, junit, look_at, sentence, worst
from tasks.report import assemble
from tasks.results import CellResult, Outcomes, Report
from tasks.statistics.correlations import correlation_difference
from tasks.statistics.effects import FigureEstimate
from tasks.statistics.sequential import Look
from tasks.suites import DEMO
from tasks.vectors import Embedding
from tests.tasks.statistics.uncertain import SUITE, VECTORS, publish, report, result
from tests.workers.running_site import small_file


@pytest.fixture(autouse=True)
def baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite's baseline, with published seed variances."""
    monkeypatch.setenv("VECBOARD_BASELINE_SCORES", str(tmp_path))
    base = report(0.5, 2, "the baseline")
    publish(base, variances=base.results)


def made(share: float, seed: int, name: str) -> Report:
    """A report of every trained cell; ``share`` of the examples are right."""
    return assemble(SUITE, {**VECTORS, "sha256": name}, report(share, seed).results, [], {})


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [(0.7, "not inferior"), (0.6, "can't tell"), (-1.0, "can't tell"), (-2.6, "can't tell"), (-2.7, "inferior")],
)
def test_the_bounds_decide(difference: float, verdict: str) -> None:
    # The bounds of a standard error of 1 are 1.645 below and above the difference.
    assert judge(difference, 1.0, math.inf, margin=1.0).verdict == verdict


def columns_at(*differences: float) -> list[Gated]:
    return [
        Gated(f"task {difference}", 50.0, 50.0, judge(difference, 1.0, math.inf, 1.0)) for difference in differences
    ]


def test_one_of_several_columns_is_inferior_only_after_holms_correction() -> None:
    # One-sided p of a difference of -1: 0.036, 0.067 and 0.5; three times the first exceeds 5 %.
    gated = corrected(columns_at(-2.8, -2.5, -1.0))
    assert [column.judgement.verdict for column in gated] == ["can't tell"] * 3
    assert "inferior alone, but not after correction for 3 tests" in sentence(gated[0], 1.0)
    assert [column.judgement.corrected_for for column in gated] == [3, None, None]
    # 0.0006 and 0.023: both pass, the first at a third of 5 % and the second at half.
    gated = corrected(columns_at(-4.25, -3.0, 2.0))
    assert [column.judgement.verdict for column in gated] == ["inferior", "inferior", "not inferior"]
    assert corrected(columns_at(-2.8))[0].judgement.verdict == "inferior"


SEEDS = (0.6, 0.8, 0.9, 0.96, 1.0)
"""Shares of the information after each of five seeds."""


def test_early_looks_have_wider_bounds() -> None:
    # 0.6 of the information: 2 - 2 Φ(1.960 / √0.6) = 0.0114 of the 5 % are spent.
    judgement = judge(0.0, 1.0, math.inf, 1.0, look=Look(SEEDS, 1))
    assert judgement.upper == -judgement.lower == pytest.approx(2.277, abs=1e-3)
    few_units = judge(0.0, 1.0, 4, 1.0, look=Look(SEEDS, 1))
    assert few_units.upper == pytest.approx(float(stdtrit(4, 1 - 0.0114)), abs=3e-3)


def test_a_column_that_is_inferior_at_an_early_look_is_so_among_others_only_at_a_share_of_the_level() -> None:
    # One-sided p of 2.4 standard errors: 0.0082. The first look has 0.0114 of 5 %, but 0.0038 of half of it.
    columns = [
        Gated(name, 50.0, 50.0, judge(-1.0 - z, 1.0, math.inf, 1.0, look=Look(SEEDS, 1)))
        for name, z in (("far", 2.4), ("near", 0.0))
    ]
    assert [column.judgement.verdict for column in columns] == ["inferior", "can't tell"]
    assert worst(corrected(columns)) == "can't tell"
    assert worst(corrected(columns[:1])) == "inferior"


def test_further_seeds_are_futile_if_a_verdict_is_out_of_reach() -> None:
    def at(difference: float, look: Look) -> list[Gated]:
        return [Gated("a", 50.0, 50.0, judge(difference, 1.0, math.inf, 1.0, look=look))]

    late, soon = Look((0.96, 1.0), 1), Look((0.3, 0.9, 1.0), 1)
    assert worst(at(-1.0, late)) == worst(at(-1.0, soon)) == "can't tell"
    assert is_futile(at(-1.0, late))  # both bounds are 1.7 standard errors away, and further seeds move it by 0.2
    assert not is_futile(at(-1.0, soon))
    assert not is_futile(at(0.6, late))
    decided = at(9.0, late)
    assert not is_futile([*decided, *at(-1.0, soon)])
    assert is_futile([*decided, *at(-1.0, late)])


def test_the_chance_of_a_verdict_is_that_of_simulated_further_seeds() -> None:
    # Variance 1 after the first of three seeds, 0.4 of it from examples: the estimate moves by the seeds' part alone.
    apart = FigureEstimate(0.004, {}, {"pos.fixed|new": math.sqrt(0.6) / 100, "pos.fixed|old": math.sqrt(0.4) / 100})
    look = look_at(apart, "new", 1, 3)
    assert look == Look((0.6, 0.857, 1.0), 1)
    judgement = judge(0.4, 1.0, math.inf, 1.0, look=look)
    last = 0.4 + math.sqrt(1 - 0.6) * np.random.default_rng(1).standard_normal(200_000)
    reach = judge(0.0, math.sqrt(0.6), math.inf, 1.0, look=look.last).upper
    shares = np.mean(last - reach > -1.0), np.mean(last + reach < -1.0)
    assert judgement.chances == (pytest.approx(shares[0], abs=0.005), pytest.approx(shares[1], abs=0.005))


@pytest.mark.parametrize(("variance", "looks"), [(1e-9, (1.0,)), (0.0, (1.0,))])
def test_seeds_that_add_nothing_give_no_further_look(variance: float, looks: tuple[float, ...]) -> None:
    seeds = {"pos.fixed|old": 0.01, **({"pos.fixed|new": math.sqrt(variance)} if variance else {})}
    assert look_at(FigureEstimate(0.0, {}, seeds), "new", 2, 5).fractions == looks


def test_few_units_widen_the_bounds() -> None:
    found = judge(0.0, 1.0, 4, margin=1.0)
    assert found.lower == pytest.approx(-2.1318, abs=1e-4)  # the 95th percentile of t with 4 degrees of freedom
    assert found.upper == -found.lower


def test_examples_that_would_decide_shrink_the_error_of_examples_alone() -> None:
    # At a difference of 0 and a margin of 1, the error must fall from 1 to 1 / 1.645: 2.7 times as many examples.
    assert judge(0.0, 1.0, math.inf, 1.0, examples=100).more == 171
    # Seeds leave 0.5 of it, so the examples' variance must fall from 0.75 to 0.1196: 6.27 times as many.
    assert judge(0.0, 1.0, math.inf, 1.0, examples=100, seeds_error=0.5).more == 528
    assert judge(0.0, 1.0, math.inf, 1.0, examples=100, seeds_error=0.7).more is None
    assert judge(-1.0, 1.0, math.inf, 1.0, examples=100).more is None
    assert judge(0.0, 1.0, math.inf, 1.0).more is None


@pytest.mark.parametrize("margin", [0.0, -1.0, math.nan, math.inf])
def test_a_margin_is_a_number_above_zero(margin: float) -> None:
    with pytest.raises(InputError, match="number of points above 0"):
        judge(0.0, 1.0, math.inf, margin)


def test_the_same_vectors_are_never_inferior() -> None:
    one = made(0.7, 1, "a")
    for gated in (gate(SUITE, one, one, None, 0.01), gate(SUITE, one, one, ["pos", "ner"], 0.01)):
        assert worst(gated) == "not inferior"
        assert all(found.judgement.lower == 0.0 for found in gated)


def test_every_cell_of_the_named_tasks_is_judged_in_points_of_its_score() -> None:
    new, old = made(0.5, 1, "a"), made(0.8, 1, "b")
    gated = gate(SUITE, new, old, ["pos", "questions"], 1.0)
    assert [one.column for one in gated] == ["pos.fixed", "pos.fine-tuned", "questions.fixed", "questions.fine-tuned"]
    results = [(new.result("pos", "fixed"), old.result("pos", "fixed"))]
    for own, other in results:
        assert own is not None
        assert other is not None
        assert gated[0].judgement.difference == pytest.approx(100 * (own.score - other.score))
    assert worst(gated) == "inferior"
    assert worst(gate(SUITE, old, new, ["pos"], 1.0)) == "not inferior"


def test_without_tasks_the_overall_mean_is_judged_in_points_of_error_reduction() -> None:
    new, old = made(0.5, 1, "a"), made(0.8, 1, "b")
    (one,) = gate(SUITE, new, old, None, 1.0)
    assert one.column == "overall"
    assert new.aggregates.overall is not None
    assert old.aggregates.overall is not None
    assert one.judgement.difference == pytest.approx(100 * (new.aggregates.overall - old.aggregates.overall))
    assert one.judgement.verdict == "inferior"


def test_seeds_widen_the_bounds_of_trained_cells_with_published_variance() -> None:
    new, old = made(0.7, 1, "a"), made(0.7, 2, "b")
    (found, _) = gate(SUITE, new, old, ["pos"], 1.0)
    apart = [one.result("pos", "fixed") for one in (new, old)]
    values = [one.outcomes.column("correct") for one in apart if one is not None and one.outcomes is not None]
    examples = 100 * float(np.std(values[0] - values[1], ddof=1)) / math.sqrt(300)
    assert found.judgement.upper - found.judgement.difference > 1.02 * 1.645 * examples


def correlated(noise: float, known: int = 60) -> CellResult:
    gold = np.arange(80.0)
    predicted = gold + noise * np.random.default_rng(int(noise)).standard_normal(80)
    predicted[known:] = np.nan
    first = result("pos", "fixed", 0.5, 1)
    return replace(
        first,
        task="sim-ws-353-all",
        mode=None,
        metric="spearman",
        score=0.5,
        outcomes=Outcomes.of(predicted=predicted, gold=gold),
    )


def test_correlations_are_judged_on_common_pairs_with_the_error_of_their_difference() -> None:
    new, old = correlated(40.0, known=60), correlated(10.0, known=70)
    reports = [replace(made(0.5, 1, "a"), results=(one,)) for one in (new, old)]
    (found,) = gate(SUITE, *reports, ["sim-ws-353-all"], 1.0)
    assert new.outcomes is not None
    assert old.outcomes is not None
    known = correlation_difference(new.outcomes, old.outcomes)
    assert known is not None
    assert known.n == 60
    assert found.judgement.difference == pytest.approx(100 * (known.first - known.second))
    assert found.judgement.verdict == "inferior"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda one: replace(one, results=()), "has no score for pos"),
        (lambda one: replace(one, suite={**one.suite, "version": 98}), "Only reports of one version of a suite"),
        (lambda one: replace(one, vectors={**one.vectors, "language": "de"}), "different languages"),
        (lambda one: changed(one, outcomes=None), "The earlier report has no outcomes of pos.fixed"),
        (lambda one: changed(one, task_hash="other"), "defined differently"),
        (
            lambda one: changed(one, outcomes=Outcomes.of(correct=[1.0], total=[1.0])),
            "300 examples in one report and 1",
        ),
    ],
)
def test_reports_that_cannot_be_compared_are_refused_with_the_reason(change: object, said: str) -> None:
    one = made(0.7, 1, "a")
    assert callable(change)
    with pytest.raises(InputError, match=said):
        gate(SUITE, one, change(one), ["pos"], 1.0)


def changed(one: Report, **fields: object) -> Report:
    return replace(one, results=tuple(replace(result, **fields) for result in one.results))  # type: ignore[arg-type]


def test_a_score_without_a_better_end_is_refused() -> None:
    one = changed(made(0.7, 1, "a"), descriptive=True)
    with pytest.raises(InputError, match="a higher score isn't better"):
        gate(SUITE, one, one, ["pos"], 1.0)


def test_junit_has_a_failure_for_inferior_and_an_error_for_an_open_question() -> None:
    new, old = made(0.5, 1, "a"), made(0.8, 1, "b")
    gated = [
        *gate(SUITE, new, old, None, 1.0),
        *gate(SUITE, old, old, None, 1.0),
        *gate(SUITE, made(0.7, 1, "c"), made(0.7, 2, "d"), ["questions"], 0.1),
    ]
    root = ElementTree.fromstring(junit(gated, 1.0, "old.json"))
    kinds = {"inferior": "failure", "can't tell": "error", "not inferior": "system-out"}
    expected = [kinds[one.judgement.verdict] for one in gated]
    assert [case[0].tag for case in root] == expected
    assert {"failure", "error", "system-out"} <= set(expected)
    assert (root.get("tests"), root.get("failures")) == (str(len(gated)), str(expected.count("failure")))
    assert root[0][0].get("message") == sentence(gated[0], 1.0)


EVALUATE = ["evaluate", str(small_file()), "--suite", "demo", "--task", "questions", "--mode", "fixed", "--seeds", "1"]


def test_evaluate_keeps_outcomes_and_compares_with_an_earlier_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, verdicts = tmp_path / "report.json", tmp_path / "gate.xml"
    how = [*EVALUATE, "--workers", "1"]
    assert main([*how, "--out", str(out)]) == 0
    kept = Report.read(out)
    assert [one.outcomes is not None for one in kept.results] == [True]
    assert main([*how, "--not-inferior-to", str(out), "--junit", str(verdicts)]) == 0
    assert "not inferior" in capsys.readouterr().out
    assert ElementTree.parse(verdicts).getroot().get("tests") == "1"
    perfect(kept).write(out)
    assert main([*how, "--not-inferior-to", str(out)]) == 1
    out.with_suffix(".npz").unlink()
    assert main([*how, "--not-inferior-to", str(out)]) == 2
    assert "has no outcomes of questions.fixed" in capsys.readouterr().err


def perfect(report: Report) -> Report:
    """The report with every answer right, as of other vectors."""
    (one,) = report.results
    assert one.outcomes is not None
    values = one.outcomes.values.copy()
    values[:, one.outcomes.columns.index("correct")] = one.outcomes.column("total")
    right = replace(one, score=1.0, outcomes=Outcomes(one.outcomes.columns, values))
    return replace(report, results=(right,), vectors={**report.vectors, "sha256": "other"})


def test_outcomes_of_other_vectors_are_not_taken(tmp_path: Path) -> None:
    first, second = made(0.7, 1, "a"), made(0.7, 1, "b")
    first.write(tmp_path / "first.json")
    second.write(tmp_path / "second.json")
    shutil.copy(tmp_path / "first.npz", tmp_path / "second.npz")
    assert {one.outcomes for one in Report.read(tmp_path / "second.json").results} == {None}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--not-inferior-to", __file__], "is not a report that"),
        (["--not-inferior-to", "nowhere.json"], "is not a report that"),
        (["--junit", "gate.xml"], "name --not-inferior-to too"),
        (["--out", "report.npz"], "Give the report another suffix"),
    ],
)
def test_unusable_options_of_the_gate_are_refused_before_measuring(
    options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*EVALUATE, *options]) == 2
    assert said in capsys.readouterr().err


def test_seeds_trained_one_by_one_give_the_same_bits_as_together(demo_vectors: Embedding) -> None:
    def measured(seeds: int, first: int = 0) -> list[CellResult]:
        tasks = ["ner", "questions", "sim-ws-353-all"]
        return list(evaluate(demo_vectors, DEMO, tasks=tasks, seeds=seeds, first_seed=first).results)

    for together, *parts in zip(measured(3), *(measured(1, first) for first in range(3)), strict=True):
        joined = over_seeds(parts[:1] if together.mode is None else parts)
        assert (joined.score, joined.sd, joined.seeds) == (together.score, together.sd, together.seeds)
        assert joined.outcomes is not None
        assert together.outcomes is not None
        assert joined.outcomes.columns == together.outcomes.columns
        np.testing.assert_array_equal(joined.outcomes.values, together.outcomes.values)


def test_an_early_gate_stops_at_the_seed_that_decides(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VECBOARD_BASELINE_SCORES")
    out, early = tmp_path / "report.json", [*EVALUATE[:-2], "--seeds", "3", "--workers", "1", "--early"]
    assert main([*EVALUATE, "--workers", "1", "--out", str(out)]) == 0
    report = Report.read(out)
    perfect(report).write(out)
    assert main([*early, "--not-inferior-to", str(out)]) == 1
    assert "1 of 3 seeds trained" in capsys.readouterr().out
    replace(report, vectors={**report.vectors, "sha256": "other"}).write(out)
    assert main([*early, "--not-inferior-to", str(out), "--margin", "30"]) == 0
    assert "1 of 3 seeds trained" in capsys.readouterr().out
    assert main([*early, "--not-inferior-to", str(out), "--out", str(tmp_path / "new.json")]) == 2
    assert "--early is for one verdict" in capsys.readouterr().err
