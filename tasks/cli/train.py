"""``python -m tasks train``: vectors of one's own, ready to upload, with their technical criteria."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm

from tasks.cli.tables import number, table
from tasks.datasets import DataStore
from tasks.local_training.corpora import corpus
from tasks.local_training.plan import ALGORITHMS, Plan, Run
from tasks.local_training.train import train_runs, use_threads


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "train",
        help="train skip-gram, CBOW, fastText or GloVe vectors on a corpus",
        description="Trains vectors on a text collection (sotu, inaugural, wiki-corpus) or on a text file with one "
        "paragraph a line, and writes each run as a file to upload, with its technical criteria beside it as JSON.",
    )
    parser.add_argument("corpus", help="id of a text collection, or a text file, plain or gzipped")
    parser.add_argument("--algorithm", choices=ALGORITHMS, default="skip-gram", help="default: %(default)s")
    parser.add_argument("--window", type=int, default=Plan.window, help="tokens on each side (default %(default)s)")
    parser.add_argument("--dimensions", type=int, default=Plan.dimensions, help="default: %(default)s")
    parser.add_argument("--minimum-count", type=int, default=Plan.minimum_count, help="default: %(default)s")
    parser.add_argument("--iterations", type=int, help="passes (default 5; GloVe: at most 100, until it converges)")
    parser.add_argument("--runs", type=int, default=1, help="trainings with one seed after the other (at most 20)")
    parser.add_argument("--seed", type=int, default=1, help="of the first run (default %(default)s)")
    parser.add_argument("--punctuation", action="store_true", help="keep tokens without a letter")
    parser.add_argument("--threads", type=int, default=1, help="threads of GloVe's products (default %(default)s)")
    parser.add_argument("--out", type=Path, default=Path(), metavar="DIRECTORY", help="default: the current one")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Train, write every run as soon as it is there, print the table of criteria."""
    plan = Plan(
        algorithm=arguments.algorithm,
        window=arguments.window,
        dimensions=arguments.dimensions,
        minimum_count=arguments.minimum_count,
        iterations=arguments.iterations,
        runs=arguments.runs,
        seed=arguments.seed,
    )
    text = corpus(arguments.corpus, DataStore.default(), punctuation=arguments.punctuation)
    use_threads(arguments.threads)
    arguments.out.mkdir(parents=True, exist_ok=True)
    runs = []
    form = "{l_bar}{bar}| [{elapsed}] {postfix}"
    with tqdm(total=100, desc="training", bar_format=form, disable=not sys.stderr.isatty()) as bar:
        for trained in train_runs(text, plan, lambda share, what: _advance(bar, share, what)):
            write_run(trained, arguments.out)
            runs.append(trained)
    print(criteria_table(runs))
    return 0


def write_run(trained: Run, directory: Path) -> Path:
    """Write ``NAME.txt.gz`` and ``NAME.json``; returns the first."""
    from tasks.vector_files import write_text

    path = directory / f"{trained.embedding.name}.txt.gz"
    write_text(path, trained.embedding.words, trained.embedding.matrix)
    criteria = trained.criteria.as_dict() | {"losses": [round(loss, 6) for loss in trained.losses]}
    path.with_name(f"{trained.embedding.name}.json").write_text(json.dumps(criteria, indent=1) + "\n", encoding="utf-8")
    return path


def criteria_table(runs: list[Run]) -> str:
    """One line a run."""
    head = ("file", "words", "tokens", "loss", "iterations", "minutes", "processor minutes")
    rows = [
        (
            f"{run.embedding.name}.txt.gz",
            f"{run.criteria.words:,}",
            f"{run.criteria.tokens:,}",
            number(run.criteria.loss, 5),
            f"{run.criteria.iterations}{' (not converged)' if run.criteria.converged is False else ''}",
            f"{run.criteria.minutes:.2f}",
            f"{run.criteria.processor_minutes:.2f}",
        )
        for run in runs
    ]
    return table(head, rows)


def _advance(bar: Any, share: float, what: str) -> None:
    bar.n = round(100 * share)
    bar.set_postfix_str(what)
