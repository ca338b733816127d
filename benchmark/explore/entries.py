"""The entry that a page of this app explores."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest

from benchmark.submissions.access import access_of
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from tasks.results import Report


@dataclass(frozen=True)
class MeasuredEntry:
    """A measured submission that this visitor may see."""

    submission: Submission
    report: Report

    def reason_without(self, task: str) -> str:
        """Why the report has no result of a task."""
        return self.report.reason_without(task) or "This report's suite version does not include it yet."


def measured_entry(request: HttpRequest, submission_id: str) -> MeasuredEntry:
    """The entry with its report.

    Raises
    ------
    Http404
        there is none, it is hidden from this visitor, or it has no report (yet).
    """
    submission = access_of(request, submission_id).submission
    stored = getattr(submission, "report", None)
    if submission.state != State.DONE or stored is None:
        raise Http404("This submission has no report yet.")
    return MeasuredEntry(submission, Report.from_json(stored.body))
