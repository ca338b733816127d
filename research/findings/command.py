"""``python -m research findings``: which of the papers' claims hold on the board."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from benchmark.shipped.dump import dump_path
from research.findings.page import PAGE, findings, put
from tasks.suites import SUITES, get


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "findings", help="check the papers' claims against a dump and the study's cells"
    )
    parser.add_argument("--suite", choices=tuple(SUITES), default="open-2026", help="default: %(default)s")
    parser.add_argument("--file", type=Path, help="dump (default: what is shipped with the repository)")
    parser.add_argument("--write", action="store_true", help="write docs/findings.md instead of printing")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Print the findings, or write them into the page."""
    suite = get(parsed.suite)
    text = findings(suite, parsed.file or dump_path(suite))
    if parsed.write:
        put(text)
        print(f"Wrote the findings to {PAGE}.")
    else:
        print(text)
