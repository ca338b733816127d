"""One pair of columns as a scatter plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.urls import reverse

from benchmark.compare.practice import AVERAGE_RANK, Matrix, figures
from benchmark.leaderboard.board import Board, Row
from benchmark.leaderboard.columns import Column
from benchmark.templatetags.figures import between, correlation
from plots.chart import Chart
from plots.drawing import Drawing
from plots.layouts import LinkedDot, ScatterAxis, scatter
from tasks.practice import ColumnCorrelations, mean_ranks

LEFT = 76
MOST_NUMBERED = 20


@dataclass(frozen=True)
class Point:
    id: str
    name: str
    values: tuple[float, float]
    figures: str
    is_baseline: bool

    @property
    def text(self) -> str:
        return f"{self.name}: {self.figures}"


@dataclass(frozen=True)
class Scatter:
    across: Column
    up: Column
    points: tuple[Point, ...]
    chart: Chart

    @property
    def is_numbered(self) -> bool:
        """Few enough that each point has a number, and a line below the chart."""
        return len(self.points) <= MOST_NUMBERED


def scatter_of(board: Board, rows: Sequence[Row], matrix: Matrix, across: str, up: str) -> Scatter | None:
    """The plot of an intrinsic column against a downstream one; None for columns that the matrix does not have."""
    x_column = next((column for column in matrix.rows if column.key == across), None)
    y_column = next((column for column in matrix.columns if column.key == up), None)
    if x_column is None or y_column is None:
        return None
    association = matrix.cells[matrix.rows.index(x_column)][matrix.columns.index(y_column)]
    x = figures(board, rows, [x_column])[:, 0]
    if y_column == AVERAGE_RANK:
        tasks = [column for column in matrix.columns if column.group in ("Fixed", "Fine-tuned")]
        y = mean_ranks(figures(board, rows, tasks))
    else:
        y = figures(board, rows, [y_column])[:, 0]
    shown = np.flatnonzero(np.isfinite(x) & np.isfinite(y)).tolist()
    if not shown:
        return None
    points = tuple(
        Point(
            rows[i].facts.id,
            rows[i].facts.name,
            (float(x[i]), float(y[i])),
            f"{_written(x_column, x[i])} · {_written(y_column, y[i])}",
            rows[i].facts.baseline,
        )
        for i in shown
    )
    chart = Chart(
        "scatter",
        f"{x_column.title} against {y_column.title}",
        " ".join(f"{point.text}." for point in points),
        _drawing(points, x_column, y_column),
        caption=_in_words(association),
        kind="scatter",
        links=True,
    )
    return Scatter(x_column, y_column, points, chart)


def _written(column: Column, value: float) -> str:
    return f"{column.write(value)} {column.unit}".rstrip()


def _in_words(found: ColumnCorrelations) -> str:
    if found.pearson is None:
        return f"Only {found.n} entries have both scores: too few for a correlation."
    interval = f" (95 % interval {between(found.interval, correlation)})" if found.interval else ""
    return f"Pearson {correlation(found.pearson)}{interval}, Spearman {correlation(found.spearman)}, n = {found.n}"


def _drawing(points: Sequence[Point], across: Column, up: Column) -> Drawing:
    """Better is to the right and up, whichever values are the better ones."""
    dots = [
        LinkedDot(point.text, reverse("reports:report", args=[point.id]), "baseline" if point.is_baseline else "better")
        for point in points
    ]
    x_side = ScatterAxis([point.values[0] for point in points], across.write, _named(across), across.best == "low")
    up_name = f"{up.group}: {_named(up)}"
    y_side = ScatterAxis([point.values[1] for point in points], up.write, up_name, up.best == "low")
    return scatter(dots, x_side, y_side, left=LEFT, is_numbered=len(points) <= MOST_NUMBERED)


def _named(column: Column) -> str:
    return f"{column.title}, {column.unit}" if column.unit else column.title
