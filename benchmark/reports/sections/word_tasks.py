"""Word tasks, probes and association tests on the report page: dot plots with the baseline, and tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import NamedTuple

from django.utils.text import slugify

from benchmark.reports.charts import dot_chart
from benchmark.reports.page import ReportPage, Section
from benchmark.reports.tables import WordRow, analogy_parts, word_row
from benchmark.templatetags.figures import between, chance, correlation, decimals, grouped, percent
from plots.chart import Chart
from tasks.associations.weat import CAUTION
from tasks.base import Task
from tasks.metrics import EFFECT_SIZE
from tasks.results import CellResult, Report
from tasks.secondary import (
    VERBS_ONLY,
    AnalogyFigures,
    AssociationFigures,
    GroupFigures,
    IntrusionFigures,
    OddOneOutFigures,
    PrimingFigures,
)
from tasks.statistics.intervals import mean_interval, wilson_interval

GROUPS = {
    "similarity": "Word similarity",
    "analogy": "Analogies",
    "qvec": "Alignment with linguistic properties",
    "qvec-cca": "Alignment with linguistic properties",
    "odd-one-out": "Word groups",
    "intrusion": "Word intrusion",
    "priming": "Semantic priming",
    "newsgroups": "Linear probes",
    "mean-vector-probe": "Linear probes",
    "metaphor": "Linear probes",
}
ABOUT = {
    "Word similarity": "Spearman's ρ of cosines and people's scores, over pairs with both words in the vocabulary; "
    "95 % intervals count the words that pairs share. Chance: 95 % of the correlations of unrelated orders of as many "
    "pairs. Correlations over different pairs are not comparable: a file without the rare words is not asked about "
    "them. Compare entries to see them on shared pairs.",
    "Analogies": "Precision at 1 in per cent by 3CosAdd over the whole vocabulary, of questions with four known words; "
    "95 % intervals count the word pairs that questions share.",
    "Alignment with linguistic properties": "QVEC sums each dimension's largest correlation with a property; QVEC-CCA "
    "is the mean canonical correlation. Compare them only between files with the same number of dimensions that "
    "cover about as many of the oracle's words.",
    "Word groups": "Share of trials, in per cent, in which a word of another group has the smallest mean cosine with "
    "four words of a group; chance 20 %. 95 % intervals over the groups.",
    "Word intrusion": "Mean distance of an intruder from five words that a dimension puts first, over their mean "
    "distance from each other; ten seeded runs. 1: nothing distinguishes the intruder.",
    "Semantic priming": "Minus Spearman's ρ of cosines and mean reaction times, test pairs of partition P1; 95 % "
    "intervals count the words that pairs share.",
    "Linear probes": "Accuracy in per cent of a classifier over mean vectors (metaphor: both words' vectors).",
}


@dataclass(frozen=True)
class FigureGroup:
    """Tasks of one kind, with a chart for each metric, because scales differ."""

    title: str
    about: str
    rows: tuple[WordRow, ...]
    charts: tuple[Chart, ...]


def word_tasks(page: ReportPage) -> dict[str, object] | None:
    """Scores by group of the tasks in the vectors' language."""
    report = page.report
    tasks = page.measured(lambda task: task.family.id in GROUPS)
    if not tasks:
        return None
    groups = [
        _group(report, title, [task for task in tasks if GROUPS[task.family.id] == title])
        for title in dict.fromkeys(GROUPS.values())
    ]
    return {
        "groups": [group for group in groups if group.rows],
        "charts": [chart for group in groups for chart in group.charts],
        "has_baseline": any(row.score.baseline for group in groups for row in group.rows),
        "categories": _categories(report, tasks),
        "word_groups": _word_groups(report, tasks),
        "examples": intruded["examples"] if (intruded := report.figures("intrusion", IntrusionFigures)) else [],
        "partitions": _partitions(report, tasks),
        "similarity_sets": _similarity_sets(report, tasks),
    }


def _group(report: Report, title: str, tasks: Sequence[Task]) -> FigureGroup:
    rows = {task.id: _task_rows(report, task) for task in tasks}
    charts = []
    for metric in dict.fromkeys(task.metric for task in tasks):
        of_metric = [row for task in tasks if task.metric is metric for row in rows[task.id]]
        name = title if len({task.metric for task in tasks}) == 1 else metric.title
        charts.append(dot_chart(f"dots-{slugify(name)}", name, metric, of_metric))
    every = tuple(row for of_task in rows.values() for row in of_task)
    return FigureGroup(title, ABOUT[title], every, tuple(chart for chart in charts if chart))


def _task_rows(report: Report, task: Task) -> list[WordRow]:
    """The task's row; the Google analogies also have rows for their two parts."""
    result, row = report.result(task.id), word_row(report, task)
    if result is None:
        return [row]
    if task.id == "analogy-google" and "categories" in result.secondary:
        return [row, *analogy_parts(report, result)]
    return [replace(row, score=replace(row.score, beside=(*row.score.beside, *_parts(result))))]


def _parts(result: CellResult) -> list[str]:
    """Precision of semantic and syntactic analogies as text, if known."""
    figures = result.secondary
    return [
        f"{percent(share)} {key}" for key in ("semantic", "syntactic") if isinstance(share := figures.get(key), float)
    ]


def _categories(report: Report, tasks: Sequence[Task]) -> list[tuple[str, str, str, str]]:
    """Category, right, known and precision of the Google questions."""
    named = any(task.id == "analogy-google" for task in tasks)
    figures = report.figures("analogy-google", AnalogyFigures) if named else None
    counts = figures["categories"] if figures else {}
    return [
        (
            name,
            grouped(count["correct"]),
            f"{grouped(count['known'])} of {grouped(count['questions'])}",
            percent(count["correct"] / count["known"]) if count["known"] else "–",
        )
        for name, count in counts.items()
    ]


@dataclass(frozen=True)
class GroupRow:
    """A group of words, with its trials if enough words are known."""

    name: str
    counted: str
    right: str = ""
    share: str = ""
    interval: str = ""


def _word_groups(report: Report, tasks: Sequence[Task]) -> list[GroupRow]:
    """Groups of the vectors' language, best first; those without a score last."""
    task = next((task for task in tasks if task.family.id == "odd-one-out"), None)
    figures = report.figures(task.id, OddOneOutFigures) if task else None
    if task is None or not figures:
        return []
    groups = sorted(figures["groups"].items(), key=lambda item: (-(item[1]["accuracy"] or 0.0), item[0]))
    groups.sort(key=lambda item: item[1]["accuracy"] is None)
    return [_group_row(name, of_group, task.options["trials"]) for name, of_group in groups]


def _group_row(name: str, figures: GroupFigures, trials: int) -> GroupRow:
    counted, accuracy = f"{grouped(figures['known'])} of {grouped(figures['words'])}", figures["accuracy"]
    if accuracy is None:
        return GroupRow(name, counted)
    right = round(accuracy * trials)
    interval = between(wilson_interval(right, trials), percent)
    return GroupRow(name, counted, f"{right} of {trials}", percent(accuracy), interval)


def _partitions(report: Report, tasks: Sequence[Task]) -> list[tuple[str, list[str]]]:
    """For each condition, −ρ of dev and test of P1 and of dev, test and train of P2."""
    rows = []
    for task in tasks:
        figures = report.figures(task.id, PrimingFigures)
        if figures and (parts := figures.get("partitions")):
            rhos = [part["rho"] for part in parts.values()]
            rows.append((task.title, [correlation(None if rho is None else -rho) for rho in rhos]))
    return rows


def _similarity_sets(report: Report, tasks: Sequence[Task]) -> list[tuple[str, int, list[str]]]:
    """For each similarity set, shared pairs and ρ with the times of each condition; independent of the vectors."""
    primed = [figures for task in tasks if (figures := report.figures(task.id, PrimingFigures))]
    tables = [table for figures in primed if (table := figures.get("similarity_sets"))]
    names = list(tables[0]) if len(tables) == 4 else []
    return [
        (name, tables[0][name]["pairs"], [correlation(table[name]["rho"]) for table in tables])
        for name in names
        if name not in VERBS_ONLY and all(name in table for table in tables)
    ]


WORD_TASKS = Section("word-tasks", "Word tasks", word_tasks, "reports/sections/word_tasks.html", is_open=True)


class AssociationRow(NamedTuple):
    """A test with its permutation p, the mean d over several runs as text, and the unknown words."""

    row: WordRow
    p: str = ""
    runs: str = ""
    missing: tuple[str, ...] = ()


def associations(page: ReportPage) -> dict[str, object] | None:
    """Association tests of the suite: effect sizes, which are descriptive and count in no rank."""
    report = page.report
    tasks = page.measured(lambda task: task.family.group == "Associations")
    if not tasks:
        return None
    rows = [_association_row(report, task) for task in tasks]
    chart = dot_chart("associations", "Association tests", EFFECT_SIZE, [row.row for row in rows], judged=False)
    return {"caution": CAUTION, "rows": rows, "charts": [chart] if chart else []}


def _association_row(report: Report, task: Task) -> AssociationRow:
    row, figures = word_row(report, task), report.figures(task.id, AssociationFigures)
    if figures is None:
        return AssociationRow(row)
    runs = [d for d in figures.get("runs", []) if d is not None]
    return AssociationRow(row, chance(figures["p"]), _over_runs(runs), tuple(figures["missing"]))


def _over_runs(effects: Sequence[float]) -> str:
    """Mean d of several runs with its interval as text; empty for a single run."""
    n = len(effects)
    if n < 2:
        return ""
    mean = fmean(effects)
    interval = mean_interval(mean, stdev(effects) / math.sqrt(n), n)
    return f"mean of {n} runs {decimals(mean)}, 95 % interval {between(interval, decimals)}"


ASSOCIATIONS = Section("associations", "Associations", associations, "reports/sections/associations.html")
