"""A report lands: its figures become an entry of the board."""

from __future__ import annotations

import json
from typing import Any

from benchmark.leaderboard.figures import figures_of
from benchmark.leaderboard.models import Entry
from benchmark.submissions.models import Report as StoredReport
from tasks.results import Report


def enter(stored: StoredReport) -> Entry:
    """Keep the figures of a report; it takes the place of the submission's earlier one under the same suite version."""
    report = Report.from_dict(json.loads(stored.body))
    figures, reasons = figures_of(report)
    which = {"submission": stored.submission, "suite": stored.submission.suite, "version": report.suite["version"]}
    Entry.objects.filter(**which).delete()
    return Entry.objects.create(**which, report=stored, figures=figures, reasons=reasons)


def on_report(sender: Any, instance: StoredReport, created: bool, raw: bool = False, **_: Any) -> None:
    """Receiver of ``post_save``: every way to store a report leads to the board."""
    if created and not raw:
        enter(instance)


def on_figures_gone(sender: Any, submission_id: str, **_: Any) -> None:
    """Receiver of ``figures_gone``: the submission has no entry until its next report lands."""
    Entry.objects.filter(submission=submission_id).delete()
