"""``python -m research aa``: A/A test of the same vectors, trained with different seeds.

Only the seeds differ, so at most one comparison in twenty should have a p-value below 5 %. Every trained cell of
several files is trained with disjoint sets of seeds, and each pair of sets is compared as the board compares two
entries (docs/protocol.md §8.5).
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from research import pages
from research.page import put
from tasks.baseline.published import seed_variances
from tasks.cells import evaluate_cell
from tasks.cli.tables import add_suite
from tasks.datasets.store import DataStore
from tasks.files import whole
from tasks.formats.reading import prepare
from tasks.hashes import task_hash
from tasks.prepared import open_prepared
from tasks.processes import end_with_parent
from tasks.results import CellResult, Mode, Outcomes, cell_key, plain, typed
from tasks.statistics.effects import FigureEstimate
from tasks.statistics.intervals import LEVEL
from tasks.statistics.uncertainty import SeedVariances, score_estimate
from tasks.suite import Suite
from tasks.suites import get


@dataclass(frozen=True)
class Job:
    """One set of seeds of one cell of one file; ``number`` counts the sets from 0."""

    file: Path
    task: str
    mode: Mode
    number: int

    def place(self, directory: Path) -> Path:
        return directory / f"{self.file.name}|{cell_key(self.task, self.mode)}|{self.number}.npz"


@dataclass(frozen=True)
class Comparison:
    """Two sets of seeds of one cell: p from test examples only, with the pooled seed variance, and as published."""

    cell: str
    examples_alone: float
    pooled: float
    p: float


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "aa",
        help="A/A test: how often do different seeds alone make a significant difference?",
        description="Trains every downstream cell of the files with disjoint sets of seeds (takes hours; the same "
        "command resumes it after Ctrl-C), and compares each pair of sets as the board compares two entries.",
    )
    parser.add_argument("files", type=Path, nargs="+", help="vector files")
    add_suite(parser)
    parser.add_argument("--sets", type=int, default=4, help="sets of seeds (default: %(default)s)")
    parser.add_argument("--tasks", help="only these tasks (comma-separated)")
    parser.add_argument("--out", type=Path, default=Path("var/aa"), help="where results are kept (%(default)s)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: %(default)s)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/trust.md")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Train what is missing, compare, print."""
    suite = get(parsed.suite)
    tasks = parsed.tasks.split(",") if parsed.tasks else [task.id for task in suite.extrinsic_tasks]
    results = train(suite, parsed.files, tasks, parsed.sets, parsed.out, parsed.workers)
    text = table(suite, compare(results, seed_variances(suite)), len(parsed.files), parsed.sets)
    print(text)
    if parsed.write:
        put("aa", text)


def train(
    suite: Suite, files: Sequence[Path], tasks: Sequence[str], sets: int, directory: Path, workers: int
) -> dict[Job, CellResult]:
    """The result of every job; stored ones are not computed again."""
    directory.mkdir(parents=True, exist_ok=True)
    jobs = [
        Job(file, task.id, mode, number)
        for number in range(sets)
        for file in files
        for task, mode in suite.cells()
        if mode is not None and task.id in tasks
    ]
    missing = [job for job in jobs if not job.place(directory).exists()]
    prepared = {file: str(prepare(file, directory / "prepared").directory) for file in files} if missing else {}
    with ProcessPoolExecutor(workers, initializer=end_with_parent) as pool:
        waiting = [pool.submit(_measure, suite.id, job, prepared[job.file], directory) for job in missing]
        for done in tqdm(as_completed(waiting), total=len(waiting), desc="training", disable=None):
            done.result()
    return {job: read(suite, job, directory) for job in jobs}


def _measure(suite_id: str, job: Job, prepared: str, directory: Path) -> None:
    suite = get(suite_id)
    result = evaluate_cell(
        open_prepared(Path(prepared), name=job.file.name),
        suite,
        suite.task(job.task),
        job.mode,
        data=DataStore.default(),
        first_seed=job.number * suite.seeds,
    )
    keep(result, job, directory)


def keep(result: CellResult, job: Job, directory: Path) -> None:
    """Write a result with its outcomes, completely or not at all."""
    assert result.outcomes is not None
    stored_result = np.array(json.dumps(plain(replace(result, secondary={}))))
    with whole(job.place(directory)) as partial, partial.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, stored_result=stored_result, **result.outcomes.as_arrays())


def read(suite: Suite, job: Job, directory: Path) -> CellResult:
    """Read a stored result.

    Raises
    ------
    ValueError
        it was measured with another definition of the task.
    """
    with np.load(job.place(directory), allow_pickle=False) as stored:
        result = typed(CellResult, json.loads(str(stored["stored_result"])))
        result = replace(result, outcomes=Outcomes.from_arrays(stored))
    if result.task_hash != task_hash(suite, suite.task(job.task), job.mode):
        raise ValueError(f"{job.place(directory)} has another definition of the task; delete it to measure again")
    return result


def compare(results: dict[Job, CellResult], variances: SeedVariances) -> Iterator[Comparison]:
    """Every pair of sets of every cell and file."""
    published = {job: _score(job, result, variances) for job, result in results.items()}
    pooled = {job: _score(job, replace(result, sd=None), variances) for job, result in results.items()}
    alone = {job: _score(job, result, SeedVariances()) for job, result in results.items()}
    for a, b in combinations(results, 2):
        if (a.file, a.task, a.mode) == (b.file, b.task, b.mode):
            p_values = (scores[a].against(scores[b]).p for scores in (alone, pooled, published))
            yield Comparison(cell_key(a.task, a.mode), *p_values)


def _score(job: Job, result: CellResult, variances: SeedVariances) -> FigureEstimate:
    """The score, named by file and set: a board never compares the same vectors, so each set has its own seeds."""
    score = score_estimate(result, f"{job.file.name}, set {job.number}", variances)
    assert score is not None
    return score


def table(suite: Suite, comparisons: Iterator[Comparison], files: int, sets: int) -> str:
    """Share of comparisons below 5 %."""
    head = ("Comparisons", "test examples alone", "with the pooled variance of seeds", "as published")
    caption = (
        f"{files} {'file' if files == 1 else 'files'}, {sets} disjoint sets of {suite.seeds} seeds each, {suite.id} "
        f"version {suite.version}: share of the comparisons of a file with itself that are significant at 5 %."
    )
    return "\n".join([caption, "", *pages.table(head, [_shares(list(comparisons))], words=0)])


def _shares(comparisons: Sequence[Comparison]) -> tuple[str, str, str, str]:
    alone, pooled, published = (
        f"{100 * float(np.mean([p <= LEVEL for p in of_kind])):.1f} %"
        for of_kind in zip(*((pair.examples_alone, pair.pooled, pair.p) for pair in comparisons), strict=True)
    )
    return str(len(comparisons)), alone, pooled, published
