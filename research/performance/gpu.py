"""Trained cells on a GPU and on the CPU of the same machine: ``python -m research.performance.gpu [--tasks pos]``.

Each task is measured on both devices before the next begins, and its rows are printed at once: an interrupted run
leaves complete rows. Without a GPU, nothing is measured.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import torch

from research.performance.vectors import svd_ppmi
from research.performance.versions import versions
from tasks import suites
from tasks.cli.tables import number
from tasks.datasets.store import DataStore
from tasks.evaluate import evaluate
from tasks.results import CellResult

DEVICES = ("cuda", "cpu")
ROW = "{:24} {:11} {:>9} {:>8} {:>9} {:>8} {:>7}"
HEAD = ROW.format("task", "mode", "GPU", "CPU", "GPU/CPU", "GPU", "CPU")


def row(on_gpu: CellResult, on_cpu: CellResult) -> str:
    """One cell: seconds per epoch on each device, their ratio, and the two scores."""
    gpu, cpu = ((result.training or {})["seconds_per_epoch"] for result in (on_gpu, on_cpu))
    scores = (number(on_gpu.score), number(on_cpu.score))
    return ROW.format(on_gpu.task, on_gpu.mode or "", number(gpu, 2), number(cpu, 2), number(gpu / cpu, 1), *scores)


def main() -> None:
    """Print the table, or report that no GPU was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="open-2026")
    parser.add_argument("--dimensions", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--tasks", default="", help="ids, separated by commas (default: all trained tasks)")
    parser.add_argument("--directory", type=Path, help="keeps the trained vectors for the next run")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("No CUDA device here: nothing was measured, and nothing is claimed.")
        return
    suite, data = suites.get(arguments.suite), DataStore.default()
    names = [name for name in arguments.tasks.split(",") if name] or [task.id for task in suite.extrinsic_tasks]
    print(f"{torch.cuda.get_device_name()}, CUDA {torch.version.cuda}; {versions()}; {torch.get_num_threads()} threads")
    print(f"{'':36} seconds an epoch{'':14}score\n{HEAD}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        embedding = svd_ppmi(suite, data, arguments.dimensions, arguments.directory or Path(scratch))
        for name in names:
            on_gpu, on_cpu = (
                evaluate(embedding, suite, tasks=[name], seeds=arguments.seeds, workers=1, device=device).results
                for device in DEVICES
            )
            for pair in zip(on_gpu, on_cpu, strict=True):
                print(row(*pair), flush=True)


if __name__ == "__main__":
    main()
