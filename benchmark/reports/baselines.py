"""The baseline that a report was compared with: what a report itself does not keep of it."""

from __future__ import annotations

from dataclasses import replace

from benchmark.submissions.models import Submission
from tasks.baseline.published import published
from tasks.results import Outcomes, Report, TaskResult
from tasks.suites import SUITES


def baseline_of(suite_id: str, version: int, language: str) -> Report | None:
    """A language's baseline under a suite version; None if none is published. It is read once a process."""
    suite = SUITES.get(suite_id)
    return published(replace(suite, version=version), language=language) if suite else None


def baseline_outcomes(submission: Submission, task: str, mode: str = "") -> Outcomes | None:
    """Outcomes of one cell of an entry that is a baseline, as they ship with its suite."""
    report = baseline_of(submission.suite, submission.suite_version, submission.language)
    results = report.results if report else ()
    return next((r.outcomes for r in results if r.task == task and (r.mode or "") == mode), None)


def baseline_result(report: Report, result: TaskResult) -> TaskResult | None:
    """What a result was compared with; None where another baseline has been published since."""
    baseline = baseline_of(report.suite["id"], report.suite["version"], report.vectors["language"])
    found = baseline.result(result.task, result.mode) if baseline else None
    return found if found is not None and found.score == result.baseline else None
