"""``python -m research reliability``: how well each task's scores tell entries apart."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import helmert

from benchmark.shipped.dump import dump_path
from research.board.entries import Entry, entries, estimates_by_name
from research.findings.finding import number, table
from research.page import put
from tasks.base import GROUPS, Task
from tasks.cli.tables import add_suite
from tasks.results import MODES, Interval, Mode, cell_key
from tasks.statistics.correlations import dense_order, dispersion_of_correlations
from tasks.statistics.effects import units_of
from tasks.statistics.intervals import difference_with_error
from tasks.statistics.ranks import Dispersion, differing, errors_of_differences, ranks, smallest_detectable
from tasks.statistics.uncertainty import Estimates
from tasks.suite import Suite
from tasks.suites import NOT_IN_THE_MEANS, get

LEAST_TOLD_APART = 0.3
"""A task that tells a smaller share of the board's pairs apart is too small to rank by."""
LEAST_IN_MEANS = 0.1
"""Share of the pairs that a cell of the means tells apart at least (docs/protocol.md §3.5)."""
RUNS = 2_000
"""Simulated boards."""
Floats = NDArray[np.float64]


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "reliability",
        help="how well each task tells the board's entries apart",
        description="Prints for every task the share of pairs told apart, the smallest detectable "
        "difference, and the baseline's lead over random vectors.",
    )
    add_suite(parser)
    parser.add_argument("--file", type=Path, help="dump (default: the shipped one)")
    parser.add_argument("--write", action="store_true", help="write it into docs/trust.md instead of printing")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Print the tables, or write them into the page."""
    suite, path = get(parsed.suite), parsed.file or dump_path(get(parsed.suite))
    every, of_one_text = (
        reliabilities(suite, entries(suite, path, of_any_text=of_any_text)) for of_any_text in (True, False)
    )
    text = written(suite, every, of_one_text)
    if parsed.write:
        put("reliability", text)
    else:
        print(text)


@dataclass(frozen=True)
class Lead:
    """A difference between two entries, and its 95 % interval; None: no outcomes."""

    difference: float
    interval: Interval | None


@dataclass(frozen=True)
class Reliability:
    """How well one cell tells entries apart, without controls. Values are in the metric's own unit.

    Parameters
    ----------
    entries : number of entries with a score.
    told_apart : share of pairs that differ at 5 %, corrected as the board's ranks are.
    detectable : smallest detectable difference of one test, and after correction as in ranks.
    over_random : the baseline's lead over random vectors, and its 95 % interval; None: one of the two has no score.
    """

    task: Task
    mode: Mode | None
    entries: int
    told_apart: float
    detectable: tuple[float, float]
    over_random: Lead | None

    @property
    def too_small(self) -> bool:
        """Whether it tells so few pairs apart that it is too small to rank by."""
        return self.told_apart < LEAST_TOLD_APART

    @property
    def measures_vectors(self) -> bool:
        """Whether it may count in the means: the baseline clearly leads random vectors, and entries are told apart."""
        lead = None if self.over_random is None else self.over_random.interval
        return lead is not None and lead[0] > 0 and self.told_apart >= LEAST_IN_MEANS


def reliabilities(suite: Suite, board: Sequence[Entry]) -> list[Reliability]:
    """One for every cell whose metric has a direction and in which at least three entries have outcomes."""
    estimates = estimates_by_name(board, suite)
    rows = []
    for task, mode in suite.cells():
        scored = [entry for entry in board if not entry.is_floor and entry.score(task.id, mode) is not None]
        if task.descriptive or len(scored) < 3:
            continue
        scores = np.array([entry.score(task.id, mode) for entry in scored], dtype=np.float64)
        dispersion = dispersion_of_scores(scored, task, mode, estimates)
        if dispersion is None:
            continue
        rows.append(
            Reliability(
                task,
                mode,
                len(scored),
                told_apart(scores, dispersion),
                _detectable(dispersion, len(scores)),
                _over_random(board, task, mode, estimates),
            )
        )
    return rows


def dispersion_of_scores(
    scored: Sequence[Entry], task: Task, mode: Mode | None, estimates: Mapping[str, Estimates]
) -> Dispersion | None:
    """Dispersion of the differences between scores, as on the board; None without outcomes."""
    estimated = [estimates[entry.name].scores.get(cell_key(task.id, mode)) for entry in scored]
    scores = [figure for figure in estimated if figure is not None]
    outcomes = [result.outcomes for entry in scored if (result := entry.result(task.id, mode)) is not None]
    if len(scores) == len(scored):
        return Dispersion.of_estimates(scores)
    pairs = [figure for figure in outcomes if figure is not None and {"predicted", "gold"} <= set(figure.columns)]
    if len(pairs) < len(scored):
        return None
    predicted = np.stack([dense_order(figure.column("predicted")) for figure in pairs])
    return dispersion_of_correlations(predicted, dense_order(pairs[0].column("gold")), units_of(pairs[0]))


def _over_random(
    board: Sequence[Entry], task: Task, mode: Mode | None, estimates: Mapping[str, Estimates]
) -> Lead | None:
    baseline = next((entry for entry in board if entry.is_baseline), None)
    random = next((entry for entry in board if entry.algorithm == "random"), None)
    if baseline is None or random is None:
        return None
    score, floor = baseline.score(task.id, mode), random.score(task.id, mode)
    if score is None or floor is None:
        return None
    dispersion = dispersion_of_scores([baseline, random], task, mode, estimates)
    if dispersion is None:
        return Lead(score - floor, None)
    (error,) = errors_of_differences(dispersion, 2)
    return Lead(score - floor, difference_with_error(score, floor, float(error), dispersion.freedom).interval)


def told_apart(scores: Floats, dispersion: Dispersion) -> float:
    """Share of the pairs that differ."""
    ranked = ranks(scores, dispersion)
    return float((ranked.better + ranked.worse).sum()) / (len(scores) * (len(scores) - 1))


def _detectable(dispersion: Dispersion, entries: int) -> tuple[float, float]:
    errors = errors_of_differences(dispersion, entries)
    alone, corrected = (smallest_detectable(errors, dispersion.freedom, tests) for tests in (1, entries - 1))
    return alone, corrected


def power_of_ranks(entries: int) -> list[float]:
    """Shares of differences that ranks find, of the smallest detectable size of one test and of that after correction.

    Scores are simulated whose differences have a standard error of 1. Those of other entries are halfway between them.
    """
    independent = Dispersion.of_draws(np.sqrt(entries / 2) * helmert(entries + 1))
    noise, shares = np.random.default_rng(entries).standard_normal((RUNS, entries)) / np.sqrt(2), []
    for tests in (1, entries - 1):
        half = smallest_detectable(np.ones(1), math.inf, tests) / 2
        truth = np.array([half, -half, *[0.0] * (entries - 2)])
        shares.append(float(np.mean([differing(truth + of_board, independent)[0, 1] for of_board in noise])))
    return shares


def written(suite: Suite, reliabilities: Sequence[Reliability], of_one_text: Sequence[Reliability]) -> str:
    """Markdown: two sentences, a table for each group of tasks, and the rule of the means.

    ``of_one_text`` are those of the entries trained on the suite's own text alone, which are more alike.
    """
    head = ("Task", "Told apart", "Detectable", "Baseline over random")
    parts = [
        f"From {max(row.entries for row in reliabilities)} entries of `{suite.id}` version {suite.version}, "
        "without controls."
    ]
    of_one, corrected = (f"{100 * share:.0f} %" for share in power_of_ranks(max(row.entries for row in reliabilities)))
    parts.append(
        f"In {RUNS:,} simulated boards, ranks find {of_one} of the differences that are as large as *Detectable*, and "
        f"{corrected} of those that are as large as the size after correction, in brackets."
    )
    for group in GROUPS:
        for mode, name in ((None, group), ("fixed", f"{group}, fixed"), ("fine-tuned", f"{group}, fine-tuned")):
            rows = [_row(row) for row in reliabilities if row.task.family.group == group and row.mode == mode]
            if rows:
                parts.append(f"**{name}**\n\n" + table(head, rows, "").strip())
    parts += _rule_of_means(suite, reliabilities)
    alike = [row for row in of_one_text if (row.task, row.mode) in _counted(suite) and row.told_apart < LEAST_IN_MEANS]
    if alike:
        parts.append(
            f"Of the {max(row.entries for row in alike)} entries trained on the suite's text alone, fewer than a tenth "
            f"of the pairs are told apart by {_named(alike)}."
        )
    return "\n\n".join(parts)


def _rule_of_means(suite: Suite, reliabilities: Sequence[Reliability]) -> list[str]:
    """The cells that pass the rule of the means, and where the suite differs, in a sentence each.

    Variants of a task, such as the same with 500 examples, are left out: they share its test examples.
    """
    trained = [(row, row.task.outside_means.get(row.mode)) for row in reliabilities if row.mode]
    candidates = [row for row, heading in trained if heading in (None, NOT_IN_THE_MEANS)]
    counted = _counted(suite)
    passing = [row for row in candidates if row.measures_vectors]
    failing = [row for row in candidates if not row.measures_vectors]
    groups = {
        "pass the rule of the means": passing,
        "pass it, but don't count": [row for row in passing if (row.task, row.mode) not in counted],
        "count, but don't pass it": [row for row in failing if (row.task, row.mode) in counted],
    }
    return [f"These {what}: {_named(rows)}." for what, rows in groups.items() if rows]


def _counted(suite: Suite) -> list[tuple[Task, Mode | None]]:
    return [*suite.cells_of_mean(MODES)]


def _named(rows: Sequence[Reliability]) -> str:
    return "; ".join(f"{row.task.title} ({row.mode})" for row in rows)


def _row(reliability: Reliability) -> tuple[str, ...]:
    metric = reliability.task.metric
    scale = 100 if metric.unit == "%" else 1
    digits = metric.decimals
    apart = f"{number(100 * reliability.told_apart, 0)} %"
    alone, corrected = (number(scale * size, digits) for size in reliability.detectable)
    lead = "–" if reliability.over_random is None else _lead(reliability.over_random, scale, digits)
    return reliability.task.title, apart, f"{alone} ({corrected})", lead


def _lead(lead: Lead, scale: int, digits: int) -> str:
    difference, *bounds = (
        number(scale * value, digits, sign=True) for value in (lead.difference, *(lead.interval or ()))
    )
    return f"{difference} [{', '.join(bounds)}]" if bounds else difference
