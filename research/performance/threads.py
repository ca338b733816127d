"""Two processes of one thread, or one process of two? Wall-clock seconds of the same cells, a few epochs each.

python -m research.performance.threads [--dimensions 50,300] [--epochs 3] [--runs 3]
"""

from __future__ import annotations

import argparse
import os
from functools import partial

from research.performance.timing import timed
from research.performance.training import shortened, some_vectors
from research.performance.versions import versions
from tasks import suites
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.evaluate import evaluate


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dimensions", default="50,300")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    data, suite = DataStore.default(), shortened(suites.OPEN_2026, arguments.epochs)
    cores = os.cpu_count() or 1
    ways = [(cores, 1), (1, cores), (cores, cores), (1, 1)]
    tasks = ["pos", "chunk", "questions", "nli"]
    rows = []
    for dimensions in map(int, arguments.dimensions.split(",")):
        embedding = some_vectors(suite, data, dimensions)
        for workers, threads in ways:
            whole = partial(
                evaluate, embedding, suite, tasks=tasks, seeds=1, workers=workers, threads=threads, data=data
            )
            seconds, _ = timed(whole, arguments.runs)
            rows.append((str(dimensions), str(workers), str(threads), f"{seconds:.1f}"))
    print(
        f"{', '.join(tasks)}, both modes, {arguments.epochs} epochs, one seed, median of {arguments.runs}; {versions()}"
    )
    print(table(("dimensions", "processes", "threads each", "seconds"), rows))


if __name__ == "__main__":
    main()
