"""``python -m research gate``: how often does the rule for “not inferior” err on simulated reports of known truth?

Reports are simulated as for ``coverage``: test examples are drawn from the real outcomes of the shipped entries, and
seed effects of the published size are added. Two entries of the board are compared in every cell; the new one is
shifted so that its true score is below the other's by a known drop.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from benchmark.shipped.dump import dump_path
from research.board.entries import Entry, entries, estimates_by_name
from research.coverage import (
    SUITE,
    Cell,
    Sample,
    means,
    measured,
    population,
    reductions_of,
    sample,
    scores_of,
    shifted,
    spread_of_entries,
)
from research.findings.finding import table as markdown
from research.pages import put
from tasks.gate import MARGIN, POINTS, Gated, Verdict, corrected, is_futile, judged, look_at, worst
from tasks.processes import end_with_parent
from tasks.statistics.effects import FigureEstimate, mean_of
from tasks.statistics.uncertainty import Estimates
from tasks.suites import get

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
        drawn_early = pool.map(simulate_early, range(parsed.runs), chunksize=5)
        early = list(tqdm(drawn_early, total=parsed.runs, desc="seed by seed", disable=None))
    text, by_seed = verdict_table(pairs), early_summary(early)
    print(text, by_seed, sep="\n\n")
    if parsed.write:
        put("gate", text, PAGE)
        put("gate, seed by seed", by_seed, PAGE)


def simulate(number: int) -> Verdicts:
    """The verdicts on every cell and the overall mean for one pair of entries, by true drop."""
    with threadpool_limits(limits=1):
        return _simulated(number)


def _simulated(number: int) -> Verdicts:
    generator = np.random.default_rng([1, number])
    samples: dict[str, Sample] = {}
    counts: Verdicts = {}
    columns: dict[float, dict[str, Gated]] = {drop: {} for drop in DROPS}
    differences: dict[float, list[FigureEstimate]] = {drop: [] for drop in DROPS}
    new, old = generator.choice(len(population()[0].results) - 1, 2, replace=False)
    for whole_cell in population():
        cell = replace(whole_cell, results=tuple(whole_cell.results[i] for i in (new, old, -1)))
        drawn = samples.setdefault(cell.task, sample(cell.outcomes[0], generator))
        figure, of_other, base = (cell.metric.of(outcomes) for outcomes in cell.outcomes)
        for drop in DROPS:
            # A point of the mean is one of error reduction: the same share of the baseline's error in every cell.
            for of_mean in (False, True):
                points = drop * (1 - base) if of_mean else drop
                lower = shifted(cell.outcomes[0], cell.metric, of_other - points / POINTS - figure)
                three = [lower, *cell.outcomes[1:]]
                named = measured(cell, three, drawn, generator, f"gate {number}, drop {drop}, {of_mean}")
                scores = scores_of(cell, named)
                if of_mean and cell.key in means()[OVERALL]:
                    first, second, _ = reductions_of(scores)
                    differences[drop].append(first - second)
                if not of_mean:
                    judgement = judged(scores[0] - scores[1], MARGIN, len(drawn.rows))
                    counts[cell.key, drop] = judgement.verdict
                    columns[drop][cell.key] = Gated(cell.key, scores[0].value, scores[1].value, judgement)
    for drop, by_cell in columns.items():
        for name, keys in together().items():
            counts[name, drop] = worst(corrected([by_cell[key] for key in keys]))
    for drop, cells in differences.items():
        counts[OVERALL, drop] = judged(mean_of(cells), MARGIN, 0).verdict
    return counts


def together() -> dict[str, list[str]]:
    """Cells that are judged together, by the name of the row."""
    every = means()[OVERALL]
    return {f"{len(FOUR)} cells together": FOUR, f"all {len(every)} cells of the overall mean": every}


def verdict_table(pairs: Sequence[Verdicts]) -> str:
    """Share of each verdict, by cell and true drop."""
    cases: list[tuple[float, Verdict]] = [
        (0.0, "not inferior"), (1.0, "not inferior"), (2.0, "inferior"), (3.0, "inferior"),
    ]  # fmt: skip
    rows = []
    for column in [OVERALL, *together(), *means()[OVERALL]]:
        shares = [np.mean([pair[column, drop] == verdict for pair in pairs]) for drop, verdict in cases]
        rows.append((column, *(f"{100 * share:.1f} %" for share in shares)))
    head = ("Column", *(f"{_drop(drop)}: {verdict}" for drop, verdict in cases))
    caption = (
        f"{len(pairs):,} simulated pairs of reports; margin {MARGIN:g} point. Points are of the score and, for the "
        f"overall mean, of error reduction. The four cells are {', '.join(FOUR[:-1])} and {FOUR[-1]}. The remaining "
        "verdicts are “can't tell”."
    )
    return markdown(head, rows, caption)


Early = dict[str, dict[tuple[bool, bool], tuple[Verdict, float]]]
"""Verdict and share of the training, by the name of the row, and by whether the truth is the shipped difference, and
whether early.
"""


@lru_cache(maxsize=1)
def _shipped() -> tuple[list[Entry], dict[str, Estimates]]:
    """The shipped entries but the baseline, and figures of all."""
    real = entries(get(SUITE), dump_path(get(SUITE)))
    return [entry for entry in real if not entry.is_baseline], estimates_by_name(real, get(SUITE))


def simulate_early(number: int) -> Early:
    """One pair of shipped entries, compared after all seeds and seed by seed, at their difference and at −margin."""
    generator = np.random.default_rng([3, number])
    real, estimates = _shipped()
    new, old = (real[i] for i in generator.choice(len(real), 2, replace=False))
    cells = {cell.key: cell for cell in population() if cell.key in means()[OVERALL]}
    columns = {OVERALL: list(cells.values()), **{key: [cell] for key, cell in cells.items()}}
    apart: dict[str, FigureEstimate] = {}
    for column in columns:
        of_new, of_old = (
            estimates[difference.name].figures[column]
            if column == OVERALL
            else estimates[difference.name].scores[column]
            for difference in (new, old)
        )
        apart[column] = of_new - of_old
    verdicts: Early = {}
    for is_real in (True, False):
        gated = {
            column: _of_looks(
                column,
                difference if is_real else replace(difference, value=-MARGIN / POINTS),
                new,
                columns[column],
                generator,
            )
            for column, difference in apart.items()
        }
        for name, keys in {**{key: [key] for key in gated}, f"{len(FOUR)} cells together": FOUR}.items():
            verdicts.setdefault(name, {})[is_real, True] = _early([gated[key][:-1] for key in keys])
            verdicts[name][is_real, False] = worst(corrected([gated[key][-1] for key in keys])), 1.0
    return verdicts


def _of_looks(
    column: str, truth: FigureEstimate, new: Entry, cells: Sequence[Cell], generator: np.random.Generator
) -> list[Gated]:
    """A column at every look, and at last as by the rule without looks; ``truth`` has the standard errors."""
    sha, seeds = new.report.vectors["sha256"], get(SUITE).seeds
    common = replace(truth, seeds={key: c for key, c in truth.seeds.items() if not key.endswith(f"|{sha}")})
    apart = [replace(common, value=common.value + common.error * generator.standard_normal())] * seeds
    for cell in cells:
        key, result = f"{cell.key}|{seeds}|{sha}", new.result(cell.task, cell.mode)
        assert result is not None
        factor = truth.seeds[key] / math.sqrt(cell.seeds.of_entry(result.sd, seeds) / seeds)
        effects = spread_of_entries(cell.seeds, 1, generator) * generator.standard_normal(seeds)
        for i, figure in enumerate(apart):
            until_now = effects[: i + 1]
            variance = cell.seeds.of_entry(float(until_now.std(ddof=1)) if i else None, i + 1) / (i + 1)
            value = figure.value + factor * float(until_now.mean())
            apart[i] = replace(figure, value=value, seeds={**figure.seeds, key: factor * math.sqrt(variance)})
    looks = [judged(figure, MARGIN, 0, look_at(figure, sha, i, seeds)) for i, figure in enumerate(apart, 1)]
    return [Gated(column, 0, 0, judgement) for judgement in [*looks, judged(apart[-1], MARGIN, 0)]]


def _early(columns: Sequence[Sequence[Gated]]) -> tuple[Verdict, float]:
    """The verdict seed by seed, and the share of the training that it took."""
    planned, trained, gated = len(columns[0]), 0, [looks[0] for looks in columns]
    passed = [False] * len(columns)
    for seed in range(planned):
        trained += passed.count(False)
        read = [column if done else looks[seed] for column, done, looks in zip(gated, passed, columns, strict=True)]
        gated = corrected(read)
        passed = [column.judgement.verdict == "not inferior" for column in gated]
        if worst(gated) != "can't tell" or is_futile(gated):
            break
    return worst(gated), trained / planned / len(columns)


def early_shares(runs: Sequence[Early]) -> dict[str, tuple[float, ...]]:
    """Shares of each column in per cent: passed at a drop of 1, with all seeds and early; a verdict; training saved."""
    kinds: tuple[tuple[bool, list[Verdict]], ...] = ((False, ["not inferior"]), (True, ["not inferior", "inferior"]))
    by_column = {}
    for name in (OVERALL, *FOUR, f"{len(FOUR)} cells together"):
        shares = [
            np.mean([run[name][is_real, is_early][0] in verdicts for run in runs])
            for is_real, verdicts in kinds
            for is_early in (False, True)
        ]
        shares.append(1 - np.mean([run[name][True, True][1] for run in runs]))
        by_column[name] = tuple(100 * float(share) for share in shares)
    return by_column


def early_summary(runs: Sequence[Early]) -> str:
    """Errors at a true difference of −margin, verdicts on the shipped entries' differences, and the training saved."""
    by_column = early_shares(runs)
    passed, passed_early, decided, decided_early, saved = (
        f"{min(shares):.1f} to {max(shares):.1f} %" for shares in zip(*by_column.values(), strict=True)
    )
    return (
        f"{len(runs):,} simulated pairs of shipped entries, {len(by_column)} columns; margin {MARGIN:g} point, "
        f"{get(SUITE).seeds} seeds. At the differences of the shipped entries, it saves {saved} of the training and "
        f"reaches a verdict in {decided_early} of the cases (with all seeds in {decided}). At a drop of 1 point, "
        f"{passed_early} are not inferior (with all seeds {passed})."
    )


def _drop(points: float) -> str:
    return f"drop of {points:g}" if points else "equal"
