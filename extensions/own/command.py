"""``python -m tasks own DATA A [B …]``: which vectors serve one's own labelled texts, or one's own search?"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from extensions.own.measure.labelled import Labelled, labelled
from extensions.own.measure.measure import cut, measure
from extensions.own.measure.report import Disagreements, OwnFigure, OwnReport, csv_rows
from extensions.own.measure.retrieval import Retrieval, retrieval
from extensions.shared.measure.options import add_language, report_left_out
from extensions.shared.measure.texts import TEXT
from extensions.shared.measure.vectors import NamedVectors
from tasks.cli.check import FOLDER
from tasks.cli.tables import (
    add_json,
    add_suite,
    as_json,
    existing,
    existing_vectors,
    step_bar,
    table,
    writable,
)
from tasks.errors import InputError
from tasks.files import temporary_folder, whole
from tasks.gate import MARGIN, check_margin
from tasks.suites import get

OWN = """\
Labelled texts (a file): a text is represented by the mean vector of its known words; a logistic regression learns the
labels from it, with C chosen within the training texts, in five-fold cross-validation, twice, or by your own split.

Search (a folder with queries, texts and judgements, as in BEIR): the texts are ranked by the cosine of their mean
vector with the query's; the figure is the share of relevant texts among the first ten.

The same on words alone (TF-IDF or BM25) is always scored too: vectors that don't reach it are not worth their size
here. Each further file is judged against the first one by the rule of “evaluate --not-inferior-to”. Nothing leaves this
machine.

Examples:
  python -m tasks own tickets.csv vectors.txt.gz smaller.txt.gz --label-field queue
  python -m tasks own posts.jsonl a.npz b.npz --group-by author --disagreements differing.csv
  python -m tasks own search/ a.npz b.npz
"""
LABEL = "label"
SHOWN = 3
"""Texts shown of each kind of disagreement."""
WIDTH = 100
"""Characters shown of a text."""


def add_own(parser: argparse.ArgumentParser) -> None:
    parser.description = "Scores vector files on your own labelled texts, or on your own queries and texts."
    parser.epilog = OWN
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "data",
        type=lambda text: Path(text) if Path(text).is_dir() else existing(text),
        help="labelled texts, or a folder with queries, texts and judgements: CSV, TSV or JSON lines, plain or gzipped",
    )
    parser.add_argument("files", type=existing_vectors, nargs="+", metavar="FILE", help=FOLDER)
    parser.add_argument("--text-field", default=TEXT, metavar="FIELD", help="default: %(default)s")
    parser.add_argument("--label-field", default=LABEL, metavar="FIELD", help="default: %(default)s")
    parser.add_argument("--split-field", metavar="FIELD", help="field with your own split: train or test")
    parser.add_argument("--group-by", metavar="FIELD", help="texts with one value, such as an author, count as one")
    parser.add_argument("--margin", type=float, default=MARGIN, metavar="POINTS", help="default: %(default)g point")
    parser.add_argument(
        "--disagreements",
        type=writable,
        metavar="CSV",
        help="write the texts on which sets disagree, and their answers",
    )
    add_language(parser)
    add_suite(parser, "look words up as in this suite (default: %(default)s)")
    add_json(parser)


def run_own(arguments: argparse.Namespace) -> int:
    """Score, compare, print."""
    check_margin(arguments.margin)
    data = _read(arguments)
    names = [path.name for path in arguments.files]
    files = [NamedVectors(path.name if names.count(path.name) == 1 else str(path), path) for path in arguments.files]
    with temporary_folder() as scratch, step_bar("scoring", even=True) as progress:
        look_up = get(arguments.suite).look_up
        report, differing = measure(data, files, look_up, scratch, arguments.margin, progress, most_rows=None)
    if arguments.disagreements:
        with whole(arguments.disagreements) as partial, partial.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(csv_rows(differing))
    report_left_out(data.left_out)
    if arguments.json:
        print(as_json(report))
        return 0
    print(f"{report['data']['sentence']}\n\n{scores_table(report)}\n")
    for comparison in report["comparisons"]:
        print(comparison["sentence"])
    for place in range(2, len(report["scores"])):
        _show(report, differing, place, 1)
        _show(report, differing, 1, place)
    return 0


def _read(arguments: argparse.Namespace) -> Labelled | Retrieval:
    label, text, split, group = (
        getattr(arguments, name) for name in ("label_field", "text_field", "split_field", "group_by")
    )
    if not arguments.data.is_dir():
        return labelled(
            arguments.data, label, text_field=text, split_field=split, group_field=group, language=arguments.language
        )
    if (label, text, split, group) != (LABEL, TEXT, None, None):
        message = "--label-field, --text-field, --split-field and --group-by are for labelled texts, not for a folder."
        raise InputError("no-labels", message, field="data")
    return retrieval(arguments.data, arguments.language)


def scores_table(report: OwnReport) -> str:
    """A row for each set."""
    rows = [
        (
            score["name"],
            "" if score["dimensions"] is None else str(score["dimensions"]),
            "" if score["known"] is None else f"{100 * score['known']:.1f}",
            "" if score["without_words"] is None else f"{score['without_words']:,}",
            *(_figure(figure) for figure in score["figures"]),
            f"{score['seconds']:.1f}",
        )
        for score in report["scores"]
    ]
    named = (f"{figure['name']} {figure['unit']}" for figure in report["scores"][0]["figures"])
    return table(("vectors", "dimensions", "known words %", "without any", *named, "seconds"), rows)


def _figure(figure: OwnFigure) -> str:
    interval = figure["interval"]
    return f"{figure['value']:.2f}" + (f" ({interval[0]:.1f} to {interval[1]:.1f})" if interval else "")


def _show(report: OwnReport, differing: Disagreements, better: int, worse: int) -> None:
    """The examples on which a set differs most from another one, to its advantage."""
    name, other = differing["sets"][better], differing["sets"][worse]
    rows = [(row["answers"][better]["right"] - row["answers"][worse]["right"], row) for row in differing["rows"]]
    better_rows = sorted((item for item in rows if item[0] > 0), key=lambda item: -item[0])
    kind = "queries" if report["kind"] == "retrieval" else "texts"
    print(f"\n{len(better_rows):,} {kind} that {name} answers better than {other} (its answer first):")
    for _, row in better_rows[:SHOWN]:
        answers = [row["answers"][place]["answer"] for place in (better, worse)]
        print(f"  {cut(row['text'], WIDTH)}\n" + "".join(f"    {answer}\n" for answer in answers), end="")
