"""``python -m research findings``: which of the papers' claims hold on the board."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from benchmark.shipped.dump import dump_path, finding_path
from research.board.entries import entries
from research.findings.headline import headline
from research.findings.page import PAGE, findings, put
from tasks.cli.options import add_suite
from tasks.suites import get


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "findings", help="check the papers' claims against a dump and the study's cells"
    )
    add_suite(parser)
    parser.add_argument("--file", type=Path, help="dump (default: what is shipped with the repository)")
    parser.add_argument(
        "--write",
        action="store_true",
        help="write docs/findings.md and the first page's finding instead of printing",
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Print the findings, or write them into the page."""
    suite = get(parsed.suite)
    dump = parsed.file or dump_path(suite)
    text = findings(suite, dump)
    if parsed.write:
        put(text)
        if dump == dump_path(suite) and dump.is_file():
            finding_path(suite).write_text(headline(entries(suite, dump), suite) + "\n", encoding="utf-8")
        print(f"Wrote the findings to {PAGE}.")
    else:
        print(text)
