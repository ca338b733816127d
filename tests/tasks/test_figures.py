"""Reports that shipped, of every version, hold what the forms of their families say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks import figures
from tasks.associations.secondary import AssociationFigures
from tasks.results import Report, TaskResult
from tasks.suites import SUITES

SHIPPED = Path(__file__).resolve().parents[2] / "tasks" / "baseline" / "scores"
FORMS = {
    "similarity": figures.SimilarityFigures,
    "analogy": figures.AnalogyFigures,
    "qvec": figures.QvecFigures,
    "qvec-cca": figures.CcaFigures,
    "intrusion": figures.IntrusionFigures,
    "priming": figures.PrimingFigures,
    "newsgroups": figures.NewsgroupFigures,
    "mean-vector-probe": figures.ProbeFigures,
    "metaphor": figures.MetaphorFigures,
    "word-map": figures.MapFigures,
    "association": AssociationFigures,
}
REPORTS = [Report.from_json(path.read_text(encoding="utf-8")) for path in sorted(SHIPPED.glob("*-[0-9].json"))]
RESULTS = [
    pytest.param(result, FORMS[task.family.id], id=f"{report.suite['id']}-{report.suite['version']}-{result.task}")
    for report in REPORTS
    for result in report.results
    for task in SUITES[report.suite["id"]].tasks
    if task.id == result.task and task.family.id in FORMS
]


@pytest.mark.parametrize(("result", "form"), RESULTS)
def test_a_stored_figure_has_the_keys_of_its_familys_form(result: TaskResult, form: type[figures.ProbeFigures]) -> None:
    stored = set(result.secondary)
    assert form.__required_keys__ <= stored <= form.__required_keys__ | form.__optional_keys__


def test_reports_of_this_method_are_written_again_byte_for_byte() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(SHIPPED.glob("*-[0-9].json"))]
    same = [text == report.to_json() for text, report in zip(texts, REPORTS, strict=True) if '"method"' in text]
    assert same
    assert all(same)
