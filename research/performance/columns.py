"""Cost of a cell's "reading the data": parsing the data set, or reading its stored columns.

    python -m research.performance.columns [--runs 3]

Wall-clock seconds, median; every run starts with nothing in memory. The first column is the cost for the first cell of
a task on a machine, the second for every later one.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

from research.performance.versions import versions
from tasks.cli.tables import table
from tasks.datasets.store import FOLDER, DataStore
from tasks.extrinsic.examples import columns
from tasks.suites import OPEN_2026


def main() -> None:
    """Print a row per trained task, and the sum."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    runs = range(parser.parse_args().runs)
    default = DataStore.default()
    rows, sums = [], [0.0, 0.0]
    for task in OPEN_2026.extrinsic_tasks:
        taken: tuple[list[float], list[float]] = ([], [])
        for _ in runs:
            with tempfile.TemporaryDirectory(dir=default.data_dir) as empty:
                for seconds in taken:
                    data = DataStore(empty, default.mirror or default.data_dir, offline=True)
                    data.status(task.data)  # its files are verified once a machine
                    began = time.perf_counter()
                    columns(task, data)
                    seconds.append(time.perf_counter() - began)
                (file,) = (Path(empty) / FOLDER).iterdir()
                size = file.stat().st_size
        medians = [median(seconds) for seconds in taken]
        sums = [whole + seconds for whole, seconds in zip(sums, medians, strict=True)]
        rows.append((task.title, *(f"{seconds:.3f}" for seconds in medians), f"{size / 1e6:.1f}"))
    print(f"{OPEN_2026.id}, version {OPEN_2026.version}; {versions()}")
    rows.append(("all", *(f"{seconds:.3f}" for seconds in sums), ""))
    print(table(("task", "parsed, s", "kept, s", "file, MB"), rows))


if __name__ == "__main__":
    main()
