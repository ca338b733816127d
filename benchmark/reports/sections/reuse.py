"""Next steps after a report: cite the data sets, the results in other forms."""

from __future__ import annotations

from dataclasses import dataclass

from benchmark.reports.page import ReportPage, Section
from tasks.datasets.registry import REGISTRY
from tasks.exports import Export
from tasks.results import DatasetUse


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
