"""Entries of a board, typed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from research.board.entries import Entry
from tasks.hashes import task_hash
from tasks.results import Aggregates, CellResult, Coverage, Mode, Outcomes, Report
from tasks.suite import Suite
from tasks.suites import OPEN_2026

Cell = tuple[str, Mode | None]


def result(suite: Suite, cell: Cell, score: float, outcomes: Outcomes | None = None, **fields: Any) -> CellResult:
    task = suite.task(cell[0])
    made = CellResult(
        task.id, task_hash(suite, task, cell[1]), cell[1], task.metric.name, task.higher_is_better, score, None, None,
        1, 10, Coverage(1, 1), (), 0.1, outcomes=outcomes,
    )  # fmt: skip
    return replace(made, **fields)


def right(*flags: int) -> Outcomes:
    """Outcomes of questions, one flag each."""
    return Outcomes.of(correct=flags, total=np.ones(len(flags)))


def predicted(cosines: Sequence[float], gold: Sequence[float]) -> Outcomes:
    return Outcomes.of(predicted=cosines, gold=gold)


def entry(
    scores: Mapping[Cell, float | CellResult],
    *,
    algorithm: str = "skip-gram",
    window: int | None = 5,
    dimensions: int = 100,
    means: tuple[float | None, float | None, float | None] = (None, None, None),
    suite: Suite = OPEN_2026,
    is_baseline: bool = False,
) -> Entry:
    """An entry with these scores; the error reduction of an extrinsic cell is the score minus 0.5."""
    made = [
        one
        if isinstance(one, CellResult)
        else result(suite, cell, one, relative_error_reduction=one - 0.5 if cell[1] else None)
        for cell, one in scores.items()
    ]
    name = f"{algorithm}, window {window}, {dimensions} dimensions"
    vectors = {"name": "e", "sha256": name, "dimensions": dimensions}
    report = Report({"id": suite.id}, vectors, made, Aggregates(*means), [], {})
    return Entry(name, algorithm, window, dimensions, report, is_baseline)
