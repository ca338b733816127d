"""Association tests on the report page: effect sizes, which describe the vectors and rank nobody."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from benchmark.reports.dots import dot_chart
from benchmark.reports.sections import ReportPage, Section
from benchmark.reports.tables import WordRow, word_row
from benchmark.templatetags.figures import between, chance, decimals
from tasks.associations.secondary import AssociationFigures
from tasks.associations.weat import CAUTION
from tasks.base import Task
from tasks.metrics import EFFECT_SIZE
from tasks.results import Report
from tasks.statistics.intervals import mean_interval


class AssociationRow(NamedTuple):
    """A test with its permutation p, the mean d of several runs in words, and the words that the file lacks."""

    row: WordRow
    p: str = ""
    runs: str = ""
    missing: tuple[str, ...] = ()


def build(page: ReportPage) -> dict[str, object] | None:
    """One row for every test of the suite; None where none was measured."""
    report = page.report
    tasks = page.measured(lambda task: task.family.group == "Associations")
    if not tasks:
        return None
    rows = [_row(report, task) for task in tasks]
    chart = dot_chart("associations", "Association tests", EFFECT_SIZE, [row.row for row in rows], judged=False)
    return {"caution": CAUTION, "rows": rows, "charts": [chart] if chart else []}


def _row(report: Report, task: Task) -> AssociationRow:
    row, found = word_row(report, task), report.figures(task.id, AssociationFigures)
    if found is None:
        return AssociationRow(row)
    runs = [d for d in found.get("runs", []) if d is not None]
    return AssociationRow(row, chance(found["p"]), _over_runs(runs), tuple(found["missing"]))


def _over_runs(effects: Sequence[float]) -> str:
    """Mean d of several runs with its interval; nothing for a single run."""
    n = len(effects)
    if n < 2:
        return ""
    mean = fmean(effects)
    interval = mean_interval(mean, stdev(effects) / math.sqrt(n), n)
    return f"mean of {n} runs {decimals(mean)}, 95 % interval {between(interval, decimals)}"


SECTION = Section("associations", "Associations", build, "reports/sections/associations.html")
