"""Which intrinsic score predicts practice? Correlations over the board's entries (docs/protocol.md §8.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmark.leaderboard.board import Board, Row
from benchmark.leaderboard.columns import Column
from tasks.statistics.correlations import FLOORS, ColumnCorrelations, associate, mean_ranks

AVERAGE_RANK = Column("average-rank", "Average rank", "Mean", "rank", "Mean rank over the tasks in the means.", "low")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Matrix:
    """``cells[i][j]``: intrinsic column i against downstream column j.

    Columns where lower is better have their sign reversed first, so above zero always means: better here, better there.
    """

    rows: tuple[Column, ...]
    columns: tuple[Column, ...]
    cells: tuple[tuple[ColumnCorrelations, ...], ...]
    entries: int

    @property
    def lines(self) -> list[tuple[Column, list[tuple[Column, ColumnCorrelations]]]]:
        """Row by row, each cell with its column; rows without any figure are left out."""
        rows = zip(self.rows, self.cells, strict=True)
        return [(row, list(zip(self.columns, cells, strict=True))) for row, cells in rows if _has_figures(cells)]

    @property
    def unmeasured(self) -> list[Column]:
        """Rows where no entry has both an intrinsic and a downstream score."""
        return [row for row, cells in zip(self.rows, self.cells, strict=True) if not _has_figures(cells)]

    @property
    def is_enough(self) -> bool:
        return any(cell.pearson is not None for row in self.cells for cell in row)


def _has_figures(cells: Sequence[ColumnCorrelations]) -> bool:
    return any(cell.n for cell in cells)


def split(columns: Sequence[Column]) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """Intrinsic columns, and those of practice: the means and each downstream task in them."""
    practice = ("Mean", "Fixed", "Fine-tuned")
    others = ("Associations", "File", "Earlier tasks")
    return (
        tuple(column for column in columns if column.kind == "score" and column.group not in others),
        tuple(column for column in columns if column.group in practice),
    )


def is_floor(row: Row) -> bool:
    """A control: according to its owner, its vectors carry no information about the words."""
    return row.facts.algorithm in FLOORS


def among(board: Board, dimensions: int | None, *, floors: bool) -> list[Row]:
    """The entries to correlate over: of one dimension only if it is given, with or without controls."""
    fitting = (row for row in board.rows if dimensions is None or row.facts.dimensions == dimensions)
    return [row for row in fitting if floors or not is_floor(row)]


def figures(board: Board, rows: Sequence[Row], columns: Sequence[Column]) -> Floats:
    """Values of entries, shape (entries, columns), NaN for blanks."""
    place = {column.key: i for i, column in enumerate(board.columns)}
    values = [[row.cells[place[column.key]].value for column in columns] for row in rows]
    return np.array(values, dtype=np.float64).reshape(len(rows), len(columns))


def turned_figures(board: Board, rows: Sequence[Row], columns: Sequence[Column]) -> Floats:
    """The same with the sign of columns where lower is better turned."""
    signs = [-1.0 if column.best == "low" else 1.0 for column in columns]
    return np.asarray(figures(board, rows, columns) * np.array(signs), dtype=np.float64)


def matrix(board: Board, rows: Sequence[Row]) -> Matrix:
    """Every intrinsic column against every downstream one, and against the average rank over the tasks."""
    intrinsic, practice = split(board.columns)
    x, y = turned_figures(board, rows, intrinsic), turned_figures(board, rows, practice)
    tasks = [i for i, column in enumerate(practice) if column.group != "Mean"]
    targets = np.concatenate([-mean_ranks(y[:, tasks])[:, None], y], axis=1)
    cells = tuple(
        tuple(associate(x[:, i], targets[:, j]) for j in range(targets.shape[1])) for i in range(len(intrinsic))
    )
    return Matrix(intrinsic, (AVERAGE_RANK, *practice), cells, len(x))
