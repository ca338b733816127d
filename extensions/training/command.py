"""``train``, ``tag``: vectors of your own text, and texts with marked words."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path

from extensions.shared.measure.corpora import corpus
from extensions.shared.measure.options import add_documents, report_left_out
from extensions.training.measure.side_by_side import train_side_by_side
from extensions.training.measure.tagging import TAGGED_WORDS, tagged_lines, tagging
from tasks.baseline.corpus_text import write_lines
from tasks.cli.tables import CORES, number, positive, step_bar, table, writable
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.files import is_plain, write_whole
from tasks.formats.text_blocks import write_text
from tasks.local_training.corpora import TrainingCorpus
from tasks.local_training.plan import ALGORITHMS, Criteria, Plan, TrainedRun
from tasks.local_training.train import run_name, train_runs, use_threads
from tasks.processes import Progress, no_progress
from tasks.text import LeftOut


def add_train(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Trains vectors on a text collection (sotu, inaugural, wiki-corpus) or on your own text. Writes each run as a "
        "file to upload, with its technical criteria as a JSON file."
    )
    add_documents(parser)
    parser.add_argument("--algorithm", choices=ALGORITHMS, default=ALGORITHMS[0], help="default: %(default)s")
    parser.add_argument("--window", type=int, default=Plan.window, help="tokens on each side (default %(default)s)")
    parser.add_argument("--dimensions", type=int, default=Plan.dimensions, help="default: %(default)s")
    parser.add_argument("--minimum-count", type=int, default=Plan.minimum_count, help="default: %(default)s")
    parser.add_argument("--iterations", type=int, help="passes (default 5; GloVe: until it converges, at most 100)")
    parser.add_argument("--runs", type=int, default=1, help="number of runs, with consecutive seeds (at most 20)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first run (default %(default)s)")
    parser.add_argument("--punctuation", action="store_true", help="keep tokens without a letter")
    parser.add_argument(
        "--resample",
        choices=("documents",),
        help="draw each run's documents (lines, if the text has none) with replacement: how much a result depends on "
        "the corpus (Antoniak & Mimno 2018)",
    )
    parser.add_argument(
        "--processes", type=positive, default=CORES, help="runs trained at a time (default: the cores, %(default)s)"
    )
    parser.add_argument(
        "--threads", type=positive, default=1, help="threads of GloVe's matrix products (default %(default)s)"
    )
    parser.add_argument("--out", type=Path, default=Path(), metavar="DIRECTORY", help="default: the current one")


def run_train(arguments: argparse.Namespace) -> int:
    """Train, write every finished run, and print the table of criteria."""
    plan = Plan(
        algorithm=arguments.algorithm,
        window=arguments.window,
        dimensions=arguments.dimensions,
        minimum_count=arguments.minimum_count,
        iterations=arguments.iterations,
        runs=arguments.runs,
        seed=arguments.seed,
        resample=arguments.resample is not None,
    )
    left_out = LeftOut()
    read = _text_to_train_on(arguments)
    text = read(left_out)
    names = tuple(run_name(text, plan, run) for run in range(plan.runs))
    arguments.out.mkdir(parents=True, exist_ok=True)
    trainer = _Trainer(read, plan, names, arguments.threads, arguments.out)
    with step_bar("training") as progress:
        several = min(plan.runs, arguments.processes) > 1
        done = train_side_by_side(names, trainer, arguments.processes) if several else trainer.here(progress)
        for finished, _ in enumerate(done, start=1):
            progress(finished / plan.runs, f"{finished} of {plan.runs} runs done")
    print(criteria_table([read_criteria(arguments.out, name) for name in names]))
    report_left_out(left_out)
    return 0


def _text_to_train_on(arguments: argparse.Namespace) -> Callable[[LeftOut], TrainingCorpus]:
    """Reads the corpus of the arguments; picklable."""
    options = {name: getattr(arguments, name) for name in ("punctuation", "language", "text_field")}
    return partial(corpus, arguments.corpus, DataStore.default(), **options)


@dataclass(frozen=True)
class _Trainer:
    """Trains a plan's runs and writes each one once finished; picklable."""

    read: Callable[[LeftOut], TrainingCorpus]
    plan: Plan
    names: tuple[str, ...]
    threads: int
    out: Path

    def __call__(self, name: str) -> None:
        for trained in self._train([self.names.index(name)], no_progress):
            write_run(trained, self.out)

    def here(self, progress: Progress) -> Iterator[str]:
        """Train in this process: count the corpus once, and show progress within runs."""
        for trained in self._train(range(self.plan.runs), progress):
            write_run(trained, self.out)
            yield trained.embedding.name

    def _train(self, runs: Sequence[int], progress: Progress) -> Iterator[TrainedRun]:
        use_threads(self.threads)
        return train_runs(self.read(LeftOut()), self.plan, progress, chosen=runs)


def write_run(trained: TrainedRun, directory: Path) -> Path:
    """Write ``NAME.txt.gz`` and ``NAME.json``; return the path of the first."""
    path = directory / f"{trained.embedding.name}.txt.gz"
    write_text(path, trained.embedding.words, trained.embedding.matrix)
    criteria = asdict(trained.criteria) | {"losses": [round(loss, 6) for loss in trained.losses]}
    write_whole(path.with_name(f"{trained.embedding.name}.json"), json.dumps(criteria, indent=1) + "\n")
    return path


def read_criteria(directory: Path, name: str) -> tuple[str, Criteria]:
    """A run's name and its criteria, as written."""
    stored = json.loads((directory / f"{name}.json").read_text(encoding="utf-8"))
    return name, Criteria(**{field.name: stored[field.name] for field in fields(Criteria)})


def criteria_table(runs: list[tuple[str, Criteria]]) -> str:
    """One line per run."""
    head = ("file", "words", "tokens", "loss", "iterations", "minutes", "processor minutes")
    rows = [
        (
            f"{name}.txt.gz",
            f"{criteria.words:,}",
            f"{criteria.tokens:,}",
            number(criteria.loss, 5),
            f"{criteria.iterations}{' (not converged)' if criteria.converged is False else ''}",
            f"{criteria.minutes:.2f}",
            f"{criteria.processor_minutes:.2f}",
        )
        for name, criteria in runs
    ]
    return table(head, rows)


def add_tag(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Marks a random half (seeded) of the occurrences of some words with _tp, so that vectors "
        "trained on the text show how near the two halves are. Train on the file, then evaluate the task separability."
    )
    add_documents(parser)
    parser.add_argument("--out", type=writable, required=True, metavar="FILE", help="gzipped if the name ends in .gz")
    parser.add_argument("--words", type=positive, help="number of words (default 100)")
    parser.add_argument("--minimum-count", type=int, default=10, help="minimum count you will train with (default 10)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--punctuation", action="store_true", help="keep tokens without a letter")


def run_tag(arguments: argparse.Namespace) -> int:
    """Write the text, and the marked words next to it as JSON."""
    if not is_plain(arguments.out):
        raise InputError("out", "--out must be a file: the list of marked words is written next to it.", field="out")
    left_out = LeftOut()
    text = _text_to_train_on(arguments)(left_out)
    count = arguments.words or TAGGED_WORDS
    chosen = tagging(text.read, count=count, minimum_count=arguments.minimum_count, seed=arguments.seed)
    write_lines(tagged_lines(text.read, chosen), arguments.out)
    note = arguments.out.with_name(f"{arguments.out.name}.words.json")
    about = {"corpus": text.title, "licence": text.licence, "seed": arguments.seed, "words": list(chosen)}
    write_whole(note, json.dumps(about, ensure_ascii=False, indent=1) + "\n")
    print(f"{arguments.out}: {len(chosen)} words of {text.title} tagged; licence {text.licence}")
    report_left_out(left_out)
    return 0
