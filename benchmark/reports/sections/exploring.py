"""Where to look into the vectors themselves: nearest words, the map, the dimensions."""

from __future__ import annotations

from benchmark.explore.neighbours import can_be_looked_up, stand_in
from benchmark.reports.sections import ReportPage, Section
from benchmark.shipped.rebuilding import why_without
from benchmark.submissions.models import Submission
from tasks.secondary import QvecFigures


def build(page: ReportPage) -> dict[str, object] | None:
    """What this site can show of the file."""
    report, submission = page.report, page.submission
    found = (report.figures(result.task, QvecFigures) for result in report.results if result.task.startswith("qvec"))
    return {
        "has_dimensions": any(figures and figures.get("dimensions") for figures in found),
        "has_map": report.result("map") is not None,
        **_of_this_machine(submission),
    }


def _of_this_machine(submission: Submission) -> dict[str, object]:
    """Whether words can be looked up here, in what; or why the vectors are not here, and how far a rebuilding is."""
    return {
        "can_be_looked_up": can_be_looked_up(submission),
        "excerpt": stand_in(submission),
        "why_without": "" if submission.file_key else why_without(submission),
    }


SECTION = Section("explore", "Neighbours and map", build, "reports/sections/exploring.html", moving=_of_this_machine)
