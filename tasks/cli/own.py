"""``python -m tasks own DATA A [B …]``: which vectors serve one's own labelled texts?"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from threadpoolctl import threadpool_limits

from tasks import own
from tasks.cli.check import VECTORS
from tasks.cli.tables import add_json, add_suite, as_json, existing, report_left_out, step_bar, table, writable
from tasks.files import whole
from tasks.gate import MARGIN, POINTS, Gated, check_margin, sentence
from tasks.local_training.documents import TEXT
from tasks.probes import FOLDS
from tasks.suites import get
from tasks.text import LeftOut

OWN = """\
A text is represented by the mean vector of its known words; a logistic regression learns the labels from it, with C
chosen within the training texts, in five-fold cross-validation, twice, or by your own split. The same classifier on
words alone (TF-IDF) is always scored too: vectors that don't reach it are not worth their size here. Each further file
is judged against the first one by the rule of “evaluate --not-inferior-to”. Nothing leaves this machine.

Examples:
  python -m tasks own tickets.csv vectors.txt.gz smaller.txt.gz --label-field queue
  python -m tasks own posts.jsonl a.npz b.npz --group-by author --disagreements differing.csv
"""
SHOWN = 3
"""Texts shown of each kind of disagreement."""
_WIDTH = 100


def add_own(parser: argparse.ArgumentParser) -> None:
    parser.description = "Scores vector files on your own labelled texts."
    parser.epilog = OWN
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("data", type=existing, help="labelled texts: CSV, TSV or JSON lines, plain or gzipped")
    parser.add_argument("files", type=existing, nargs="+", metavar="FILE", help=VECTORS)
    parser.add_argument("--text-field", default=TEXT, metavar="FIELD", help="default: %(default)s")
    parser.add_argument("--label-field", default="label", metavar="FIELD", help="default: %(default)s")
    division = parser.add_mutually_exclusive_group()
    division.add_argument("--split-field", metavar="FIELD", help="field with your own split: train or test")
    division.add_argument(
        "--group-by", metavar="FIELD", help="keep texts with the same value, such as an author, together"
    )
    parser.add_argument("--margin", type=float, default=MARGIN, metavar="POINTS", help="default: %(default)g point")
    parser.add_argument(
        "--disagreements",
        type=writable,
        metavar="CSV",
        help="write the texts on which sets disagree, and their answers",
    )
    add_suite(parser, "look words up as in this suite (default: %(default)s)")
    add_json(parser)
    parser.set_defaults(run=run_own)


def run_own(arguments: argparse.Namespace) -> int:
    """Score, compare, print."""
    check_margin(arguments.margin)
    left_out = LeftOut()
    data = own.labelled(
        arguments.data,
        arguments.label_field,
        left_out,
        text_field=arguments.text_field,
        split_field=arguments.split_field,
        group_field=arguments.group_by,
    )
    look_up = get(arguments.suite).look_up
    with (
        tempfile.TemporaryDirectory(prefix="vecboard-") as scratch,
        step_bar("scoring", even=True) as progress,
        threadpool_limits(limits=1),
    ):
        found = list(own.scores(data, arguments.files, look_up, Path(scratch), progress))
    floor, first, *others = found
    compared = [(one, first) for one in others] + [(one, floor) for one in (first, *others)]
    gated = [_gated(data, new, old, arguments.margin) for new, old in compared]
    if arguments.disagreements:
        _write_disagreements(arguments.disagreements, data, found)
    report_left_out(left_out)
    if arguments.json:
        print(as_json(_as_json(data, found, gated)))
        return 0
    print(_table(data, found))
    for verdict in gated:
        print(sentence(verdict, arguments.margin))
    for one in others:
        _show_disagreements(data, one, first)
    return 0


def _gated(data: own.Labelled, new: own.SetScore, old: own.SetScore, margin: float) -> Gated:
    judged = own.compare(data, new, old, margin)
    return Gated(f"{new.name} − {old.name}", POINTS * new.accuracy, POINTS * old.accuracy, judged)


def _table(data: own.Labelled, found: Sequence[own.SetScore]) -> str:
    rows = [
        (
            one.name,
            "" if one.dimensions is None else str(one.dimensions),
            "" if one.known is None else f"{100 * one.known:.1f}",
            f"{100 * one.accuracy:.2f}",
            f"{100 * one.macro_f1:.2f}",
            f"{one.seconds:.1f}",
        )
        for one in found
    ]
    labels = len(set(data.labels.tolist()))
    if data.is_cross_validated:
        how = f"{FOLDS}-fold cross-validation, {own.REPEATS} times"
    else:
        train, test = data.divisions[0]
        how = f"{len(train):,} to train on, {len(test):,} to test"
    head = ("vectors", "dimensions", "known words %", "accuracy %", "macro-F1 %", "seconds")
    return f"{len(data.labels):,} texts, {labels} labels; {how}\n\n{table(head, rows)}\n"


def _show_disagreements(data: own.Labelled, new: own.SetScore, old: own.SetScore) -> None:
    for places, right, wrong in zip(own.disagreements(new, old), (new, old), (old, new), strict=True):
        print(f"\n{len(places):,} texts that only {right.name} labels rightly ({wrong.name}'s answer in brackets):")
        for i in places[:SHOWN].tolist():
            text = " ".join(data.texts[i].split())
            shortened = text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"
            print(f"  {data.labels[i]} ({wrong.predicted[i]}): {shortened}")


def _write_disagreements(path: Path, data: own.Labelled, found: Sequence[own.SetScore]) -> None:
    """A row for each text whose answers differ: text, label, and each set's answer and share of right answers."""
    with whole(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label", *(f"{one.name}: {what}" for one in found for what in ("answer", "right"))])
        for i, text in enumerate(data.texts):
            answers = [one.right[i] for one in found]
            if answers[0] == answers[0] and len(set(answers)) > 1:  # NaN: in no test part
                of_sets = [value for one in found for value in (one.predicted[i], f"{one.right[i]:g}")]
                writer.writerow([text, data.labels[i], *of_sets])


def _as_json(data: own.Labelled, found: Sequence[own.SetScore], gated: Sequence[Gated]) -> dict[str, object]:
    names = ("name", "dimensions", "known", "accuracy", "macro_f1", "seconds")
    return {
        "texts": len(data.labels),
        "labels": len(set(data.labels.tolist())),
        "divisions": len(data.divisions),
        "scores": [{name: getattr(one, name) for name in names} for one in found],
        "comparisons": [asdict(one) for one in gated],
    }
