"""The section of the report page that leads to the pages of this folder."""

from __future__ import annotations

from benchmark.reports.page import ReportPage, Section
from benchmark.submissions.models import Submission
from benchmark.submissions.vectors import can_be_looked_up, reason_without, stand_in
from tasks.secondary import QvecFigures


def exploring(page: ReportPage) -> dict[str, object] | None:
    """Links to the pages of this site that explore the vectors."""
    report, submission = page.report, page.submission
    of_dimensions = (
        report.figures(result.task, QvecFigures) for result in report.results if result.task.startswith("qvec")
    )
    return {
        "has_dimensions": any(figures and figures.get("dimensions") for figures in of_dimensions),
        "has_map": report.result("map") is not None,
        **_of_this_machine(submission),
    }


def _of_this_machine(submission: Submission) -> dict[str, object]:
    """Availability of look-ups on this machine, with the excerpt used, or the reason and the progress of rebuilding."""
    return {
        "can_be_looked_up": can_be_looked_up(submission),
        "excerpt": stand_in(submission),
        "why_without": "" if submission.file_key else reason_without(submission),
    }


SECTIONS = (Section("explore", "Neighbours and map", exploring, "explore/section.html", moving=_of_this_machine),)
