"""Next steps after a report: explore the vectors, cite the data sets, the results in other forms."""

from __future__ import annotations

from dataclasses import dataclass

from benchmark.reports.page import ReportPage, Section
from benchmark.submissions.models import Submission
from benchmark.submissions.vectors import can_be_looked_up, reason_without, stand_in
from tasks.datasets.registry import REGISTRY
from tasks.exports import Export
from tasks.results import DatasetUse
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


EXPLORE = Section(
    "explore", "Neighbours and map", exploring, "reports/sections/exploring.html", moving=_of_this_machine
)


@dataclass(frozen=True)
class DataRow:
    id: str
    title: str
    licence: str
    citation: str
    sha256: str
    tasks: str


def data_sets(page: ReportPage) -> dict[str, object]:
    """Data sets of all results, with the tasks that use them."""
    uses: dict[str, tuple[DatasetUse, list[str]]] = {}
    for result in page.report.results:
        for use in result.datasets:
            tasks = uses.setdefault(use.id, (use, []))[1]
            if (title := page.suite.title_of(result.task)) not in tasks:
                tasks.append(title)
    rows = []
    for id_, (use, tasks) in uses.items():
        declared = REGISTRY.get(id_)
        title, citation = (declared.title, declared.citation) if declared else (id_, "")
        rows.append(DataRow(id_, title, use.licence, citation, use.sha256, ", ".join(tasks)))
    return {"rows": rows}


DATA_SETS = Section(
    "data",
    "Data sets, with licences, citations and hashes",
    data_sets,
    "reports/sections/data_sets.html",
    place="reproduce",
)


def export_of(page: ReportPage) -> Export:
    """The report to write in another form, under its public name; the time is that of the measurement."""
    finished = page.submission.finished_at or page.submission.created_at
    return Export(page.report, page.suite, page.submission.display_name, finished.timestamp(), page.address)


def other_forms(page: ReportPage) -> dict[str, object]:
    """Nothing but links: the texts themselves would be a twentieth of the page."""
    return {}


OTHER_FORMS = Section(
    "other-forms", "Model card and other forms", other_forms, "reports/sections/other_forms.html", place="share"
)
