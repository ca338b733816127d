"""``python -m research shipped``: tables about the entries that ship, for docs/trust.md."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from benchmark.shipped.dump import dump_path
from research import pages
from research.board.entries import Entry, entries
from research.findings.finding import BLANK, between, number, points
from research.page import put
from tasks.baseline.published import published
from tasks.cli.tables import add_suite
from tasks.hashes import task_hash
from tasks.suite import Suite
from tasks.suites import get


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "shipped",
        help="controls and a number to reproduce, from the entries that ship",
        description="Prints the overall means of the controls, and a number of the baseline to reproduce.",
    )
    add_suite(parser)
    parser.add_argument("--write", action="store_true", help="write them into docs/trust.md")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Print the tables, or write them into their pages."""
    suite = get(parsed.suite)
    board = entries(suite, dump_path(suite))
    for name, text in (("controls", controls(board)), ("one number", one_number(suite))):
        if parsed.write:
            put(name, text)
        else:
            print(text, end="\n\n")


def controls(board: Iterable[Entry]) -> str:
    """Overall means of the controls."""
    rows = []
    for entry in (entry for entry in board if entry.is_floor):
        interval = entry.report.aggregates.intervals.get("overall")
        ends = between((100 * interval[0], 100 * interval[1])) if interval else BLANK
        rows.append((entry.name, points(entry.report.aggregates.overall), ends))
    return "\n".join(pages.table(("Control", "Overall mean, %", "95 % interval"), rows))


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
