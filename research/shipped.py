"""``python -m research shipped``: tables about the entries that ship, for docs/trust.md and docs/settings.md."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

from benchmark.shipped.dump import DumpedEntry, dump_path, stored_entries
from research import pages
from research.board.entries import Entry, entries
from research.findings.finding import BLANK, between, number, points
from tasks.baseline.published import published
from tasks.cli.tables import add_suite
from tasks.hashes import task_hash
from tasks.statistics.columns import FLOORS
from tasks.suite import Suite
from tasks.suites import get

DOCS = Path(__file__).resolve().parents[1] / "docs"
TRUST, SETTINGS = DOCS / "trust.md", DOCS / "settings.md"
MOST = 8
"""Number of entries shown with the controls and the baseline."""


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "shipped",
        help="controls, training settings and a number to reproduce, from the entries that ship",
        description="Prints a number of the baseline to reproduce, the board's entries and controls, and loss, "
        "time and score of the entries by their training settings.",
    )
    add_suite(parser)
    parser.add_argument("--write", action="store_true", help=f"write them into {TRUST.name} and {SETTINGS.name}")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Print the tables, or write them into their pages."""
    suite = get(parsed.suite)
    board = entries(suite, dump_path(suite))
    tables = {
        ("controls", TRUST): controls(board),
        ("one number", TRUST): one_number(suite),
        ("settings", SETTINGS): settings(stored_entries(suite, dump_path(suite))),
    }
    for (name, page), text in tables.items():
        if parsed.write:
            pages.put(name, text, page)
            print(f"Wrote the table of {name} to {page.name}.")
        else:
            print(text, end="\n\n")


def controls(board: Iterable[Entry]) -> str:
    """The first entries of the board, its baseline and its controls, sorted by their overall mean."""
    ranked = sorted(board, key=lambda entry: -(entry.mean("overall") or 0.0))
    shown = [entry for place, entry in enumerate(ranked) if place < MOST or entry.is_baseline or entry.is_floor]
    rows = []
    for entry in shown:
        interval = None if entry.is_baseline else entry.report.aggregates.intervals.get("overall")
        ends = between((100 * interval[0], 100 * interval[1])) if interval else BLANK
        kind = "control" if entry.is_floor else "baseline" if entry.is_baseline else "vectors"
        rows.append((entry.name, kind, "0" if entry.is_baseline else points(entry.mean("overall")), ends))
    return "\n".join(pages.table(("Entry", "Kind", "Overall mean, %", "95 % interval"), rows, words=2))


def one_number(suite: Suite) -> str:
    """The baseline's score on the first task without training, the task's hash, and the commands that reproduce it."""
    baseline = published(suite)
    assert baseline is not None, f"{suite.id} has no published baseline"
    task = next(task for task in suite.tasks if not task.extrinsic and baseline.result(task.id) is not None)
    result = baseline.result(task.id)
    assert result is not None
    score = number(None if result.score is None else result.score * task.metric.scale, task.metric.decimals)
    return (
        f"The baseline's score on {task.title} is **{score}** ({task.metric.title}; "
        f"definition of the task: `{task_hash(suite, task, None)}`).\n\n"
        f"```\npython -m tasks baseline --suite {suite.id} --out baseline.txt.gz\n"
        f"python -m tasks evaluate baseline.txt.gz --suite {suite.id} --task {task.id}\n```"
    )


def settings(stored: Iterable[DumpedEntry]) -> str:
    """One table for each corpus, of the entries that state window and dimensions."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for entry in stored:
        details = entry.details
        if details["window"] is not None and details["dimensions"] is not None and details["algorithm"] not in FLOORS:
            groups.setdefault(details["corpus"], []).append(details)
    parts = []
    for corpus, members in sorted(groups.items(), key=lambda group: -len(group[1])):
        rows = [
            (
                details["name"].partition(",")[0],
                str(details["window"]),
                str(details["dimensions"]),
                BLANK if details["loss"] is None else f"{details['loss']:.4g}",
                BLANK if details["training_minutes"] is None else f"{details['training_minutes']:.4g}",
                points(details["overall"]),
            )
            for details in sorted(members, key=itemgetter("algorithm", "window", "dimensions"))
        ]
        head = ("Algorithm", "Window", "Dimensions", "Loss", "Minutes", "Overall mean, %")
        parts += [f"{corpus}; {members[0]['tokens']:,} tokens:", "", *pages.table(head, rows), ""]
    return "\n".join(parts).strip()
