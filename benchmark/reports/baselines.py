"""The baseline that a report was compared with: what a report itself does not keep of it."""

from __future__ import annotations

from dataclasses import replace

from tasks.baseline.published import published
from tasks.results import Report, TaskResult
from tasks.suites import SUITES


def baseline_of(suite_id: str, version: int, language: str) -> Report | None:
    """A language's baseline under a suite version; None if none is published. It is read once a process."""
    suite = SUITES.get(suite_id)
    return published(replace(suite, version=version), language=language) if suite else None


def baseline_result(report: Report, result: TaskResult) -> TaskResult | None:
    """What a result was compared with; None where another baseline has been published since."""
    baseline = baseline_of(report.suite["id"], report.suite["version"], report.vectors["language"])
    found = baseline.result(result.task, result.mode) if baseline else None
    return found if found is not None and found.score == result.baseline else None
