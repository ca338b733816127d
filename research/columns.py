"""``python -m research columns``: how often do unrelated columns correlate over entries of a few algorithms?"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from benchmark.shipped.dump import dump_path
from extensions.practice.measure.columns import associate
from research.board.entries import entries
from research.page import put
from tasks.cli.tables import add_suite
from tasks.statistics.intervals import LEVEL
from tasks.suites import get

SHARES = (0.0, 0.3, 0.6, 0.9)
"""Shares of the variance of both columns that lie between algorithms."""


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "columns",
        help="how often do unrelated columns correlate over entries of a few algorithms?",
        description="Simulates pairs of unrelated columns over the algorithms of the shipped entries (a minute), and "
        "prints how often a correlation is significant at 5 %.",
    )
    add_suite(parser)
    parser.add_argument("--runs", type=int, default=4_000, help="pairs of columns (default: %(default)s)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/trust.md")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Simulate, print, write if asked."""
    suite = get(parsed.suite)
    algorithms = [entry.algorithm for entry in entries(suite, dump_path(suite)) if not entry.is_floor]
    text = rejections(algorithms, parsed.runs)
    print(text)
    if parsed.write:
        put("columns", text)


def rejections(algorithms: list[str], runs: int) -> str:
    """The lowest and highest share of rejections, by the share of the variance that lies between algorithms."""
    rejected = [100 * np.mean([simulate(algorithms, share, run) for run in range(runs)]) for share in SHARES]
    return (
        f"{runs:,} pairs of unrelated columns over {len(algorithms)} entries of {len(set(algorithms))} algorithms, "
        f"with {100 * min(SHARES):.0f} to {100 * max(SHARES):.0f} % of their variance between algorithms: "
        f"{min(rejected):.1f} to {max(rejected):.1f} % of Pearson's correlations are significant at 5 %."
    )


def simulate(algorithms: list[str], share: float, number: int) -> bool:
    """Whether the correlation of one pair of columns is significant."""
    generator = np.random.default_rng([4, number])
    kinds, group = np.unique(algorithms, return_inverse=True)
    of_kinds, of_entries = (generator.standard_normal((2, size)) for size in (len(kinds), len(algorithms)))
    x, y = np.sqrt(share) * of_kinds[:, group] + np.sqrt(1 - share) * of_entries
    pair = associate(x, y, algorithms)
    assert pair.pearson is not None
    return pair.p <= LEVEL
