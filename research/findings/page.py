"""``python -m research findings``: which of the papers' claims hold on the board, for docs/findings.md."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmark.shipped.dump import dump_path
from research import pages
from research.board.entries import Entry, entries
from research.findings.finding import Finding, Verdict, counted
from research.findings.practice import practice
from research.findings.priming import priming
from research.findings.scales import scales, tuning
from research.findings.windows import windows
from tasks.cli.tables import add_suite
from tasks.datasets.registry import REGISTRY
from tasks.suite import Suite
from tasks.suites import get

PAGE = Path(__file__).resolve().parents[2] / "docs" / "findings.md"
CHART = PAGE.with_suffix(".svg")
CHART_TITLE = "What a wide window gains over a narrow one, by score, with intervals"
BEGIN, END = pages.marks("findings")
FIRST, IN_PART = "What holds", "What holds in part"
GROUPS: dict[str, tuple[Verdict, ...]] = {
    FIRST: ("holds",),
    IN_PART: ("holds in part",),
    "What is mixed or fails": ("mixed", "partly contradicted", "does not hold"),
    "What is undecided": ("undecided",),
}
"""Claims by their verdicts."""


def findings(suite: Suite, dump: Path) -> str:
    """Findings from the dump, if there is one, as Markdown.

    Raises
    ------
    OtherVersion
        the dump was made under another definition of the suite.
    """
    if not dump.is_file():
        return f"No entries of `{suite.id}` version {suite.version} are shipped yet. `make board` creates them."
    return text_of(suite, entries(suite, dump))


def text_of(suite: Suite, board: Sequence[Entry]) -> str:
    """What holds, then the other claims, then those about correlations over entries."""
    tests = (scales(board, suite), tuning(board, suite), windows(board, suite), priming(board))
    over_entries = practice(board)
    claims = [finding for section in tests for finding in section.findings]
    hold, in_part = (sum(finding.verdict in GROUPS[title] for finding in claims) for title in (FIRST, IN_PART))
    parts = [f"{_opening(suite, board)}\n\nOf {len(claims)} claims, {hold} hold and {in_part} hold in part."]
    for title, verdicts in GROUPS.items():
        parts += [f"## {title}"] * any(finding.verdict in verdicts for finding in claims)
        parts += [written(finding) for finding in claims if finding.verdict in verdicts]
        parts += [f"![{CHART_TITLE}]({CHART.name})"] * (title == FIRST and any(section.chart for section in tests))
    parts += [f"## {over_entries.title}", over_entries.body, *map(written, over_entries.findings)]
    return "\n\n".join(parts)


def _opening(suite: Suite, board: Sequence[Entry]) -> str:
    floors = sum(entry.is_floor for entry in board)
    comparable = "" if suite.comparable else " Numbers of this suite cannot be compared with any others."
    return (
        f"From {len(board)} entries of `{suite.id}` version {suite.version}, including the baseline and "
        f"{counted(floors, 'control')} (random vectors, or real ones assigned to the wrong words). All are trained on "
        f"one text: {REGISTRY[suite.corpus.dataset].title}.{comparable}"
    )


def written(finding: Finding) -> str:
    """The claim with its source, verdict and evidence."""
    verdict = f"{finding.answer[0].upper()}{finding.answer[1:]}"
    return f"**{finding.claim}** ({finding.source}) {verdict}. {finding.here}"


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
        chart = windows(entries(suite, dump), suite).chart if dump.is_file() else None
        if chart is not None:
            CHART.write_text(chart.file(), encoding="utf-8")
        print(f"Wrote the findings to {PAGE}.")
    else:
        print(text)
