"""The data sets behind a report's numbers."""

from __future__ import annotations

from dataclasses import dataclass

from benchmark.reports.sections import ReportPage, Section
from tasks.datasets.registry import REGISTRY
from tasks.results import DatasetUse, Report
from tasks.suite import Suite


@dataclass(frozen=True)
class DataRow:
    id: str
    title: str
    licence: str
    citation: str
    sha256: str
    tasks: str


def build(page: ReportPage) -> dict[str, object]:
    return {"rows": data_rows(page.report, page.suite)}


def data_rows(report: Report, suite: Suite) -> list[DataRow]:
    """Every data set behind a number in this report."""
    uses: dict[str, tuple[DatasetUse, list[str]]] = {}
    for result in report.results:
        for use in result.datasets:
            tasks = uses.setdefault(use.id, (use, []))[1]
            if (title := suite.title_of(result.task)) not in tasks:
                tasks.append(title)
    rows = []
    for id_, (use, tasks) in uses.items():
        known = REGISTRY.get(id_)
        title, citation = (known.title, known.citation) if known else (id_, "")
        rows.append(DataRow(id_, title, use.licence, citation, use.sha256, ", ".join(tasks)))
    return rows


SECTION = Section(
    "data",
    "Data sets, with licences, citations and hashes",
    build,
    "reports/sections/data_sets.html",
    place="reproduce",
)
