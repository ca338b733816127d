"""``differ``: the examples on which two reports differ."""

from __future__ import annotations

import argparse
import csv
import sys
from textwrap import shorten

from extensions.differ.measure.differ import (
    COLUMNS,
    KindOfError,
    comparable,
    differ,
    score_difference,
    table_row,
    texts_of,
)
from tasks import suites
from tasks.cli.evaluate import read_report
from tasks.cli.tables import existing, table, writable
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, InputError
from tasks.files import whole
from tasks.gate import POINTS
from tasks.results import MODES, CellResult, Report, cell_key
from tasks.suite import Suite

NEW_OLD = ("new", "old")
"""Names of two compared reports."""
_WIDTH = 100
DIFFER = """\
Compares the answers of a cell that two reports of “evaluate --out” keep in their files of outcomes: counts, kinds of
errors (gold label → answer) with a paired test of each, corrected by Holm over all kinds, and examples. Kinds that
differ most surely come first.

Example:
  python -m tasks differ new.json old.json --task questions --mode fixed --csv differing.csv
"""


def add_differ(parser: argparse.ArgumentParser) -> None:
    parser.description = "Prints the examples that one report gets right and the other doesn't."
    parser.epilog = DIFFER
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("new", type=existing, help="report written by “evaluate --out”, with its file of outcomes")
    parser.add_argument("old", type=existing, help="another one")
    parser.add_argument("--task", required=True, help="one task, such as questions")
    parser.add_argument("--mode", choices=MODES, help="of an extrinsic task (default: its first)")
    parser.add_argument("--most", type=int, default=10, metavar="N", help="examples printed (default: %(default)s)")
    parser.add_argument("--csv", type=writable, metavar="FILE", help="write all of them as CSV")


def run_differ(arguments: argparse.Namespace) -> int:
    """Compare, print, and write CSV if asked."""
    new, old = read_report(arguments.new, field="new"), read_report(arguments.old, field="old")
    suite = suites.get(new.suite["id"])
    task = suite.task(arguments.task)
    mode = arguments.mode or task.modes[0]
    new_result, old_result = new.result(task.id, mode), old.result(task.id, mode)
    if new_result is None or old_result is None:
        message = f"Only reports that both have a score for {cell_key(task.id, mode)} can be compared."
        raise InputError("no-score", message, field="task")
    first, second = comparable(task, new_result, old_result)
    try:
        texts = texts_of(task, DataStore.default())
    except DataUnavailable as missing:
        print(f"vecboard: the examples have no text: {missing}", file=sys.stderr)
        texts = None
    differing = differ(task, first, second, texts)
    print(f"{cell_key(task.id, mode)}: {_difference(suite, new_result, old_result, new, old)}")
    only = ("new better on", "old better on") if differing.by_share else ("only new right on", "only old right on")
    print(
        f"{only[0]} {differing.first:,} {differing.what}, {only[1]} {differing.second:,}; both: {differing.both:,}; "
        f"neither: {differing.neither:,}; not answered by both: {differing.left_out:,}\n"
    )
    if differing.kinds:
        head = ("error", "only new", "only old", "p", "p, Holm")
        print(table(head, [_kind_row(kind) for kind in differing.kinds[: arguments.most]]) + "\n")
    rows = [table_row(row, NEW_OLD, texts) for row in differing.rows]
    good = "better" if differing.by_share else "right"
    for example, token, gold, of_new, of_old, right, text in rows[: arguments.most]:
        place = example if token == "" else f"{example}.{token}"
        answers = f"gold {gold or '?'}, new {of_new or '?'}, old {of_old or '?'}"
        print(f"  {place}: {right} {good}; {answers}: {shorten(str(text), _WIDTH, placeholder=' …')}")
    if arguments.csv:
        with whole(arguments.csv) as partial, partial.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([[name.format(*NEW_OLD) for name in COLUMNS], *rows])
    return 0


def _difference(suite: Suite, first: CellResult, second: CellResult, new: Report, old: Report) -> str:
    of_new, of_old = (first, new.vectors["sha256"]), (second, old.vectors["sha256"])
    apart = score_difference(suite, of_new, of_old, new.vectors["language"])
    scores = f"new {POINTS * first.score:.2f}, old {POINTS * second.score:.2f}"
    if apart is None or apart.interval is None:
        return scores
    low, high = (POINTS * end for end in apart.interval)
    return f"{scores}, difference {POINTS * apart.difference:+.2f} (95 % interval {low:+.2f} to {high:+.2f})"


def _kind_row(kind: KindOfError) -> tuple[str, ...]:
    name = f"{kind.group or 'any'} → {kind.answer or 'another answer'}"
    p = ["" if p is None else f"{p:.2g}" for p in (kind.p, kind.adjusted)]
    return name, str(kind.first), str(kind.second), *p
