"""Seconds and peak memory of every step of the baseline: ``python -m research.performance.baseline [SUITE]``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from research.performance.memory import high_water_mark
from research.performance.timing import timed
from tasks import suites
from tasks.baseline.corpus_text import corpus_lines
from tasks.baseline.counting import cooccurrences, encode
from tasks.baseline.svd_ppmi import ppmi, singular_vectors
from tasks.cli.tables import table
from tasks.datasets.store import DataStore

T = TypeVar("T")
HEAD = ("step", "seconds", "peak MB", "result")


def main(suite_id: str = "open-2026") -> None:
    """Train the suite's baseline step by step; peak memory is the process's, up to the end of each step."""
    suite = suites.get(suite_id)
    rows: list[tuple[str, ...]] = []

    def measured(step: str, work: Callable[[], T], describe: Callable[[T], str]) -> T:
        seconds, result = timed(work)
        rows.append((step, f"{seconds:.1f}", f"{high_water_mark():,.0f}", describe(result)))
        return result

    text = measured(
        "read, tokenise, number",
        lambda: encode(corpus_lines(suite, DataStore.default())),
        lambda text: f"{text.frequencies.sum():,} tokens of {len(text.words):,} words",
    )
    counts = measured("count", lambda: cooccurrences(text), lambda counts: f"{counts.nnz:,} entries")
    information = measured("PPMI", lambda: ppmi(counts), lambda information: f"{information.nnz:,} entries")
    measured(
        "SVD",
        lambda: singular_vectors(information, suite.baseline_dimensions),
        lambda svd: f"{svd[0].shape[1]} dimensions, singular values {svd[1][0]:.1f} to {svd[1][-1]:.1f}",
    )
    rows.append(("all", f"{sum(float(row[1]) for row in rows):.1f}", rows[-1][2], suite.id))
    print(table(HEAD, rows))


if __name__ == "__main__":
    main(*sys.argv[1:2])
