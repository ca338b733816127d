"""``python -m research findings``: which of the papers' claims hold on the board, for docs/findings.md."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmark.shipped.dump import dump_path
from research import pages
from research.board.entries import Entry, entries
from research.findings.finding import Section, counted
from research.findings.practice import practice
from research.findings.priming import priming
from research.findings.scales import scales, tuning
from research.findings.windows import windows
from tasks.cli.tables import add_suite
from tasks.suite import Suite
from tasks.suites import get

PAGE = Path(__file__).resolve().parents[2] / "docs" / "findings.md"
BEGIN, END = pages.marks("findings")


def findings(suite: Suite, dump: Path) -> str:
    """Findings from the dump, if there is one, as Markdown.

    Raises
    ------
    OtherVersion
        the dump was made under another definition of the suite.
    """
    if not dump.is_file():
        return f"No entries of `{suite.id}` version {suite.version} are shipped yet. `make board` creates them."
    board = entries(suite, dump)
    sections = [
        scales(board, suite),
        practice(board, suite),
        windows(board, suite),
        tuning(board, suite),
        priming(board),
    ]
    return "\n\n".join([_opening(suite, board), summary(sections), *(written(section) for section in sections)])


def _opening(suite: Suite, board: Sequence[Entry]) -> str:
    floors = sum(entry.is_floor for entry in board)
    comparable = "" if suite.comparable else " Numbers of this suite cannot be compared with any others."
    return (
        f"From {len(board)} entries of `{suite.id}` version {suite.version}, including the baseline and "
        f"{counted(floors, 'control')} (random vectors, or real ones assigned to the wrong words).{comparable}"
    )


def summary(sections: Sequence[Section]) -> str:
    """A table with a row per claim."""
    rows = [(finding.claim, finding.source, finding.answer) for section in sections for finding in section.findings]
    return "\n".join(["## At a glance", "", *pages.table(("Claim", "Where", "Here"), rows, words=3)])


def written(section: Section) -> str:
    """Each claim with its verdict and evidence, then the tables."""
    claims = [
        f"**{finding.claim}** ({finding.source}) {finding.answer[0].upper()}{finding.answer[1:]}. {finding.here}"
        for finding in section.findings
    ]
    return "\n\n".join([f"## {section.title}", *claims, *([section.body] if section.body else [])])


def put(text: str, page: Path = PAGE) -> None:
    """Replace the text between the marks."""
    pages.put("findings", text, page)


def shown(page: Path = PAGE) -> str:
    """The current text between the marks."""
    return page.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].strip()


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser("findings", help="check the papers' claims against a dump")
    add_suite(parser)
    parser.add_argument("--file", type=Path, help="dump (default: the shipped one)")
    parser.add_argument(
        "--write",
        action="store_true",
        help="write docs/findings.md instead of printing",
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Print the findings, or write them into the page."""
    suite = get(parsed.suite)
    dump = parsed.file or dump_path(suite)
    text = findings(suite, dump)
    if parsed.write:
        put(text)
        print(f"Wrote the findings to {PAGE}.")
    else:
        print(text)
