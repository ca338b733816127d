"""Time and memory of whole commands, start-up included: ``python -m research.performance.commands [--runs 5]``.

Each command runs once to fill the caches, then ``--runs`` times. Memory is the process's high-water mark; the median is
shown.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from research.performance.promises import vectors
from research.performance.versions import versions
from tasks.cli.tables import table
from tasks.files import temporary_folder
from tasks.formats.text_blocks import write_text
from tasks.suites import OPEN_2026

ROOT = Path(__file__).resolve().parents[2]
SIZES = {"small.txt.gz": (20_000, 50), "large.txt.gz": (400_000, 50)}
COMMANDS = (
    "tasks --help",
    "tasks evaluate --help",
    "tasks evaluate",
    "vecboard --help",
    *(f"tasks check {name} --suite {OPEN_2026.id}" for name in SIZES),
)
Cost = tuple[float, float]
"""Seconds and megabytes."""
_WATCH = """
import resource, subprocess, sys, time
began = time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""A small process: a command's high-water mark begins with the memory of the process that starts it."""


def cost(command: str, files: Path) -> Cost:
    """Cost of one command; any exit status is accepted."""
    typed = [str(files / word) if word in SIZES else word for word in command.split()]
    mirror = os.environ.get("VECBOARD_DATA_MIRROR", str(ROOT.parent / "shared" / "datasets"))
    done = subprocess.run(
        [sys.executable, "-S", "-c", _WATCH, sys.executable, "-m", *typed],
        cwd=ROOT,
        env=os.environ | {"VECBOARD_DATA_MIRROR": mirror, "VECBOARD_VAR": str(ROOT / "var")},
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, kilobytes = done.stdout.split()
    return float(seconds), int(kilobytes) / 1000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    rows = []
    with temporary_folder() as scratch:
        for seed, (name, (words, dimensions)) in enumerate(SIZES.items()):
            write_text(Path(scratch, name), *vectors(OPEN_2026, words, dimensions, seed))
        for command in COMMANDS:
            cost(command, scratch)
            seconds, megabytes = zip(*(cost(command, scratch) for _ in range(arguments.runs)), strict=True)
            rows.append((command, f"{statistics.median(seconds):.2f}", f"{statistics.median(megabytes):.0f}"))
    print(f"medians of {arguments.runs}; {versions()}")
    for name, (words, dimensions) in SIZES.items():
        print(f"{name}: {words:,} × {dimensions}")
    print(table(["python -m", "s", "MB"], rows))


if __name__ == "__main__":
    main()
