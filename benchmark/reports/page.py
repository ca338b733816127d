"""Declaration of the sections of the report page, and the page for which they are built.

The template of a section gets ``section`` (the result of its ``build``), ``report``, ``submission`` and ``suite``. The
page shows it collapsed, under ``#slug``. Charts in ``section.charts`` can be downloaded as files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from benchmark.submissions.models import Submission
from plots.chart import Chart
from tasks.base import Task
from tasks.results import Report
from tasks.suite import Suite


@dataclass(frozen=True)
class ReportPage:
    """A report to display; ``address`` is the URL of its page."""

    report: Report
    submission: Submission
    suite: Suite
    address: str

    def measured(self, is_one: Callable[[Task], bool]) -> list[Task]:
        """Tasks of a kind for the vectors' language; empty if none of them was measured."""
        tasks = [task for task in self.suite.tasks if is_one(task)]
        if not any(self.report.result(task.id) for task in tasks):
            return []
        return [task for task in tasks if task.applies_to(self.report.vectors["language"])]


Build = Callable[[ReportPage], dict[str, object] | None]
Place = Literal["page", "downstream", "reproduce", "share"]


@dataclass(frozen=True)
class Section:
    """A part of the report page.

    Attributes
    ----------
    slug : the anchor.
    build : the template's context, or None to leave the section out; at most two queries, and no measurement.
    is_open : initially expanded.
    place : a section of its own, or part of one of the page's own sections.
    moving : state that can change independently of report and entry; part of the cache key.
    """

    slug: str
    title: str
    build: Build
    template: str
    is_open: bool = False
    place: Place = "page"
    moving: Callable[[Submission], object] = lambda _: None


@dataclass(frozen=True)
class Shown:
    """A section with its context."""

    section: Section
    context: dict[str, object]

    @property
    def charts(self) -> Sequence[Chart]:
        charts = self.context.get("charts", ())
        assert isinstance(charts, Sequence)
        return charts


def shown(page: ReportPage, declared: Sequence[Section]) -> Iterator[Shown]:
    """Yield the sections with content, each built on demand."""
    for section in declared:
        context = section.build(page)
        if context is not None:
            yield Shown(section, context)
