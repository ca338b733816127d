"""Ranks and marks of a board: make the files of entries that lack them, then compute it."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmark import evidence
from benchmark.leaderboard import computing
from benchmark.leaderboard.models import Entry
from benchmark.leaderboard.ranking_data import Compared, orders_of, save
from benchmark.operations.kinds import JobContext, JobKind
from benchmark.operations.models import Job
from tasks.baseline.published import published, seed_variances
from tasks.results import AGGREGATES, EQUAL, Report, TaskResult
from tasks.statistics.bootstrap import Draws, forget_weights
from tasks.statistics.uncertainty import spreads_of
from tasks.suites import SUITES
from workers import queue

if TYPE_CHECKING:
    from tasks.suite import Suite

log = logging.getLogger(__name__)


def rank(job: Job, _: JobContext) -> None:
    """Compute a board (``"open-2026/2"``: suite and version); does nothing if nothing changed."""
    suite, number = job.subject.rsplit("/", 1)
    version = int(number)
    if not computing.is_due(suite, version):
        return
    entries = Entry.objects.of(suite, version).filter(ranking_key="").select_related("submission", "report")
    for entry in entries:
        save_ranking_data(entry)
    forget_weights()
    lower = [task.id for task in SUITES[suite].tasks if not task.higher_is_better] if suite in SUITES else []
    computing.compute(suite, version, lower_is_better=lower)
    log.info("The ranks of %s are computed.", job.subject)


def give_up(job: Job, reason: str) -> None:
    """Store nothing: the sweeper finds that the ranks are still due."""
    log.error("The ranks of %s could not be computed: %s.", job.subject, reason)


def due() -> list[str]:
    """Boards with changes since they were computed."""
    boards = Entry.objects.order_by().values_list("suite", "version").distinct()
    return [f"{suite}/{version}" for suite, version in boards if computing.is_due(suite, version)]


def save_ranking_data(entry: Entry) -> None:
    """Write an entry's file from the outcomes; one without content under an earlier version of the suite."""
    suite = SUITES.get(entry.suite)
    language = entry.submission.language
    baseline = None
    if suite is not None and suite.version == entry.version:
        baseline = published(suite, language=language)
    resamples: dict[str, Draws] = {}
    orders: dict[str, Compared] = {}
    if suite is not None and baseline is not None:
        report = Report.from_json(entry.report.body)
        results = _with_outcomes(entry, suite, report, baseline)
        name = entry.submission.vectors_sha256
        resamples = spreads_of(suite, results, name, baseline, seed_variances(suite, language), language).draws
        resamples |= _at_equal_dimensions(suite, results, name, report.vectors["dimensions"], language)
        orders = orders_of(results)
    save(entry, resamples, orders)


def _at_equal_dimensions(
    suite: Suite, results: list[TaskResult], name: str, dimensions: int, language: str
) -> dict[str, Draws]:
    """Resamples of the means relative to the baseline with as many dimensions; none if none is published."""
    baseline = published(suite, dimensions, language) if suite.further_baselines else None
    if baseline is None:
        return {}
    found = spreads_of(suite, results, name, baseline, seed_variances(suite, language), language).draws
    return {EQUAL + mean: found[mean] for mean in AGGREGATES if mean in found}


def _with_outcomes(entry: Entry, suite: Suite, report: Report, baseline: Report) -> list[TaskResult]:
    """The report's results with their runs' outcomes; the baseline's outcomes are shipped with the suite."""
    if entry.submission.is_baseline:
        return [result for result in baseline.results if report.result(result.task, result.mode) is not None]
    runs = {(run.task, run.mode or None): run for run in entry.submission.runs.all()}
    found = []
    for result in report.results:
        run = runs.get((result.task, result.mode))
        if run is None or not run.outcomes_key or not evidence.exists(run.outcomes_key):
            continue
        if run.result is not None and run.result["score"] == result.score:
            # Match by score: a report keeps the hash of its time, a row has the current one.
            found.append(replace(result, task_hash=run.task_hash, outcomes=evidence.load(run.outcomes_key)))
    return found


KINDS = {"rank": JobKind(rank, give_up, owed=due, enqueue=lambda board: queue.enqueue("rank", board), about="board")}
