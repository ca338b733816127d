"""Results survive a round trip through JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tasks import secondary
from tasks.baseline.published import SHIPPED
from tasks.cli.tables import report_table
from tasks.results import (
    METHOD,
    UNIT,
    UNITS,
    Aggregates,
    CellResult,
    Coverage,
    DatasetUse,
    ErrorReduction,
    Outcomes,
    Predictions,
    Report,
    Unavailable,
    plain,
    typed,
)
from tasks.secondary import AssociationFigures
from tasks.suites import SUITES

RESULT = CellResult(
    task="pos",
    task_hash="0123456789abcdef",
    mode="fixed",
    metric="accuracy",
    higher_is_better=True,
    score=0.875,
    sd=0.001,
    interval=(0.87, 0.88),
    seeds=3,
    n=100,
    coverage=Coverage(0.9, 0.8),
    datasets=(DatasetUse("ud-ewt", "ab" * 32, "CC BY-SA 4.0"),),
    seconds=1.5,
    secondary={"span_f1": 0.5},
    errors={"examples": 0.003, "seeds": 0.001},
)
REPORT = Report(
    suite={"id": "open-2026", "version": 1, "hash": "ff", "comparable": True},
    vectors={"name": "v", "sha256": "cd", "words": 3, "dimensions": 2, "language": "en", "warnings": ()},
    results=(RESULT,),
    aggregates=Aggregates(
        None, 0.5, None, {"fixed": "why"}, {"fine_tuned": (0.4, 0.6)}, {"fine_tuned": {"examples": 0.05}}
    ),
    unavailable=(Unavailable("ner", "It is not there.", "fixed"),),
    environment={"device": "cpu", "threads": 1},
)


@pytest.mark.parametrize(
    ("sentences", "factor"), [(11_597, 8), (4_000, 8), (2_012, 4), (1_999, 2), (1_000, 2), (999, 1), (30, 1)]
)
def test_stored_blocks_are_merged_if_twenty_remain(sentences: int, factor: int) -> None:
    unit = np.arange(sentences) // 25
    clusters = Outcomes.of(correct=np.ones(sentences), unit=unit).clusters
    np.testing.assert_array_equal(clusters, np.arange(sentences) // (25 * factor))


def test_documents_are_not_merged() -> None:
    unit = np.repeat(np.arange(60), 50)
    np.testing.assert_array_equal(Outcomes.of(correct=np.ones(3_000), unit=unit).clusters, unit)


@pytest.mark.parametrize(
    ("units", "names"), [(np.zeros((0, 3)), ()), ([[0, 1, 0]], (UNIT,)), ([[0, 2, 0], [1, 0, 70_000]], UNITS)]
)
def test_units_are_added_behind_the_other_columns_and_come_back(units: list[list[int]], names: tuple[str, ...]) -> None:
    plain_ones = Outcomes.of(predicted=[0.1, np.nan, -1 / 3], gold=[1, 2, 3])
    outcomes = plain_ones.with_units(np.array(units))
    assert outcomes.columns == ("predicted", "gold", *names)
    assert outcomes.values[:, :2].tobytes() == plain_ones.values.tobytes()
    again = Outcomes.from_arrays(outcomes.as_arrays())
    assert again.columns == outcomes.columns
    assert again.values.dtype == np.float32
    assert again.values.tobytes() == outcomes.values.tobytes()
    assert [again.column(name).tolist() for name in names] == np.array(units).tolist()


@pytest.mark.parametrize("lengths", [None, np.array([2, 1])])
def test_predictions_come_back_in_a_byte_each(lengths: np.ndarray | None) -> None:
    labels, gold, predicted = ("NP", "O", "VP"), np.array([0, 2, 1]), np.array([0, 1, 1])
    held = Predictions(labels, gold, predicted, lengths)
    outcomes = replace(Outcomes.of(correct=[1, 1], total=[2, 1]), predictions=held)
    stored = outcomes.packed("chunk|fixed")
    assert stored["chunk|fixed|answers"].dtype == np.uint8
    again = Outcomes.unpacked(stored, "chunk|fixed").predictions
    assert again is not None
    assert (again.labels, again.gold.tolist(), again.predicted.tolist()) == (labels, [0, 2, 1], [0, 1, 1])
    assert again.lengths is None if lengths is None else again.lengths is not None and again.lengths.tolist() == [2, 1]
    units = outcomes.with_units(np.array([[0, 1]]))
    assert Outcomes.from_arrays(units.as_arrays()).predictions is not None


def test_a_report_reads_back_what_it_wrote() -> None:
    assert Report.from_json(REPORT.to_json()) == REPORT


def test_the_table_has_what_chance_gives_if_a_score_depends_on_the_known_words() -> None:
    """1.96 / √100."""
    pairs = replace(RESULT, task="sim", mode=None, metric="spearman", secondary={"known": 101, "pairs": 353})
    with_pairs, without = (
        report_table(replace(REPORT, results=results)).split("\n")[3:] for results in ((RESULT, pairs), (RESULT,))
    )
    assert " sd  by chance       known  baseline " in with_pairs[0]
    assert " 0.0010     ±0.196  101 of 353         – " in with_pairs[3]
    assert " sd  baseline " in without[0]


def test_the_table_has_intervals_of_error_reductions_or_else_of_scores_and_of_means() -> None:
    word = replace(RESULT, mode=None, relative_error_reduction_interval=None, interval=(0.4, 0.6))
    cell = replace(RESULT, relative_error_reduction_interval=(0.05, 0.15), interval=(0.8, 0.95))
    means = replace(REPORT.aggregates, overall=0.1, intervals={"overall": (0.02, 0.18)})
    printed = report_table(replace(REPORT, results=(word, cell), aggregates=means))
    assert "0.4000 to 0.6000" in printed
    assert "+5.00 to +15.00" in printed
    assert "0.8000" not in printed
    assert "overall: +10.00 (+2.00 to +18.00)" in printed
    assert "not comparable" not in printed
    demo = report_table(replace(REPORT, suite={**REPORT.suite, "comparable": False}))
    assert "version 1; its scores are not comparable with those of any other" in demo


def test_a_reduction_of_zero_as_used_is_written() -> None:
    zero = replace(REPORT, results=(replace(RESULT, as_used=ErrorReduction(0.0)),))
    assert json.loads(zero.to_json())["results"][0]["as_used"] == {"value": 0.0, "interval": None, "errors": {}}
    assert Report.from_json(zero.to_json()) == zero


def test_a_report_of_the_first_form_is_read_with_its_reductions_in_their_present_places() -> None:
    stored = plain(REPORT)
    cell = stored["results"][0] | {"score": 0.9, "baseline": 0.8, "relative_error_reduction": 0.5}
    cell |= {"relative_error_reduction_interval": [0.4, 0.6], "equal_dimensions": 0.2}
    blank = {name: value for name, value in cell.items() if name != "equal_dimensions"}
    means = {"fixed": None, "fine_tuned": None, "overall": 0.2, "intervals": {"overall": [0.1, 0.3]}}
    read = typed(Report, stored | {"results": [cell, blank], "equal_dimensions": means})
    assert (read.aggregates.overall, read.aggregates.intervals) == (0.2, {"overall": (0.1, 0.3)})
    assert read.as_used == REPORT.aggregates
    first, second = read.results
    assert (first.relative_error_reduction, first.relative_error_reduction_interval) == (0.2, None)
    assert first.baseline == pytest.approx(0.875)
    assert first.as_used == ErrorReduction(0.5, (0.4, 0.6), RESULT.relative_error_reduction_errors)
    assert (second.relative_error_reduction, second.baseline, second.as_used) == (None, None, first.as_used)


def test_a_later_versions_keys_are_ignored() -> None:
    stored = plain(REPORT)
    stored["results"][0]["new_in_2030"] = {"x": 1}
    stored["new_in_2030"] = []
    assert typed(Report, stored) == REPORT


def test_a_report_keeps_its_method_when_it_is_written_again() -> None:
    earlier = replace(REPORT, method=METHOD - 1)
    assert Report.from_json(earlier.to_json()).method == METHOD - 1
    assert Report.from_json(REPORT.to_json()).method == METHOD == 4


STORED = [path for path in sorted(SHIPPED.glob("*.json")) if not path.name.endswith(".seeds.json")]
FORMS = {
    "similarity": secondary.SimilarityFigures,
    "analogy": secondary.AnalogyFigures,
    "qvec": secondary.QvecFigures,
    "qvec-cca": secondary.CcaFigures,
    "intrusion": secondary.IntrusionFigures,
    "priming": secondary.PrimingFigures,
    "newsgroups": secondary.NewsgroupFigures,
    "mean-vector-probe": secondary.ProbeFigures,
    "metaphor": secondary.MetaphorFigures,
    "word-map": secondary.MapFigures,
    "association": AssociationFigures,
}


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_a_report_that_ships_is_written_again_byte_for_byte(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert Report.from_json(text).to_json() == text


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_stored_figures_have_the_keys_of_their_familys_form(path: Path) -> None:
    report = Report.from_json(path.read_text(encoding="utf-8"))
    tasks = {task.id: task for task in SUITES[report.suite["id"]].tasks}
    checked = [(r, FORMS[tasks[r.task].family.id]) for r in report.results if tasks[r.task].family.id in FORMS]
    assert checked
    for result, form in checked:
        stored = set(result.secondary)
        assert form.__required_keys__ <= stored <= form.__required_keys__ | form.__optional_keys__, result.task


def test_nan_is_never_written_as_a_number() -> None:
    broken = replace(REPORT, results=(replace(RESULT, score=float("nan")),))
    with pytest.raises(ValueError, match="not JSON compliant"):
        broken.to_json()
