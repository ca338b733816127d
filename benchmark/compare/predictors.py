"""Which intrinsic scores predict a task: ranked, with intervals; and the answer of the whole page in a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from benchmark.compare.practice import Matrix, turned_figures
from benchmark.leaderboard.board import Board, Row
from benchmark.leaderboard.columns import Column
from benchmark.templatetags.figures import between, correlation
from plots.drawing import Drawing, Markup, Scale, element
from tasks.correlations import williams_t2
from tasks.practice import ColumnCorrelations
from tasks.statistics import LEVEL, holm

WIDTH, HEIGHT = 200, 16
MOST_NAMED = 2
NO_ANSWER = "No intrinsic score clearly predicts practice here"


@dataclass(frozen=True)
class Predictor:
    """An intrinsic score and how it goes with a target; ``is_clear``: beyond chance, given all pairs of the page."""

    column: Column
    found: ColumnCorrelations
    is_clear: bool

    @property
    def strip(self) -> Markup:
        """The correlation as a dot on a line from -1 to 1, with its interval."""
        drawing, at = Drawing(WIDTH, HEIGHT), Scale(-1, 1, 6, WIDTH - 6)
        drawing.line(at(0), 0, at(0), HEIGHT, "zero")
        if self.found.interval:
            low, high = self.found.interval
            drawing.whisker(at(low), at(high), HEIGHT / 2)
            side = "better" if low > 0 else "worse" if high < 0 else "baseline"
        else:
            side = "baseline"
        drawing.dot(at(self.found.pearson or 0.0), HEIGHT / 2, 4, side)
        return Markup(element("svg", drawing.body, kind="strip", viewBox=f"0 0 {WIDTH} {HEIGHT}", aria_hidden="true"))


@dataclass(frozen=True)
class Prediction:
    """``title`` is a sentence that the tests allow; ``detail`` says with what figures. ``pair`` is the clearest one."""

    title: str
    detail: str
    pair: tuple[Column, Column] | None = None


def clear_pairs(matrix: Matrix) -> set[tuple[str, str]]:
    """Keys of the pairs of an intrinsic score and a task whose correlation is above zero beyond chance.

    Fisher's z of every pair on the page, Holm's correction over all of them, 5 %. Descriptive scores predict nothing.
    """
    pairs = [(row.key, column.key, cell) for row, column, cell in _tested(matrix)]
    adjusted = holm([_p(cell) for _, _, cell in pairs])
    return {
        (row, column)
        for (row, column, cell), p in zip(pairs, adjusted, strict=True)
        if p <= LEVEL and (cell.pearson or 0.0) > 0
    }


def _tested(matrix: Matrix) -> Iterator[tuple[Column, Column, ColumnCorrelations]]:
    for row, cells in zip(matrix.rows, matrix.cells, strict=True):
        for column, cell in zip(matrix.columns, cells, strict=True):
            if row.best and column.group != "Mean" and cell.interval is not None:
                yield row, column, cell


def _p(cell: ColumnCorrelations) -> float:
    assert cell.pearson is not None
    return float(2 * ndtr(-abs(math.atanh(cell.pearson)) * math.sqrt(cell.n - 3)))


def predictors_of(matrix: Matrix, target: Column) -> list[Predictor]:
    """The intrinsic scores that have a correlation with a target, the closest first."""
    clear, place = clear_pairs(matrix), matrix.columns.index(target)
    found = [
        Predictor(row, cells[place], (row.key, target.key) in clear)
        for row, cells in zip(matrix.rows, matrix.cells, strict=True)
        if cells[place].pearson is not None
    ]
    return sorted(found, key=lambda one: -(one.found.pearson or 0.0))


def answer(board: Board, rows: Sequence[Row], matrix: Matrix) -> Prediction:
    """What the entries show beyond chance."""
    clear = clear_pairs(matrix)
    tested = list(_tested(matrix))
    all_pairs = f"the {len(tested)} pairs of an intrinsic score and a task"
    among = f"over {matrix.entries} entries; Holm's correction over {all_pairs}, 5 %"
    tasks = list(dict.fromkeys(column.title for _, column, _ in tested))
    if not clear:
        return Prediction(NO_ANSWER, f"No pair is significant {among}.")
    best, task, cell = max(
        (pair for pair in tested if (pair[0].key, pair[1].key) in clear), key=lambda pair: pair[2].pearson or 0.0
    )
    alike = _not_told_apart(board, rows, matrix, best, task)
    hit = {column.title for row, column, _ in tested if (row.key, column.key) in clear}
    missed = [title.lower() for title in tasks if title not in hit]
    closest = "" if alike else " best"
    title = f"{best.title} predicts {task.title.lower()}{closest}{_nothing_for(missed, len(tasks))}"
    others = f" Williams' test does not distinguish it from {_listed(alike)}." if alike else ""
    pairs = "1 pair is" if len(clear) == 1 else f"{len(clear)} pairs are"
    detail = (
        f"Closest: {best.title} with {task.title.lower()}, vectors {task.group.lower()}, r {correlation(cell.pearson)} "
        f"({between(cell.interval, correlation)}). {pairs} significant, {among}.{others}"
    )
    return Prediction(title, detail, (best, task))


def _nothing_for(missed: Sequence[str], tasks: int) -> str:
    if not missed:
        return ""
    if len(missed) > MOST_NAMED:
        return f"; nothing clearly predicts {len(missed)} of the {tasks} tasks"
    return f"; nothing clearly predicts {' or '.join(missed)}"


def _listed(titles: Sequence[str]) -> str:
    more = len(titles) - MOST_NAMED
    named = list(titles[:MOST_NAMED])
    return f"{', '.join(named)} and {more} more" if more > 0 else " and ".join(named)


def _not_told_apart(board: Board, rows: Sequence[Row], matrix: Matrix, best: Column, task: Column) -> list[str]:
    """Other scores whose correlation with the task does not differ from the best one's: Williams' test with Holm's."""
    others = [row for row in matrix.rows if row.best and row != best]
    values = turned_figures(board, rows, [task, best, *others])
    compared, p = [], []
    for nth, other in enumerate(others, start=2):
        three = values[:, [0, 1, nth]]
        known = three[np.isfinite(three).all(axis=1)]
        if len(known) < 4 or (known.std(axis=0) == 0).any():
            continue
        r = np.asarray(np.corrcoef(known.T), dtype=np.float64)
        compared.append(other.title)
        p.append(williams_t2(float(r[0, 1]), float(r[0, 2]), float(r[1, 2]), len(known))[1])
    return [title for title, value in zip(compared, holm(p), strict=True) if value > LEVEL]
