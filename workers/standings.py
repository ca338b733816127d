"""The ranks of a board: resampled figures of every entry that has none yet, then one standing for all."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmark import evidence
from benchmark.leaderboard import standing
from benchmark.leaderboard.models import Entry
from tasks.ranking import Draws, entry_draws
from tasks.results import Report, TaskResult
from tasks.suites import SUITES

if TYPE_CHECKING:
    from tasks.suite import Suite

log = logging.getLogger(__name__)


def rank(board: str) -> None:
    """Compute the standing of a board (``"open-2026/2"``: suite and version); harmless when nothing changed."""
    suite, _, version = board.rpartition("/")
    if not standing.is_due(suite, int(version)):
        return
    for entry in Entry.objects.of(suite, int(version)).filter(draws=None).select_related("submission", "report"):
        standing.keep_draws(entry, draws_of(entry))
    lower = [task.id for task in SUITES[suite].tasks if not task.higher_is_better] if suite in SUITES else []
    standing.recompute(suite, int(version), lower_is_better=lower)
    log.info("The ranks of %s are computed.", board)


def due() -> list[tuple[str, int]]:
    """Suites and versions whose boards changed since they were ranked."""
    boards = Entry.objects.order_by().values_list("suite", "version").distinct()
    return [(suite, version) for suite, version in boards if standing.is_due(suite, version)]


def draws_of(entry: Entry) -> dict[str, Draws]:
    """Resampled figures of an entry, from the outcomes that were kept; none under an earlier version of the suite."""
    from tasks.baseline.published import published

    suite = SUITES.get(entry.suite)
    baseline = published(suite) if suite is not None and suite.version == entry.version else None
    if suite is None or baseline is None:
        return {}
    report = Report.from_json(entry.report.body)
    return entry_draws(suite, _with_outcomes(entry, suite, report, baseline), baseline.results)


def _with_outcomes(entry: Entry, suite: Suite, report: Report, baseline: Report) -> list[TaskResult]:
    """The report's results with the outcomes of the runs that gave them; the baseline's are shipped with the suite."""
    if entry.submission.is_baseline:
        return [result for result in baseline.results if report.result(result.task, result.mode) is not None]
    runs = {(run.task, run.mode or None, run.task_hash): run.outcomes_key for run in entry.submission.runs.all()}
    keys = [(result, runs.get((result.task, result.mode, result.task_hash), "")) for result in report.results]
    return [replace(result, outcomes=evidence.load(key)) for result, key in keys if key and evidence.exists(key)]
