"""``python -m research own``: ``python -m tasks own`` on three examples with published vectors.

- *questions*: TREC's questions and their kinds, with the published split;
- *newsgroups*: posts of eight groups without headers and quotes, split by date;
- *threads*: the subject of each thread of at least five such posts is a query, and its posts are to be found.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from research import pages
from research.findings.finding import number
from research.findings.finding import table as markdown
from tasks.cli.tables import step_bar
from tasks.datasets.examples import Document, LabelledText
from tasks.datasets.store import DataStore
from tasks.files import temporary_folder
from tasks.gate import MARGIN
from tasks.own.labelled import Labelled, labelled
from tasks.own.measure import measure
from tasks.own.report import OwnFigure, OwnReport
from tasks.own.retrieval import Retrieval, retrieval
from tasks.probes import subject_of, units_of_posts, words_of
from tasks.suites import DEFAULT, get
from tasks.word_list import NamedVectors
from vecboard.fetch import fetch
from vecboard.public import public_entry

PAGE = Path(__file__).resolve().parents[1] / "docs" / "own.md"
VECTORS = ("glove-6b-50d", "wordllama-l2-256d")
LEAST_POSTS = 5


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "own",
        help="published vectors on questions, newsgroups and threads, as one's own data",
        description="Writes three data sets as anyone's own and scores published vectors on them (half an hour).",
    )
    parser.add_argument("--example", action="append", choices=EXAMPLES, help="only this one (default: all)")
    parser.add_argument("--file", action="append", default=[], nargs=2, metavar=("ID", "FILE"), help="a local copy")
    parser.add_argument("--write", action="store_true", help=f"write the tables into docs/{PAGE.name}")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Score, print, write if asked."""
    store, given = DataStore.default(), {name: Path(path) for name, path in parsed.file}
    with temporary_folder() as folder:
        files = [NamedVectors(name, Path(given.get(name) or fetch(public_entry(name), folder))) for name in VECTORS]
        for example in parsed.example or EXAMPLES:
            place = folder / example
            place.mkdir()
            with step_bar(example, even=True) as progress:
                data = EXAMPLES[example](store, place)
                report, _ = measure(data, files, get(DEFAULT).look_up, place, MARGIN, progress)
            text = report_table(report)
            print(f"{text}\n")
            if parsed.write:
                pages.put(f"own {example}", text, PAGE)


def _write(path: Path, *rows: Sequence[object]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def questions(store: DataStore, folder: Path) -> Labelled:
    """TREC's questions."""
    parts = store.load("trec-qc").items()
    given = [(part, one) for part, examples in parts for one in examples if isinstance(one, LabelledText)]
    rows = ((" ".join(one.words), one.label, part) for part, one in given)
    return labelled(_write(folder / "questions.csv", ("text", "label", "part"), *rows), "label", split_field="part")


def newsgroups(store: DataStore, folder: Path) -> Labelled:
    """Posts and their groups."""
    rows = ((" ".join(words_of(post.text)), post.label, part) for part, post in _posts(store))
    return labelled(_write(folder / "posts.csv", ("text", "label", "part"), *rows), "label", split_field="part")


def threads(store: DataStore, folder: Path) -> Retrieval:
    """Subjects of threads, and posts without them."""
    posts = [post for _, post in _posts(store)]
    of_thread: dict[int, list[int]] = {}
    for i, thread in enumerate(units_of_posts(post.text for post in posts)[1].tolist()):
        of_thread.setdefault(thread, []).append(i)
    large = [own for own in of_thread.values() if len(own) >= LEAST_POSTS]
    _write(folder / "queries.csv", ("id", "text"), *((own[0], subject_of(posts[own[0]].text)) for own in large))
    _write(folder / "texts.csv", ("id", "text"), *((i, " ".join(words_of(post.text))) for i, post in enumerate(posts)))
    _write(folder / "judgements.csv", ("query-id", "corpus-id"), *((own[0], i) for own in large for i in own))
    return retrieval(folder)


EXAMPLES = {"questions": questions, "newsgroups": newsgroups, "threads": threads}


def _posts(store: DataStore) -> list[tuple[str, Document]]:
    parts = store.load("20ng").items()
    return [(part, post) for part, examples in parts for post in examples if isinstance(post, Document)]


def report_table(report: OwnReport) -> str:
    """A row for each set, and the verdicts."""
    rows = [
        (
            one["name"],
            "–" if one["known"] is None else f"{100 * one['known']:.1f}",
            *(_figure(figure) for figure in one["figures"]),
        )
        for one in report["scores"]
    ]
    named = (f"{figure['name']}, {figure['unit']}" for figure in report["scores"][0]["figures"])
    text = markdown(("vectors", "known words, %", *named), rows, f"{report['data']['sentence']}.")
    return "\n".join([text, "", *(f"- {one['sentence']}" for one in report["comparisons"])])


def _figure(one: OwnFigure) -> str:
    interval = one["interval"]
    of = f" ({interval[0]:.1f} to {interval[1]:.1f})" if interval else ""
    return f"{number(one['value'], 1)}{of}"
