"""Sections of the report page, one a family: each is a module here and a template, and one line in ``SECTIONS``.

A section's template sees ``section`` (what its ``build`` returned), ``report``, ``submission`` and ``suite``. It is
shown folded, under ``#slug``; one whose ``build`` returns None is left out. Its charts are in ``section.charts``: each
can be had as a file. A module declares ``SECTION = Section(slug, title, build, template)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module

from benchmark.submissions.models import Submission
from plots.chart import Chart
from tasks.results import Report

Build = Callable[[Report, Submission], dict[str, object] | None]


@dataclass(frozen=True)
class Section:
    """``slug`` is the anchor; ``build`` runs no measurement and at most two queries.

    ``is_open``: unfolded at first; ``is_detail``: a fold inside the section of the downstream tasks.
    """

    slug: str
    title: str
    build: Build
    template: str
    is_open: bool = False
    is_detail: bool = False


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


SECTIONS: tuple[str, ...] = (
    "benchmark.reports.sections.intrinsic:SECTION",
    "benchmark.reports.sections.political:SECTION",
    "benchmark.reports.sections.associations:SECTION",
    "benchmark.reports.sections.exploring:SECTION",
    "benchmark.reports.sections.learning:SECTION",
    "benchmark.reports.sections.classes:SECTION",
    "benchmark.reports.sections.unknown_words:SECTION",
)
"""``"benchmark.reports.sections.intrinsic:SECTION"``: where every :class:`Section` is, in the order of the page."""


def sections() -> list[Section]:
    """The declared sections; a slug that occurs twice is a defect."""
    found = [getattr(import_module(module), name) for module, name in (entry.split(":") for entry in SECTIONS)]
    if len({section.slug for section in found}) < len(found):
        raise ValueError("Two sections of the report have the same slug.")
    return found


def shown(report: Report, submission: Submission, declared: Sequence[Section] | None = None) -> list[Shown]:
    """What this report has something to show for."""
    return list(each_shown(report, submission, sections() if declared is None else declared))


def each_shown(report: Report, submission: Submission, declared: Sequence[Section]) -> Iterator[Shown]:
    """The same one by one, for those who look for one thing only."""
    for section in declared:
        context = section.build(report, submission)
        if context is not None:
            yield Shown(section, context)
