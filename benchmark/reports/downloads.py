"""Per-example outcomes of a report, to download."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from django.http import Http404

from benchmark import evidence
from benchmark.reports.baselines import baseline_of
from benchmark.submissions.models import Submission
from tasks.results import Outcomes, Report
from tasks.suite import Suite
from tasks.uncertainty import cell_key

NOTHING = "No outcomes are stored for this task."


@dataclass(frozen=True)
class OutcomeFile:
    """``cell`` names the address: ``pos.fixed``."""

    cell: str
    title: str
    mode: str


def outcome_files(submission: Submission, report: Report, suite: Suite) -> list[OutcomeFile]:
    """The cells of a report whose outcomes can be downloaded."""
    titles = {task.id: task.title for task in suite.tasks}
    if submission.is_baseline:
        kept = {(result.task, str(result.mode or "")) for result in report.results}
    else:
        runs = submission.runs.exclude(outcomes_key="").values_list("task", "mode")
        kept = {(str(task), str(mode)) for task, mode in runs}
    return [
        OutcomeFile(cell_key(result.task, result.mode), titles.get(result.task, result.task), result.mode or "")
        for result in report.results
        if (result.task, result.mode or "") in kept
    ]


def outcomes_of(submission: Submission, task: str, mode: str) -> Outcomes:
    """Outcomes of one cell, as they were kept; of a baseline, as they are shipped with its suite.

    Raises
    ------
    Http404
        there are none.
    """
    if submission.is_baseline:
        report = baseline_of(submission.suite, submission.suite_version)
        results = report.results if report else ()
        result = next((r for r in results if r.task == task and (r.mode or "") == mode), None)
        if result is None or result.outcomes is None:
            raise Http404(NOTHING)
        return result.outcomes
    key = submission.runs.filter(task=task, mode=mode).values_list("outcomes_key", flat=True).first()
    if not key or not evidence.exists(key):
        raise Http404(NOTHING)
    return evidence.load(key)


def as_csv(outcomes: Outcomes) -> tuple[bytes, str]:
    """One line per example, in the order of the test set; an empty field means no number."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["example", *outcomes.columns])
    for i, row in enumerate(outcomes.values.tolist()):
        writer.writerow([i, *("" if number != number else f"{number:.6g}" for number in row)])
    return out.getvalue().encode(), "text/csv; charset=utf-8"


def as_npz(outcomes: Outcomes) -> tuple[bytes, str]:
    """``columns`` and ``values`` (float32, examples × columns), for ``numpy.load``."""
    stream = io.BytesIO()
    np.savez_compressed(stream, columns=np.array(outcomes.columns), values=outcomes.values)
    return stream.getvalue(), "application/octet-stream"


FORMATS: dict[str, Callable[[Outcomes], tuple[bytes, str]]] = {"csv": as_csv, "npz": as_npz}
