"""Time and memory of whole commands, start-up included, here and in an earlier commit.

    python -m research.performance.commands [--beside 1a357ef] [--runs 5]

Each command runs once to fill the caches of its tree, then ``--runs`` times in turn with the same command of the
other tree, both with this environment's packages. Memory is the process's high-water mark; the median is shown.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
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


@contextmanager
def earlier(commit: str) -> Iterator[Path]:
    """A checkout of a commit, deleted after the block."""
    with temporary_folder() as scratch:
        place = Path(scratch, "tree")
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", place, commit], cwd=ROOT, check=True)
        try:
            yield place
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", place], cwd=ROOT, check=True)


def cost(command: str, tree: Path, files: Path) -> Cost:
    """Cost of one command in a tree; any exit status is accepted."""
    typed = [str(files / word) if word in SIZES else word for word in command.split()]
    mirror = os.environ.get("VECBOARD_DATA_MIRROR", str(ROOT.parent / "shared" / "datasets"))
    done = subprocess.run(
        [sys.executable, "-S", "-c", _WATCH, sys.executable, "-m", *typed],
        cwd=tree,
        env=os.environ | {"VECBOARD_DATA_MIRROR": mirror, "VECBOARD_VAR": str(tree / "var")},
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, kilobytes = done.stdout.split()
    return float(seconds), int(kilobytes) / 1000


def costs(command: str, trees: Sequence[Path], files: Path, runs: int) -> list[Cost]:
    """Medians for each tree; the trees' runs alternate."""
    for tree in trees:
        cost(command, tree, files)
    measured = [[cost(command, tree, files) for tree in trees] for _ in range(runs)]
    return [
        (statistics.median(seconds for seconds, _ in of_tree), statistics.median(megabytes for _, megabytes in of_tree))
        for of_tree in zip(*measured, strict=True)
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beside", metavar="COMMIT", help="also measure the same commands of this commit")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with temporary_folder() as scratch:
        for seed, (name, (words, dimensions)) in enumerate(SIZES.items()):
            write_text(Path(scratch, name), *vectors(OPEN_2026, words, dimensions, seed))
        with earlier(arguments.beside) if arguments.beside else nullcontext() as before:
            trees = (before, ROOT) if before else (ROOT,)
            rows = {command: costs(command, trees, scratch, arguments.runs) for command in COMMANDS}
    names = (f"at {arguments.beside}", "now") if arguments.beside else ("now",)
    print(f"medians of {arguments.runs}; {versions()}")
    for name, (words, dimensions) in SIZES.items():
        print(f"{name}: {words:,} × {dimensions}")
    head = ["python -m", *(f"{what}, {name}" for name in names for what in ("s", "MB"))]
    shown = {command: [text for s, mb in row for text in (f"{s:.2f}", f"{mb:.0f}")] for command, row in rows.items()}
    print(table(head, [[command, *texts] for command, texts in shown.items()]))


if __name__ == "__main__":
    main()
