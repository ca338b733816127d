"""Every table of research/performance/, one after the other, for ``make bench``.

    python -m research.performance.bench [--only reading,pages] [--write]

``--write`` writes each table into the page of docs/ that has its two markers, replacing the last run's.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from research import pages

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
TABLES: dict[str, tuple[str, ...]] = {
    "reading": ("reading", "--runs", "5", "--readers", "ours,prepare,open,copy,polars,gensim"),
    "first-start": ("first_start",),
    "same-scores": ("against_plain", "--dimensions", "50", "--task", "chunk,questions,sentence-inference"),
    "whole-report": ("whole_report", "--dimensions", "100,300", "--seeds", "suite"),
    "scaling": ("scaling", "--plot", "docs/scaling.svg"),
    "plan": ("plan",),
    "pages": ("pages",),
    "promises": ("promises", "--suite", "demo", "--every", "5", "--load", "2"),
    "people-load": ("people_load",),
    "load": ("load",),
}


def run(name: str) -> str:
    """Run one script, print its output and return it."""
    script, *arguments = TABLES[name]
    command = f"python -m research.performance.{' '.join((script, *arguments))}"
    print(f"\n== {name}: {command}", flush=True)
    printed: list[str] = []
    with subprocess.Popen(
        [sys.executable, "-m", f"research.performance.{script}", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            printed.append(line.rstrip())
    if process.returncode:
        raise SystemExit(f"{command} ended with status {process.returncode}")
    return "\n".join([f"$ {command}", *printed]).strip()


def put(name: str, printed: str) -> None:
    """Replace the block between this table's markers, in the page that has them."""
    block = f"```text\n{printed}\n```"
    for page in sorted(DOCS.glob("*.md")):
        with suppress(ValueError):  # a page without these markers
            pages.put(name, block, page)
            return
    raise SystemExit(f"No page of docs/ has a place for {name}: add the lines {' and '.join(pages.marks(name))}.")


def main() -> None:
    """Run the chosen scripts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help=f"of {', '.join(TABLES)}")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",") if arguments.only else list(TABLES)
    if unknown := set(chosen) - set(TABLES):
        parser.error(f"unknown tables {', '.join(sorted(unknown))}")
    for name in chosen:
        began = time.perf_counter()
        printed = run(name)
        if arguments.write:
            put(name, printed)
        print(f"({name}: {time.perf_counter() - began:.0f} s)")


if __name__ == "__main__":
    main()
