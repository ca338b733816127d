"""``python -m research gate``: how often does the rule for “not inferior” err on simulated reports of known truth?

Reports are simulated as for ``coverage``: test examples are drawn from the real outcomes of the shipped entries, and
seed effects of the published size are added. Two entries of the board are compared in every cell; the new one is
shifted so that its true score is below the other's by a known drop.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from research.coverage import Sample, means, measured, population, reductions_of, sample, scores_of, shifted
from research.findings.finding import table as markdown
from research.pages import put
from tasks.gate import MARGIN, POINTS, Gated, Verdict, corrected, judged, worst
from tasks.processes import end_with_parent
from tasks.statistics.effects import FigureEstimate, mean_of

PAGE = Path(__file__).resolve().parents[1] / "docs" / "client.md"
DROPS = (0.0, 1.0, 2.0, 3.0)
"""True drops, in points; the second is the margin."""
OVERALL = "overall"
FOUR = ["pos.fixed", "chunk.fixed", "ner.fixed", "questions.fixed"]
"""Cells of four tasks that a team could name together."""
Verdicts = dict[tuple[str, float], Verdict]


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "gate",
        help="how often does the rule for “not inferior” err?",
        description="Simulates pairs of reports from the outcomes of the shipped entries (minutes), and prints the "
        "gate's verdicts by the true drop of the new one.",
    )
    parser.add_argument("--runs", type=int, default=1_000, help="simulated pairs (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: %(default)s)")
    parser.add_argument("--write", action="store_true", help=f"write the table into docs/{PAGE.name}")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Simulate, print, write if asked."""
    with ProcessPoolExecutor(parsed.workers, initializer=end_with_parent) as pool:
        drawn = pool.map(simulate, range(parsed.runs), chunksize=5)
        pairs = list(tqdm(drawn, total=parsed.runs, desc="pairs", disable=None))
    text = verdict_table(pairs)
    print(text)
    if parsed.write:
        put("gate", text, PAGE)


def simulate(number: int) -> Verdicts:
    """The verdicts on every cell and the overall mean for one pair of entries, by true drop."""
    with threadpool_limits(limits=1):
        return _simulated(number)


def _simulated(number: int) -> Verdicts:
    generator = np.random.default_rng([1, number])
    samples: dict[str, Sample] = {}
    found: Verdicts = {}
    columns: dict[float, dict[str, Gated]] = {drop: {} for drop in DROPS}
    differences: dict[float, list[FigureEstimate]] = {drop: [] for drop in DROPS}
    new, old = generator.choice(len(population()[0].results) - 1, 2, replace=False)
    for whole_cell in population():
        cell = replace(whole_cell, results=tuple(whole_cell.results[i] for i in (new, old, -1)))
        drawn = samples.setdefault(cell.task, sample(cell.outcomes[0], generator))
        own, other, base = (cell.metric.of(outcomes) for outcomes in cell.outcomes)
        for drop in DROPS:
            # A point of the mean is one of error reduction: the same share of the baseline's error in every cell.
            for of_mean in (False, True):
                points = drop * (1 - base) if of_mean else drop
                lower = shifted(cell.outcomes[0], cell.metric, other - points / POINTS - own)
                three = [lower, *cell.outcomes[1:]]
                named = measured(cell, three, drawn, generator, f"gate {number}, drop {drop}, {of_mean}")
                scores = scores_of(cell, named)
                if of_mean and cell.key in means()[OVERALL]:
                    first, second, _ = reductions_of(scores)
                    differences[drop].append(first - second)
                if not of_mean:
                    judgement = judged(scores[0] - scores[1], MARGIN, len(drawn.rows))
                    found[cell.key, drop] = judgement.verdict
                    columns[drop][cell.key] = Gated(cell.key, scores[0].value, scores[1].value, judgement)
    for drop, by_cell in columns.items():
        for name, keys in together().items():
            found[name, drop] = worst(corrected([by_cell[key] for key in keys]))
    for drop, cells in differences.items():
        found[OVERALL, drop] = judged(mean_of(cells), MARGIN, 0).verdict
    return found


def together() -> dict[str, list[str]]:
    """Cells that are judged together, by the name of the row."""
    every = means()[OVERALL]
    return {f"{len(FOUR)} cells together": FOUR, f"all {len(every)} cells of the overall mean": every}


def verdict_table(pairs: Sequence[Verdicts]) -> str:
    """Share of each verdict, by cell and true drop."""
    wanted: list[tuple[float, Verdict]] = [
        (0.0, "not inferior"), (0.0, "inferior"), (1.0, "not inferior"), (1.0, "inferior"), (2.0, "inferior"),
        (2.0, "not inferior"), (3.0, "inferior"),
    ]  # fmt: skip
    rows = []
    for column in [OVERALL, *together(), *(cell.key for cell in population())]:
        shares = [np.mean([pair[column, drop] == verdict for pair in pairs]) for drop, verdict in wanted]
        rows.append((column, *(f"{100 * share:.1f} %" for share in shares)))
    head = ("Column", *(f"{_drop(drop)}: {verdict}" for drop, verdict in wanted))
    caption = (
        f"{len(pairs):,} simulated pairs of reports; margin {MARGIN:g} point. Points are of the score and, for the "
        f"overall mean, of error reduction. The four cells are {', '.join(FOUR[:-1])} and {FOUR[-1]}. The remaining "
        "verdicts are “can't tell”."
    )
    return markdown(head, rows, caption)


def _drop(points: float) -> str:
    return f"drop of {points:g}" if points else "equal"
