"""Submissions whose reports have chosen scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from benchmark.leaderboard.columns import Score, scores_of
from benchmark.submissions.models import StoredReport, Submission
from tasks.results import AGGREGATES, MODES, Aggregates, CellResult, Coverage, Report
from tasks.statistics.effects import Effects, FigureEstimate, SharedUnits
from tasks.suites import SUITES
from tests.benchmark.reports import SUITE, report_of, result_of


def scores_in(row: Submission) -> dict[str, Score]:
    """Scores of a submission's report by column."""
    assert row.report is not None
    return scores_of(Report.from_json(row.report.body))[0]


def measured_with(row: Submission, scores: Mapping[str, Score], reasons: Mapping[str, str] | None = None) -> None:
    """Give a submission a report with these scores ([value, low, high, coverage] by column), and reasons of means."""
    language, version = row.language, SUITES[row.suite].version
    plain = report_of(0.0)
    means = {key.replace("-", "_"): scores.get(key) for key in AGGREGATES}
    found = Aggregates(
        **{name: score and score[0] for name, score in means.items()},
        reasons={name.replace("-", "_"): why for name, why in (reasons or {}).items()},
        intervals={name: _ends(score) for name, score in means.items() if score and _ends(score)},
    )
    of_file = {"dimensions", "words", "coverage", *AGGREGATES}
    report = replace(
        plain,
        suite={**plain.suite, "id": row.suite, "version": version},
        vectors={**plain.vectors, "language": language},
        results=tuple(_result(key, score) for key, score in scores.items() if key not in of_file),
        aggregates=found,
    )
    StoredReport.objects.create(submission=row, body=report.to_json())


def figure(value: float, noise: np.ndarray) -> FigureEstimate:
    """A figure with the standard deviation of this noise as its standard error; equal noise cancels in differences."""
    effects = ((noise - noise.mean()) / math.sqrt(len(noise))).astype(np.float32)
    units = SharedUnits(*[np.arange(len(noise))] * 2)
    return FigureEstimate(value, {"a test set": Effects(effects, units, float(len(noise)))})


def _result(key: str, score: Score) -> CellResult:
    task, _, mode = key.partition(".")
    value, _, _, coverage = score
    assert value is not None
    result = replace(
        result_of(SUITE.tasks[0], None, 0.0), task=task, coverage=Coverage(1.0 if coverage is None else coverage, 1.0)
    )
    if mode in MODES:
        more = {"relative_error_reduction": value, "relative_error_reduction_interval": _ends(score)}
        return replace(result, mode=mode, **more)
    return replace(result, score=value, interval=_ends(score))


def _ends(score: Score) -> tuple[float, float] | None:
    _, low, high, _ = score
    return None if low is None or high is None else (low, high)
