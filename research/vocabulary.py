"""``python -m research vocabulary``: scores of a file and of its most frequent words, on their own and on shared words.

A word has the same vector in both, so that their scores differ by the vocabulary alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from research import pages
from tasks import suites
from tasks.base import Task
from tasks.cells import evaluate_cell
from tasks.cli.tables import add_suite, existing, number, positive
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, NoScore
from tasks.formats import read
from tasks.results import CellResult
from tasks.statistics.correlations import on_shared_words
from tasks.statistics.intervals import chance_of
from tasks.suite import Suite
from tasks.vectors import Embedding

if TYPE_CHECKING:
    from argparse import _SubParsersAction

PAGE = Path(__file__).resolve().parents[1] / "docs" / "intrinsic.md"
WORDS = 10_000
TASKS = ("sim-ws-353-all", "sim-simlex-999", "sim-men-tr-3k", "sim-rw-stanford", "analogy-google")


@dataclass(frozen=True)
class OnBoth:
    """A task's scores of a file and of its first words; ``shared``: those of both on the words that both know."""

    task: Task
    whole: CellResult
    cut: CellResult
    shared: tuple[float | None, ...]


def register(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "vocabulary",
        help="scores of a file and of its first words, on their own words and on shared ones",
        description="How much of a score is the vocabulary? Scores word tasks with a file and with its first words, "
        "each on the words that it knows, and both on the words that both know.",
    )
    parser.add_argument("file", type=existing, help="vectors, most frequent word first")
    parser.add_argument("--words", type=positive, default=WORDS, help="number of first words (default: %(default)s)")
    parser.add_argument("--name", help="name of the vectors in the table (default: the file's)")
    add_suite(parser)
    parser.add_argument("--write", action="store_true", help=f"write the table into docs/{PAGE.name}")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Print the table, or write it into its page."""
    embedding = read(parsed.file)
    rows = list(on_both(embedding, parsed.words, suites.get(parsed.suite), DataStore.default()))
    text = in_words(parsed.name or parsed.file.name, len(embedding.words), parsed.words, rows)
    if parsed.write:
        pages.put("vocabulary", text, PAGE)
        print(f"Wrote the table to {PAGE.name}.")
    else:
        print(text)


def on_both(embedding: Embedding, words: int, suite: Suite, data: DataStore) -> Iterator[OnBoth]:
    """Every task of ``TASKS`` that both the file and its first words have a score of."""
    first = Embedding.of(f"first {words}", embedding.words[:words], embedding.matrix[:words], embedding.language)
    for task in suite.tasks:
        if task.id not in TASKS or not task.applies_to(embedding.language):
            continue
        try:
            whole, cut = (evaluate_cell(side, suite, task, None, data=data) for side in (embedding, first))
        except (NoScore, DataUnavailable):
            continue
        outcomes = [side.outcomes for side in (whole, cut) if side.outcomes is not None]
        shared = on_shared_words(task.metric, outcomes)
        assert shared is not None, "two results of one task are of the same examples"
        yield OnBoth(task, whole, cut, shared.scores)


def in_words(name: str, all_words: int, words: int, both: Sequence[OnBoth]) -> str:
    """The table, and a sentence before it."""
    rows = [
        (
            row.task.title,
            *(text for side in (row.whole, row.cut) for text in (_words_known(side), _score(row.task, side.score))),
            " / ".join(dict.fromkeys(_score(row.task, score) for score in row.shared)),
        )
        for row in both
    ]
    head = ("Data set", f"known, {all_words:,} words", "score", f"known, {words:,} words", "score", "on shared words")
    return "\n".join([f"{name}, whole and cut to its {words:,} most frequent words:", "", *pages.table(head, rows)])


def _words_known(result: CellResult) -> str:
    chance = chance_of(result)
    return f"{result.n:,}" if chance is None else f"{chance.n:,} of {chance.of:,}"


def _score(task: Task, score: float | None) -> str:
    return number(None if score is None else score * task.metric.scale, task.metric.decimals)
