"""Which operations take an epoch's time: torch's profiler over one epoch of some cells.

python -m research.performance.where_time_goes [--dimensions 50] [--cells pos.fixed,chunk.fine-tuned,sentiment.fixed]
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import cast

from torch.profiler import ProfilerActivity, profile

from research.performance.training import some_vectors
from research.performance.versions import versions
from tasks import suites
from tasks.cells import evaluate_cell
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.results import Mode

MOST = 7


def main() -> None:
    """Print one table per cell: each operation's share of the time, and number of calls."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dimensions", type=int, default=50)
    parser.add_argument("--cells", default="pos.fixed,chunk.fine-tuned,sentiment.fixed,nli.fine-tuned")
    arguments = parser.parse_args()
    data, whole = DataStore.default(), suites.OPEN_2026
    suite = replace(whole, training={key: replace(value, max_epochs=1) for key, value in whole.training.items()})
    embedding = some_vectors(suite, data, arguments.dimensions)
    print(f"{suite.id}, {arguments.dimensions} dimensions, one seed, one epoch with its dev scoring; {versions()}")
    for cell in arguments.cells.split(","):
        task, mode = cell.split(".")
        evaluate_cell(embedding, suite, suite.task(task), cast(Mode, mode), data=data, seeds=1)  # reads the data
        with profile(activities=[ProfilerActivity.CPU]) as seen:
            evaluate_cell(embedding, suite, suite.task(task), cast(Mode, mode), data=data, seeds=1)
        events = sorted(seen.key_averages(), key=lambda event: -event.self_cpu_time_total)
        total = sum(event.self_cpu_time_total for event in events)
        rows = [
            (event.key, f"{100 * event.self_cpu_time_total / total:.1f}", f"{event.count:,}") for event in events[:MOST]
        ]
        print(f"\n{task}, {mode}: {total / 1e6:.2f} s in torch")
        print(table(("operation", "% of the time", "calls"), rows), flush=True)


if __name__ == "__main__":
    main()
