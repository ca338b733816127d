"""Next steps after a report: cite the data sets."""

from __future__ import annotations

from dataclasses import dataclass

from benchmark.reports.page import ReportPage, Section
from tasks.datasets.registry import REGISTRY
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
