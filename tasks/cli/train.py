"""``python -m tasks train``: train vectors, ready to upload, with their technical criteria."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from tasks.cli.progress import step_bar
from tasks.cli.tables import number, table
from tasks.datasets.store import DataStore
from tasks.formats.write import write_text
from tasks.languages import known_language
from tasks.local_training.corpora import corpus
from tasks.local_training.plan import Criteria, Plan, TrainedRun
from tasks.local_training.side_by_side import train_side_by_side
from tasks.local_training.train import run_name, train_runs, use_threads
from tasks.progress import Progress, no_progress


def run(arguments: argparse.Namespace) -> int:
    """Train, write every run as soon as it is finished, print the table of criteria."""
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
    language = known_language(arguments.language)
    text = corpus(arguments.corpus, DataStore.default(), punctuation=arguments.punctuation, language=language)
    names = tuple(run_name(text, plan, run) for run in range(plan.runs))
    arguments.out.mkdir(parents=True, exist_ok=True)
    trainer = _Trainer(arguments.corpus, arguments.punctuation, language, plan, names, arguments.threads, arguments.out)
    with step_bar("training") as progress:
        several = min(plan.runs, arguments.processes) > 1
        done = trainer.side_by_side(arguments.processes) if several else trainer.here(progress)
        for finished, _ in enumerate(done, start=1):
            progress(finished / plan.runs, f"{finished} of {plan.runs} runs done")
    print(criteria_table([read_criteria(arguments.out, name) for name in names]))
    return 0


@dataclass(frozen=True)
class _Trainer:
    """Trains a plan's runs and writes each as soon as it is finished; can be sent to other processes."""

    source: str
    punctuation: bool
    language: str
    plan: Plan
    names: tuple[str, ...]
    threads: int
    out: Path

    def __call__(self, name: str) -> None:
        for trained in self._train([self.names.index(name)], no_progress):
            write_run(trained, self.out)

    def side_by_side(self, processes: int) -> Iterator[str]:
        return train_side_by_side(self.names, self, processes)

    def here(self, progress: Progress) -> Iterator[str]:
        """One after the other: the corpus is counted once, and the bar moves within a run."""
        for trained in self._train(range(self.plan.runs), progress):
            write_run(trained, self.out)
            yield trained.embedding.name

    def _train(self, runs: Sequence[int], progress: Progress) -> Iterator[TrainedRun]:
        use_threads(self.threads)
        text = corpus(self.source, DataStore.default(), punctuation=self.punctuation, language=self.language)
        return train_runs(text, self.plan, progress, wanted=runs)


def write_run(trained: TrainedRun, directory: Path) -> Path:
    """Write ``NAME.txt.gz`` and ``NAME.json``; return the path of the first."""
    path = directory / f"{trained.embedding.name}.txt.gz"
    write_text(path, trained.embedding.words, trained.embedding.matrix)
    criteria = trained.criteria.as_dict() | {"losses": [round(loss, 6) for loss in trained.losses]}
    path.with_name(f"{trained.embedding.name}.json").write_text(json.dumps(criteria, indent=1) + "\n", encoding="utf-8")
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
