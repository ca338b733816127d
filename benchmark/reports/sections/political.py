"""Political queries on the report page, compared with the baseline and with people."""

from __future__ import annotations

from dataclasses import replace

from benchmark.reports.charts import histogram, overlap_curve, stability_chart
from benchmark.reports.page import ReportPage, Section
from benchmark.reports.tables import WordRow, word_row
from benchmark.templatetags.figures import between, grouped, writer_of
from tasks.base import Task
from tasks.metrics import LOG_RANK_DEVIATION, metric_named
from tasks.political.secondary import (
    EveryWordFigures,
    HumanFigures,
    PoliticalFigures,
    StabilityFigures,
)
from tasks.results import CellResult, Report
from tasks.statistics.intervals import chance_of


def political(page: ReportPage) -> dict[str, object] | None:
    """Results of the political tasks; None if none was measured."""
    report = page.report
    tasks = page.measured(lambda task: task.family.group == "Political")
    if not tasks:
        return None
    compared = [figures for task in tasks if (figures := report.figures(task.id, PoliticalFigures))]
    listed = next((figures for figures in compared if "cues" in figures and figures.get("kendall")), None)
    every = report.figures("political-all", EveryWordFigures)
    against = listed or every
    stability = report.figures("stability", StabilityFigures)
    human = report.result("political-human")
    chance = chance_of(human) if human else None
    overlap = overlap_curve(listed.get("jaccard")) if listed else None
    correlations = histogram(every.get("pearson"), every.get("histogram")) if every else None
    charts, runs_chart = [chart for chart in (overlap, correlations) if chart], stability_chart(stability)
    return {
        "rows": [(task.descriptive, _task_row(report, task)) for task in tasks],
        "cues": listed["cues"] if listed else {},
        "neighbours": listed.get("neighbours", {}) if listed else {},
        "reference": against.get("reference") if against else None,
        "common_words": listed.get("common_words") if listed else None,
        "charts": [*charts, *([runs_chart] if runs_chart else ())],
        "compared_charts": charts,
        "moved": every.get("moved") if every else None,
        "people": _people(report.figures("political-human", HumanFigures)),
        "chance": chance,
        "human": human,
        "stability": stability or {},
        "runs_chart": runs_chart,
    }


def _task_row(report: Report, task: Task) -> WordRow:
    result, row = report.result(task.id), word_row(report, task)
    return replace(row, counted=_counted(result), score=replace(row.score, beside=_beside(result))) if result else row


def _counted(result: CellResult) -> str:
    cues, stability = result.secondary.get("cues"), result.figures(StabilityFigures)
    if isinstance(cues, dict):
        chance = chance_of(result)
        words = f", {chance.n} of {chance.of} words" if chance else ""
        return f"{result.n} of {len(cues)} cues{words}"
    if "runs" in stability:
        pairs = f"{result.n} pair{'' if result.n == 1 else 's'}"
        return f"{pairs} of {stability['runs']} runs, {grouped(stability['common_words'])} words"
    return f"{grouped(result.n)} words"


def _beside(result: CellResult) -> tuple[str, ...]:
    """Secondary scores as text."""
    named = (
        ("Spearman", result.figures(PoliticalFigures).get("spearman")),
        ("Kendall", result.figures(PoliticalFigures).get("kendall")),
        ("not divided", result.figures(HumanFigures).get("within")),
        ("in the full vocabulary", result.figures(HumanFigures).get("full")),
        ("political cues", result.figures(StabilityFigures).get("political")),
    )
    write, chance = writer_of(metric_named(result.metric)), chance_of(result)
    others = ((name, figures["mean"]) for name, figures in named if figures)
    by_chance = (f"random orders {between(chance.interval, write)}",) if chance else ()
    return (*by_chance, *(f"{name} {write(mean)}" for name, mean in others if mean != result.score))


def _people(deviation: HumanFigures | None) -> list[tuple[str, str, str, str, str]]:
    rows = []
    write = writer_of(LOG_RANK_DEVIATION)
    for cue, figures in (deviation["cues"] if deviation else {}).items():
        if figures is None:
            rows.append((cue, "–", "–", "–", "unknown"))
        else:
            counted = f"{figures['known']} of {figures['mentioned']}"
            rows.append((cue, write(figures["relative"]), write(figures["within"]), write(figures["full"]), counted))
    return rows


POLITICAL = Section("political", "Politics", political, "reports/sections/political.html")
