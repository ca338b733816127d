"""Out-of-vocabulary test words, by task."""

from __future__ import annotations

from benchmark.reports.sections import Section
from benchmark.submissions.models import Submission
from benchmark.suites import task_title
from tasks.figures import TrainedFigures
from tasks.results import Report


def build(report: Report, submission: Submission) -> dict[str, object] | None:
    """None for reports from before unknown words were kept. Both modes have the same words; the first is used."""
    rows: dict[str, dict[str, object]] = {}
    for result in report.results:
        missed = result.figures(TrainedFigures).get("unknown_words")
        if missed is not None and result.task not in rows:
            title = task_title(submission.suite, result.task)
            rows[result.task] = {"title": title, "coverage": result.coverage, **missed}
    return {"rows": list(rows.values())} if rows else None


SECTION = Section(
    "unknown-words", "Out-of-vocabulary words", build, "reports/sections/unknown_words.html", is_detail=True
)
