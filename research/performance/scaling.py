"""How cost grows: time and memory against words, dimensions, examples, seeds and workers, with fitted exponents.

    python -m research.performance.scaling [--runs 3] [--plot docs/scaling.svg] [--quick]

Reading is timed in fresh processes on gzipped text of 10 dimensions (words) or 10,000 words (dimensions); training is
the median epoch of one cell. An exponent of 1 is linear.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from research.performance.log_log import exponent, page
from research.performance.reading import run_once, write_sample
from research.performance.timing import timed
from research.performance.training import seconds_per_epoch, shortened, some_vectors
from research.performance.versions import versions
from tasks import suites
from tasks.cli.tables import table
from tasks.datasets.examples import Parts
from tasks.datasets.store import DataStore
from tasks.evaluate import evaluate
from tasks.results import Mode

WORDS = (25_000, 100_000, 400_000, 1_000_000, 3_000_000)
DIMENSIONS = (25, 50, 100, 200, 400, 1_000)
PERCENT = (12.5, 25.0, 50.0, 100.0)
SEEDS = (1, 2, 3, 5, 8)
Cell = tuple[str, Mode]
CELLS: tuple[Cell, ...] = (("chunk", "fixed"), ("chunk", "fine-tuned"), ("questions", "fixed"))
Series = dict[str, list[tuple[float, float]]]
Curve = tuple[str, str, str, Series]
"""Title, names of x and y, and one line per measured quantity."""


def reading(sizes: Sequence[tuple[int, int]], runs: int, x: Callable[[int, int], int]) -> tuple[Series, Series]:
    """Seconds and peak megabytes of reading files of these (words, dimensions)."""
    seconds: Series = {"read": [], "check": []}
    memory: Series = {"read": [], "check": []}
    with tempfile.TemporaryDirectory() as scratch:
        for words, dimensions in sizes:
            path = Path(scratch) / "vectors.txt.gz"
            write_sample(path, words, dimensions)
            for name, reader in (("read", "ours"), ("check", "prepare")):
                measured = [run_once(reader, path) for _ in range(runs)]
                seconds[name].append((x(words, dimensions), statistics.median(run[0] for run in measured)))
                memory[name].append((x(words, dimensions), max(run[1] for run in measured)))
    return seconds, memory


class ShareOfTrain(DataStore):
    """The data sets with less training data: every k-th example of the training splits."""

    share = 1.0

    def load(self, dataset: str) -> Parts:
        parts = super().load(dataset)
        step = round(1 / self.share)
        return {name: part if name in ("dev", "test") else part[::step] for name, part in parts.items()}


def by_cell(sizes: Sequence[float], at: Callable[[Any], Callable[[Cell], float]]) -> Series:
    """Seconds per epoch of every cell; ``at(size)`` returns the function that times a cell."""
    series: Series = {f"{task}, {mode}": [] for task, mode in CELLS}
    for size in sizes:
        measure = at(size)
        for task, mode in CELLS:
            series[f"{task}, {mode}"].append((size, measure((task, mode))))
    return series


def curves(data: DataStore, runs: int, quick: bool) -> Iterator[Curve]:
    """Yield each curve as soon as it is measured."""
    suite = shortened(suites.OPEN_2026, epochs=runs)
    words, dimensions, seeds = (sizes[:2] if quick else sizes for sizes in (WORDS, DIMENSIONS, SEEDS))
    seconds, memory = reading([(count, 10) for count in words], runs, lambda count, _: count)
    yield "Reading, by words", "words", "seconds", seconds
    yield "Memory, by words", "words", "MB", memory
    seconds, _ = reading([(10_000, count) for count in dimensions], runs, lambda _, count: count)
    yield "Reading, by dimensions", "dimensions", "seconds", seconds

    def of_size(count: int) -> Callable[[Cell], float]:
        embedding = some_vectors(suite, data, count)
        return lambda cell: seconds_per_epoch(embedding, suite, *cell, data, seeds=1)

    yield "An epoch, by dimensions", "dimensions", "seconds", by_cell(dimensions, of_size)
    embedding = some_vectors(suite, data, 50)

    def of_share(percent: float) -> Callable[[Cell], float]:
        less = ShareOfTrain(data.data_dir, data.mirror, data.offline)
        less.share = percent / 100
        return lambda cell: seconds_per_epoch(embedding, suite, *cell, less, seeds=1)

    yield "An epoch, by share of examples", "% of the examples", "seconds", by_cell(PERCENT, of_share)

    def of_seeds(count: int) -> Callable[[Cell], float]:
        return lambda cell: seconds_per_epoch(embedding, suite, *cell, data, seeds=count)

    yield "An epoch, by seeds", "seeds", "seconds", by_cell(seeds, of_seeds)


def tell(curve: Curve) -> None:
    """Print the value of each line at the largest size, and its exponent."""
    title, x_name, y_name, lines = curve
    largest = max(x for x, _ in next(iter(lines.values())))
    rows = []
    for name, points in lines.items():
        value = dict(points)[largest]
        rows.append((name, f"{value:,.3f}" if value < 100 else f"{value:,.0f}", f"{exponent(points):.2f}"))
    print(f"\n{title}")
    print(table((f"{y_name} by {x_name}", f"{largest:,g}", "exponent"), rows), flush=True)


def tell_workers(data: DataStore, runs: int) -> None:
    """Print the gain from a second process."""
    print("\nWorkers (suite demo, all cells, wall seconds, start of the processes included)")
    embedding = some_vectors(suites.DEMO, data, 50)
    walls = []
    for workers in (1, os.cpu_count() or 2):
        seconds, _ = timed(partial(evaluate, embedding, suites.DEMO, workers=workers, data=data), runs)
        walls.append((f"{workers}", f"{seconds:.1f}"))
    print(table(("workers", "seconds"), walls))


def main() -> None:
    """Print the tables and write the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--quick", action="store_true", help="small sizes only, as a test")
    arguments = parser.parse_args()
    data = DataStore.default()
    print(f"median of {arguments.runs}; {versions()}")
    drawn = []
    for curve in curves(data, arguments.runs, arguments.quick):
        tell(curve)
        drawn.append(curve)
    tell_workers(data, arguments.runs)
    if arguments.plot:
        plot = page(drawn, "How cost grows", "The exponents of these lines are in docs/performance.md.")
        arguments.plot.write_text(plot, encoding="utf-8")


if __name__ == "__main__":
    main()
