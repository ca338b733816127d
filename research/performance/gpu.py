"""The whole suite on one GPU: ``python -m research.performance.gpu [--dimensions 300]``. Says so if there is none.

Also compares scores with the CPU's (``--compare``): another kind of device gives other bits, within seed noise.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import torch

from research.performance.vectors import svd_ppmi
from research.performance.whole_report import measure
from tasks import suites
from tasks.datasets.store import DataStore


def main() -> None:
    """Print the table, or say that no GPU was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="open-2026")
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--compare", action="store_true", help="measure on the CPU too (minutes)")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("No CUDA device here: nothing was measured, and nothing is claimed.")
        return
    suite, data = suites.get(arguments.suite), DataStore.default()
    print(f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}")
    with tempfile.TemporaryDirectory() as scratch:
        embedding = svd_ppmi(suite, data, arguments.dimensions, Path(scratch))
        measure(embedding, suite, suite.seeds, 1, "cuda", cells=True)
        if arguments.compare:
            measure(embedding, suite, suite.seeds, 2, "cpu", cells=True)


if __name__ == "__main__":
    main()
