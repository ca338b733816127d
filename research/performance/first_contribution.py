"""A first contribution, timed: the worked example of docs/add-a-task.md in a fresh clone, step by step.

    python -m research.performance.first_contribution [--without baseline,docs]

The code to type is taken from the page's own blocks; reading and thinking are not timed. It uses the current
environment: installing is not timed either. Each step is timed in wall-clock and processor seconds.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from research.performance.versions import versions
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.formats.text_blocks import write_text
from tests.docs.blocks import DOCS, ROOT, apply, blocks

Step = tuple[str, Callable[[], None]]
EXAMPLE = blocks(DOCS / "add-a-task.md")
PAIRS = next(block.text for block in EXAMPLE if block.title == "fruit.txt")


class Walk:
    """A clone of the repository in which the page's steps are carried out."""

    def __init__(self, scratch: Path) -> None:
        self.clone, self.vectors = scratch / "vecboard", scratch / "vectors.txt.gz"
        mirror = DataStore.default().mirror
        env = {"VECBOARD_VAR": str(scratch / "var"), "VECBOARD_DATA": str(scratch / "data"), "NO_MKDOCS_2_WARNING": "1"}
        self.environment = os.environ | env | ({"VECBOARD_DATA_MIRROR": str(mirror)} if mirror else {})
        words = sorted({word for line in PAIRS.splitlines() for word in line.split("\t")[:2]})
        words += [f"other{i}" for i in range(100)]
        write_text(self.vectors, words, np.random.default_rng(5).normal(size=(len(words), 8)).astype(np.float32))

    def steps(self) -> dict[str, Step]:
        """The steps by name, in order, each with its title in the table."""
        task = ("tasks", "evaluate", str(self.vectors), "--suite", "open-2026", "--task", "sim-fruit")
        baseline = ("tasks", "baseline", "--suite", "open-2026", "--publish", "--changed")
        test = ("pytest", "-q", "-p", "no:cacheprovider", "tests/tasks/test_suites.py", "tests/tasks/datasets")
        return {
            "clone": ("git clone", lambda: self._run(["git", "clone", "--quiet", str(ROOT), str(self.clone)], ROOT)),
            "declare": ("two declarations, one line in a suite, its version", self.declare),
            "evaluate": ("measure the new task", lambda: self._python(*task)),
            "ruff": ("ruff", lambda: self._python("ruff", "check", "tasks")),
            "mypy": ("mypy --strict tasks", lambda: self._python("mypy", "--strict", "tasks")),
            "baseline": ("the baseline under the new version", lambda: self._python(*baseline)),
            "test": ("tests of suites and data sets", lambda: self._python(*test)),
            "docs": ("the documentation with its page", lambda: self._python("mkdocs", "build", "--strict", "--quiet")),
        }

    def declare(self) -> None:
        """Write the code of the page's blocks."""
        for block in EXAMPLE:
            if block.language == "diff":
                path = self.clone / block.title
                path.write_text(apply(block.text, path.read_text(encoding="utf-8")), encoding="utf-8")
        suites = self.clone / "tasks" / "suites.py"
        raised = re.sub(
            r'(id="open-2026",\s+version=)(\d+)', lambda m: f"{m[1]}{int(m[2]) + 1}", suites.read_text(encoding="utf-8")
        )
        suites.write_text(raised, encoding="utf-8")
        place = Path(self.environment["VECBOARD_DATA"]) / "fruit" / "fruit.txt"
        place.parent.mkdir(parents=True)
        place.write_text(PAIRS, encoding="utf-8")

    def _python(self, *arguments: str) -> None:
        self._run([sys.executable, "-m", *arguments], self.clone)

    def _run(self, command: Sequence[str], where: Path) -> None:
        done = subprocess.run(command, cwd=where, env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def processor_seconds() -> float:
    """Processor seconds of finished child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without", default="", help="steps to leave out")
    without = set(parser.parse_args().without.split(","))
    rows = []
    print(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC; load {os.getloadavg()[0]:.0f}; {versions()}")
    with tempfile.TemporaryDirectory() as scratch:
        for name, (title, run) in Walk(Path(scratch)).steps().items():
            if name not in without:
                began, busy = time.perf_counter(), processor_seconds()
                run()
                rows.append((title, f"{time.perf_counter() - began:.1f}", f"{processor_seconds() - busy:.1f}"))
    print(table(("step", "seconds", "of the processor"), rows))


if __name__ == "__main__":
    main()
