"""One pair of columns as a scatter plot: positions here, drawing in the template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmark.compare.axes import multiples, round_step
from benchmark.compare.labels import Place, places
from benchmark.compare.practice import AVERAGE_RANK, Matrix, figures
from benchmark.leaderboard.board import Board, Row
from benchmark.leaderboard.columns import Column
from tasks.practice import ColumnCorrelations, mean_ranks

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 560, 400, 76, 44, 32, 16
TICKS = 5
MOST_NUMBERED = 20


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    id: str
    name: str
    figures: str
    is_baseline: bool
    label: Place

    @property
    def text(self) -> str:
        return f"{self.name}: {self.figures}"


@dataclass(frozen=True)
class Scatter:
    """Everything in the SVG's own units."""

    across: Column
    up: Column
    points: tuple[Point, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    association: ColumnCorrelations

    @property
    def is_numbered(self) -> bool:
        """Few enough that each point has a number, and a line below the chart."""
        return len(self.points) <= MOST_NUMBERED

    width, height, left, bottom, right, top = WIDTH, HEIGHT, LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, TOP


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
    both = np.isfinite(x) & np.isfinite(y)
    if not both.any():
        return None
    x_axis = _Axis(x[both], LEFT, WIDTH - RIGHT, x_column)
    y_axis = _Axis(y[both], HEIGHT - BOTTOM, TOP, y_column)
    shown = np.flatnonzero(both).tolist()
    at = [(x_axis.at(x[i]), y_axis.at(y[i])) for i in shown]
    points = tuple(
        Point(
            *place,
            rows[i].facts.id,
            rows[i].facts.name,
            f"{_written(x_column, x[i])} · {_written(y_column, y[i])}",
            rows[i].facts.baseline,
            label,
        )
        for i, place, label in zip(shown, at, places(at) if len(at) <= MOST_NUMBERED else at, strict=True)
    )
    return Scatter(x_column, y_column, points, x_axis.ticks, y_axis.ticks, association)


def _written(column: Column, value: float) -> str:
    return f"{column.write(value)} {column.unit}".rstrip()


class _Axis:
    """Values to positions, with a little room at both ends."""

    def __init__(self, values: np.ndarray, start: float, end: float, column: Column) -> None:
        low, high = float(values.min()), float(values.max())
        room = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
        self.low, self.high, self.start, self.end, self.column = low - room, high + room, start, end, column

    def at(self, value: float) -> float:
        return round(self.start + (float(value) - self.low) / (self.high - self.low) * (self.end - self.start), 1)

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        step = round_step((self.high - self.low) / TICKS)
        return tuple((self.at(tick), self.column.write(tick)) for tick in multiples(step, self.low, self.high))
