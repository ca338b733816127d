"""How cost grows: time and memory against words, dimensions, examples, seeds and workers, with fitted exponents.

    python performance/scaling.py [--runs 3] [--plot docs/scaling.svg] [--quick]

Reading is timed in fresh processes on gzipped text of 10 dimensions (words) or 10,000 words (dimensions); training is
the median epoch of one cell. An exponent of 1 is linear.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from performance.plots import exponent, log_log, page
from performance.reading import run_once, write_sample
from performance.training import some_vectors
from performance.versions import versions
from tasks import suites
from tasks.cells import evaluate_cell
from tasks.cli.tables import table
from tasks.datasets import DataStore
from tasks.datasets.examples import Parts
from tasks.evaluate import evaluate
from tasks.results import Mode
from tasks.suite import Suite
from tasks.vectors import Embedding

WORDS = (25_000, 100_000, 400_000, 1_000_000, 3_000_000)
DIMENSIONS = (25, 50, 100, 200, 400, 1_000)
SHARES = (0.125, 0.25, 0.5, 1.0)
SEEDS = (1, 2, 3, 5, 8)
CELLS: tuple[tuple[str, Mode], ...] = (("chunk", "fixed"), ("chunk", "fine-tuned"), ("questions", "fixed"))
Series = dict[str, list[tuple[float, float]]]


def reading(sizes: Sequence[tuple[int, int]], runs: int, x: Callable[[int, int], int]) -> tuple[Series, Series]:
    """Seconds and peak megabytes of reading files of these (words, dimensions)."""
    seconds: Series = {"read": [], "check": []}
    memory: Series = {"read": [], "check": []}
    with tempfile.TemporaryDirectory() as scratch:
        for words, dimensions in sizes:
            path = Path(scratch) / "vectors.txt.gz"
            write_sample(path, words, dimensions)
            for name, reader in (("read", "ours"), ("check", "check")):
                measured = [run_once(reader, path) for _ in range(runs)]
                seconds[name].append((x(words, dimensions), statistics.median(run[0] for run in measured)))
                memory[name].append((x(words, dimensions), max(run[1] for run in measured)))
    return seconds, memory


def epochs(suite: Suite, embedding: Embedding, cell: tuple[str, Mode], data: DataStore, runs: int, seeds: int) -> float:
    """Median seconds of an epoch."""
    short = {key: replace(value, max_epochs=runs) for key, value in suite.training.items()}
    task = suite.task(cell[0])
    result = evaluate_cell(embedding, replace(suite, training=short), task, cell[1], data=data, seeds=seeds)
    assert result.training is not None
    return float(result.training["seconds_per_epoch"])


class ShareOfTrain(DataStore):
    """The data sets with less to train on: every k-th example of what training is cut from."""

    share = 1.0

    def load(self, dataset: str) -> Parts:
        parts = super().load(dataset)
        step = round(1 / self.share)
        return {name: part if name in ("dev", "test") else part[::step] for name, part in parts.items()}


def main() -> None:
    """Print the tables and write the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--quick", action="store_true", help="small sizes only: does it work?")
    arguments = parser.parse_args()
    runs, quick = arguments.runs, arguments.quick
    suite = suites.OPEN_2026
    data = DataStore.default()
    print(f"median of {runs}; {versions()}")
    found: list[tuple[str, str, str, Series]] = []

    words = WORDS[:2] if quick else WORDS
    seconds, memory = reading([(count, 10) for count in words], runs, lambda count, _: count)
    found += [("Reading, by words", "words", "seconds", seconds), ("Memory, by words", "words", "MB", memory)]
    dimensions = DIMENSIONS[:2] if quick else DIMENSIONS
    seconds, memory = reading([(10_000, count) for count in dimensions], runs, lambda _, count: count)
    found += [("Reading, by dimensions", "dimensions", "seconds", seconds)]

    by: Series = {f"{task}, {mode}": [] for task, mode in CELLS}
    for count in dimensions:
        embedding = some_vectors(suite, data, count)
        for cell in CELLS:
            by[f"{cell[0]}, {cell[1]}"].append((count, epochs(suite, embedding, cell, data, runs, 1)))
    found.append(("An epoch, by dimensions", "dimensions", "seconds", by))

    embedding = some_vectors(suite, data, 50)
    by = {f"{task}, {mode}": [] for task, mode in CELLS}
    for share in SHARES:
        less = ShareOfTrain(data.data_dir, data.mirror, data.offline)
        less.share = share
        for cell in CELLS:
            by[f"{cell[0]}, {cell[1]}"].append((100 * share, epochs(suite, embedding, cell, less, runs, 1)))
    found.append(("An epoch, by share of examples", "% of the examples", "seconds", by))

    by = {f"{task}, {mode}": [] for task, mode in CELLS}
    for count in SEEDS[:2] if quick else SEEDS:
        for cell in CELLS:
            by[f"{cell[0]}, {cell[1]}"].append((count, epochs(suite, embedding, cell, data, runs, count)))
    found.append(("An epoch, by seeds", "seeds", "seconds", by))

    for title, x_name, y_name, lines in found:
        print(f"\n{title}")
        sizes = [f"{x:,g}" for x, _ in next(iter(lines.values()))]
        rows = [
            (name, *(f"{y:,.3f}" if y < 100 else f"{y:,.0f}" for _, y in points), f"{exponent(points):.2f}")
            for name, points in lines.items()
        ]
        print(table((f"{y_name} by {x_name}", *sizes, "exponent"), rows), flush=True)

    print("\nWorkers (suite demo, all cells, wall seconds, start of the processes included)")
    embedding = some_vectors(suites.DEMO, data, 50)
    walls = []
    for workers in (1, os.cpu_count() or 2):
        measured = []
        for _ in range(runs):
            began = time.perf_counter()
            evaluate(embedding, suites.DEMO, workers=workers, data=data)
            measured.append(time.perf_counter() - began)
        walls.append((f"{workers}", f"{statistics.median(measured):.1f}"))
    print(table(("workers", "seconds"), walls))
    if arguments.plot:
        panels = [log_log(title, x_name, y_name, lines) for title, x_name, y_name, lines in found]
        arguments.plot.write_text(page(panels, "How cost grows: see docs/performance.md"), encoding="utf-8")


if __name__ == "__main__":
    main()
