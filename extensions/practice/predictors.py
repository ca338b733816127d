"""Which intrinsic scores predict downstream ones? Correlations over the board's entries (docs/protocol.md §8.7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmark.leaderboard.board import Board, Row
from benchmark.leaderboard.columns import Column
from benchmark.templatetags.figures import between, correlation
from extensions.practice.measure.columns import (
    ColumnCorrelations,
    associate,
    entries_in_words,
    mean_ranks,
    predictors_difference,
)
from plots.drawing import Markup
from plots.layouts import Lanes
from tasks.answers import FLOORS
from tasks.results import AS_USED
from tasks.statistics.intervals import LEVEL, holm

AVERAGE_RANK = Column("average-rank", "Average rank", "Mean", "rank", "Mean rank over the tasks in the means.", "low")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Matrix:
    """``cells[i][j]`` correlates intrinsic column i with downstream column j.

    The sign of columns where lower is better is reversed, so a positive correlation always means that entries which are
    better by one are also better by the other.
    """

    rows: tuple[Column, ...]
    columns: tuple[Column, ...]
    cells: tuple[tuple[ColumnCorrelations, ...], ...]
    entries: int

    @property
    def lines(self) -> list[tuple[Column, list[tuple[Column, ColumnCorrelations]]]]:
        """Rows with any correlation, each cell with its column."""
        rows = zip(self.rows, self.cells, strict=True)
        return [(row, list(zip(self.columns, cells, strict=True))) for row, cells in rows if _has_figures(cells)]

    @property
    def unmeasured(self) -> list[Column]:
        """Columns without an entry that has both scores."""
        return [row for row, cells in zip(self.rows, self.cells, strict=True) if not _has_figures(cells)]

    @property
    def targets(self) -> list[tuple[Column, bool]]:
        """Downstream columns, each with whether it has a correlation."""
        has_correlation = [any(cell.pearson is not None for cell in cells) for cells in zip(*self.cells, strict=True)]
        return list(zip(self.columns, has_correlation, strict=True))

    @property
    def is_enough(self) -> bool:
        return any(cell.pearson is not None for row in self.cells for cell in row)


def _has_figures(cells: Sequence[ColumnCorrelations]) -> bool:
    return any(cell.n for cell in cells)


def split(columns: Sequence[Column]) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """Intrinsic columns, and downstream ones: the means and their tasks."""
    practice = ("Mean", "Fixed", "Fine-tuned")
    others = ("Associations", "File", "Earlier tasks")
    return (
        tuple(column for column in columns if column.kind == "score" and column.group not in others),
        tuple(column for column in columns if column.group in practice),
    )


def is_floor(row: Row) -> bool:
    """Whether the entry is a control, whose vectors carry no information about words."""
    return row.facts.algorithm in FLOORS


def among(board: Board, dimensions: int | None, *, floors: bool) -> list[Row]:
    """Entries to correlate over, optionally of one number of dimensions or without controls."""
    fitting = (row for row in board.rows if dimensions is None or row.facts.dimensions == dimensions)
    return [row for row in fitting if floors or not is_floor(row)]


def values_of(board: Board, rows: Sequence[Row], columns: Sequence[Column]) -> Floats:
    """Scores, shape (entries, columns), with NaN for missing ones; error reductions as used."""
    place = {column.key: i for i, column in enumerate(board.columns)}
    places = [place.get(column.key + AS_USED, place[column.key]) for column in columns]
    values = [[row.cells[i].value for i in places] for row in rows]
    return np.array(values, dtype=np.float64).reshape(len(rows), len(columns))


def turned_values(board: Board, rows: Sequence[Row], columns: Sequence[Column]) -> Floats:
    """``values_of`` with the sign of columns reversed where lower is better."""
    signs = [-1.0 if column.best == "low" else 1.0 for column in columns]
    return np.asarray(values_of(board, rows, columns) * np.array(signs), dtype=np.float64)


def matrix_of(board: Board, rows: Sequence[Row]) -> Matrix:
    """Correlations of every intrinsic column with every downstream one and with the average rank over the tasks."""
    intrinsic, practice = split(board.columns)
    x, y = turned_values(board, rows, intrinsic), turned_values(board, rows, practice)
    tasks = [i for i, column in enumerate(practice) if column.group != "Mean"]
    targets = np.concatenate([-mean_ranks(y[:, tasks])[:, None], y], axis=1)
    algorithms = [row.facts.algorithm for row in rows]
    cells = tuple(tuple(associate(score, target, algorithms) for target in targets.T) for score in x.T)
    return Matrix(intrinsic, (AVERAGE_RANK, *practice), cells, len(x))


LANES = Lanes(-1.0, 1.0)
"""The axis of correlations."""
MOST_NAMED = 2
NO_ANSWER = "No word score clearly predicts practice here"


@dataclass(frozen=True)
class Predictor:
    """An intrinsic score's correlation with a target; ``is_clear`` if significant after correction for all pairs."""

    column: Column
    correlations: ColumnCorrelations
    is_clear: bool

    @property
    def lane(self) -> Markup:
        """The correlation as a dot on a line from -1 to 1, with its interval."""
        low, high = self.correlations.interval or (0.0, 0.0)
        side = "better" if low > 0 else "worse" if high < 0 else "baseline"
        return LANES.lane(self.correlations.pearson or 0.0, self.correlations.interval, side)


@dataclass(frozen=True)
class Prediction:
    """``title`` is a claim that the tests support, ``detail`` its figures; ``task`` is predicted best."""

    title: str
    detail: str
    task: Column | None = None


def clear_pairs(matrix: Matrix) -> dict[tuple[str, str], float]:
    """Significant Pearson correlations of either sign by the keys of the intrinsic score and the task.

    Student's t for every pair on the page with Holm's correction, 5 %; without descriptive scores.
    """
    tested = list(_tested(matrix))
    adjusted = holm([cell.p for _, _, cell, _ in tested])
    return {(row.key, column.key): r for (row, column, _, r), p in zip(tested, adjusted, strict=True) if p <= LEVEL}


def _tested(matrix: Matrix) -> Iterator[tuple[Column, Column, ColumnCorrelations, float]]:
    """Pairs of an intrinsic score and a task with their correlations, and Pearson's r."""
    for row, cells in zip(matrix.rows, matrix.cells, strict=True):
        for column, cell in zip(matrix.columns, cells, strict=True):
            if row.best and column.group != "Mean" and cell.pearson is not None and cell.interval is not None:
                yield row, column, cell, cell.pearson


def _counted(clear: Mapping[tuple[str, str], float]) -> str:
    """Number of significant correlations, and of either sign."""
    if not clear:
        return "No pair is significant"
    positive = sum(r > 0 for r in clear.values())
    pairs = "1 pair is" if len(clear) == 1 else f"{len(clear)} pairs are"
    return f"{pairs} significant ({positive} positive, {len(clear) - positive} negative)"


def predictors_of(matrix: Matrix, target: Column) -> list[Predictor]:
    """Intrinsic scores that have a correlation with a target, the highest first."""
    clear, place = clear_pairs(matrix), matrix.columns.index(target)
    predictors = [
        Predictor(row, cells[place], (row.key, target.key) in clear)
        for row, cells in zip(matrix.rows, matrix.cells, strict=True)
        if cells[place].pearson is not None
    ]
    return sorted(predictors, key=lambda predictor: -(predictor.correlations.pearson or 0.0))


def answer(board: Board, rows: Sequence[Row], matrix: Matrix) -> Prediction:
    """The significant result as a title and details."""
    clear = clear_pairs(matrix)
    tested = list(_tested(matrix))
    all_pairs = f"the {len(tested)} pairs of a word score and a task"
    over = entries_in_words([cell for _, _, cell, _ in tested], matrix.entries)
    counts = f"{_counted(clear)} over {over} (Student's t; Holm's correction over {all_pairs}, 5 %)."
    tasks = list(dict.fromkeys(column.title for _, column, _, _ in tested))
    positive = [pair for pair in tested if clear.get((pair[0].key, pair[1].key), 0.0) > 0]
    if not positive:
        return Prediction(NO_ANSWER, counts)
    best, task, cell, r = max(positive, key=lambda pair: pair[3])
    alike = _not_told_apart(board, rows, matrix, best, task)
    hit = {column.title for _, column, _, _ in positive}
    missed = [title.lower() for title in tasks if title not in hit]
    closest = "" if alike else " best"
    title = f"{best.title} predicts {task.title.lower()}{closest}{_nothing_for(missed, len(tasks))}"
    others = f" Williams' test does not distinguish it from {_listed(alike)}." if alike else ""
    detail = (
        f"Closest: {best.title} with {task.title.lower()}, vectors {task.group.lower()}, r {correlation(r)} "
        f"({between(cell.interval, correlation)}). {counts}{others}"
    )
    return Prediction(title, detail, task)


def _nothing_for(missed: Sequence[str], tasks: int) -> str:
    if not missed:
        return ""
    if len(missed) > MOST_NAMED:
        return f"; nothing clearly predicts {len(missed)} of the {tasks} tasks"
    return f"; nothing clearly predicts {' or '.join(missed)}"


def _listed(titles: Sequence[str]) -> str:
    more = len(titles) - MOST_NAMED
    named = [f"“{title}”" for title in titles[:MOST_NAMED]]  # some have commas
    return f"{', '.join(named)} and {more} more" if more > 0 else " and ".join(named)


def _not_told_apart(board: Board, rows: Sequence[Row], matrix: Matrix, best: Column, task: Column) -> list[str]:
    """Other scores whose correlation with the task doesn't differ from the best one's (Williams' test, Holm)."""
    others = [row for row in matrix.rows if row.best and row != best]
    target, first, *scores = turned_values(board, rows, [task, best, *others]).T
    algorithms = [row.facts.algorithm for row in rows]
    compared = [predictors_difference(target, first, score, algorithms) for score in scores]
    titles = [other.title for other, difference in zip(others, compared, strict=True) if difference is not None]
    adjusted = holm([float(difference[1]) for difference in compared if difference is not None])
    return [title for title, p in zip(titles, adjusted, strict=True) if p > LEVEL]
