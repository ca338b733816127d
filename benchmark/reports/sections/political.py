"""Political queries on the report page: how the vectors organise meaning, beside the baseline and beside people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmark.reports.sections import Section
from benchmark.reports.sections.political_charts import histogram, overlap_curve, stability_chart
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import correlation, grouped, in_unit
from plots.chart import Chart
from tasks.base import Task
from tasks.metrics import LOG_RANK_DEVIATION, metric_named
from tasks.results import Report, TaskResult
from tasks.suites import SUITES

MOST_MOVED = 10


@dataclass(frozen=True)
class Row:
    """One task; ``reason`` says why it is blank."""

    id: str
    title: str
    shows: str
    score: str = "–"
    interval: str = ""
    known: str = ""
    beside: tuple[tuple[str, str], ...] = ()
    descriptive: bool = False
    reason: str = ""


@dataclass(frozen=True)
class CueRow:
    """One cue: its coefficients as text, or None where it is unknown; nearest words on both sides."""

    cue: str
    pearson: str | None
    spearman: str = ""
    kendall: str = ""
    entry: str = ""
    reference: str = ""


def build(report: Report, submission: Submission) -> dict[str, Any] | None:
    """The figures of the political tasks; None for a suite without them, or where nothing was measured."""
    suite = SUITES.get(submission.suite)
    tasks = [task for task in suite.tasks if task.family.group == "Political"] if suite else []
    if not any(report.result(task.id) for task in tasks):
        return None
    mine = [task for task in tasks if task.language in (None, submission.language)]
    listed = next(
        (found for task in mine if "cues" in (found := _secondary(report, task.id)) and found.get("kendall")), {}
    )
    return {
        "rows": [_row(report, task) for task in mine],
        "cues": _cues(listed),
        "reference": listed.get("reference") or _secondary(report, "political-all").get("reference"),
        "common_words": listed.get("common_words"),
        "charts": [chart for chart in _charts(report, listed) if chart],
        "moved": _moved(_secondary(report, "political-all")),
        "people": _people(_secondary(report, "political-human")),
        "stability": _secondary(report, "stability"),
        "runs_chart": stability_chart(_secondary(report, "stability")),
    }


def _charts(report: Report, listed: Mapping[str, Any]) -> tuple[Chart | None, ...]:
    every = _secondary(report, "political-all")
    return overlap_curve(listed.get("jaccard")), histogram(every.get("pearson"), every.get("histogram"))


def _secondary(report: Report, task: str) -> Mapping[str, Any]:
    result = report.result(task)
    return result.secondary if result else {}


def _row(report: Report, task: Task) -> Row:
    result = report.result(task.id)
    if result is None:
        reason = next((item.reason for item in report.unavailable if item.task == task.id), "Not evaluated.")
        return Row(task.id, task.title, task.shows, reason=reason, descriptive=task.descriptive)
    write = partial(in_unit, metric=metric_named(result.metric))
    return Row(
        task.id,
        task.title,
        task.shows,
        write(result.score),
        f"{write(result.interval[0])} to {write(result.interval[1])}" if result.interval else "",
        _known(result),
        tuple(_beside(result)),
        task.descriptive,
    )


def _known(result: TaskResult) -> str:
    cues = result.secondary.get("cues")
    if isinstance(cues, dict):
        return f"{result.n} of {len(cues)} cues"
    if "runs" in result.secondary:
        return f"{result.n} pairs of {result.secondary['runs']} runs"
    return f"{grouped(result.n)} words"


def _beside(result: TaskResult) -> list[tuple[str, str]]:
    found = result.secondary
    named = [
        ("Spearman", (found.get("spearman") or {}).get("mean")),
        ("Kendall", (found.get("kendall") or {}).get("mean")),
    ]
    named += [("within mentioned words", (found.get("within") or {}).get("mean"))]
    named += [("political cues", (found.get("political") or {}).get("mean"))]
    write = partial(in_unit, metric=metric_named(result.metric))
    return [(name, write(value)) for name, value in named if value is not None]


def _cues(listed: Mapping[str, Any]) -> list[CueRow]:
    neighbours = listed.get("neighbours", {})
    rows = []
    for cue, figures in listed.get("cues", {}).items():
        if figures is None:
            rows.append(CueRow(cue, None))
            continue
        near = neighbours.get(cue, {})
        pearson, spearman, kendall = (correlation(figures[name]) for name in ("pearson", "spearman", "kendall"))
        here, there = (", ".join(near.get(side, ())) for side in ("entry", "reference"))
        rows.append(CueRow(cue, pearson, spearman, kendall, here, there))
    return rows


def _moved(found: Mapping[str, Any]) -> dict[str, list[tuple[str, str]]] | None:
    moved = found.get("moved")
    if not moved:
        return None
    return {name: [(m["word"], correlation(m["pearson"])) for m in moved[name][:MOST_MOVED]] for name in moved}


def _people(found: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    rows = []
    write = partial(in_unit, metric=LOG_RANK_DEVIATION)
    for cue, figures in found.get("cues", {}).items():
        if figures is None:
            rows.append((cue, "–", "–", "unknown"))
        else:
            known = f"{figures['known']} of {figures['mentioned']}"
            rows.append((cue, write(figures["full"]), write(figures["within"]), known))
    return rows


SECTION = Section("political", "Political queries", build, "reports/sections/political.html")
