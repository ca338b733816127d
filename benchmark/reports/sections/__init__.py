"""Sections of the report page, one a family: each is a module here and a template, and one line in ``SECTIONS``.

A section's template sees ``section`` (what its ``build`` returned), ``report``, ``submission`` and ``suite``. It is
shown folded, under ``#slug``; one whose ``build`` returns None is left out. Its charts are in ``section.charts``: each
can be downloaded as a file. A module declares ``SECTION = Section(slug, title, build, template)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from benchmark.submissions.models import Submission
from plots.chart import Chart
from tasks.base import Task
from tasks.results import Report
from tasks.suite import Suite


@dataclass(frozen=True)
class ReportPage:
    """What a page reports; ``address`` is its own."""

    report: Report
    submission: Submission
    suite: Suite
    address: str

    def measured(self, is_one: Callable[[Task], bool]) -> list[Task]:
        """Tasks of a kind that are for these vectors' language; none where nothing of the kind was measured."""
        tasks = [task for task in self.suite.tasks if is_one(task)]
        if not any(self.report.result(task.id) for task in tasks):
            return []
        return [task for task in tasks if task.applies_to(self.report.vectors["language"])]


Build = Callable[[ReportPage], dict[str, object] | None]
Place = Literal["page", "downstream", "reproduce", "share"]


@dataclass(frozen=True)
class Section:
    """``slug`` is the anchor; ``build`` runs no measurement and at most two queries.

    ``is_open``: unfolded at first; ``place``: a section of the page, or a fold inside one that the page itself has;
    ``moving``: what the section shows that changes while its report and entry stay as they are.
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
    """A section with something to show."""

    section: Section
    context: dict[str, object]

    @property
    def charts(self) -> Sequence[Chart]:
        """Every chart of the section."""
        found = self.context.get("charts", ())
        assert isinstance(found, Sequence)
        return found


SECTIONS = (
    "intrinsic", "political", "associations", "exploring", "learning", "classes", "unknown_words", "data_sets",
    "model_index",
)  # fmt: skip
"""Modules here, in the order of the page."""


def sections() -> list[Section]:
    """The declared sections; a slug that occurs twice is a defect."""
    found: list[Section] = [import_module(f"{__name__}.{name}").SECTION for name in SECTIONS]
    if len({section.slug for section in found}) < len(found):
        raise ValueError("Two sections of the report have the same slug.")
    return found


def shown(page: ReportPage, declared: Sequence[Section]) -> Iterator[Shown]:
    """Those with something to show; one that is not requested is not built."""
    for section in declared:
        context = section.build(page)
        if context is not None:
            yield Shown(section, context)
