"""``python -m research trials VECTORS …``: the trial table behind a suite's training settings."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from research import pages
from research.trials.grid import Setting, Trial, append_trial, grid_of, read_trials, run_trial
from research.trials.regret import LARGEST, LEAST_SETS, Standing, choose, finalists, standings
from tasks.base import Task
from tasks.cli.tables import add_suite, existing_vectors, table
from tasks.datasets.store import DataStore
from tasks.files import temporary_folder
from tasks.formats.reading import prepare
from tasks.prepared import open_prepared
from tasks.processes import end_with_parent
from tasks.results import MODES, Mode
from tasks.suite import Suite
from tasks.suites import SUITES
from tasks.vectors import Embedding

PAGE = Path(__file__).resolve().parents[2] / "docs" / "protocol.md"
SMALL = 100
"""Dimensions of the largest sets that most grids are tried with; larger ones cost several times as much."""


class Job(NamedTuple):
    """A trial to run."""

    task: str
    mode: Mode
    setting: Setting
    vectors: str
    seeds: int


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "trials",
        help="choose a suite's training settings on dev scores",
        description="Tries rates and epochs for every trained task and mode on several sets of vectors, and chooses "
        f"the cheapest setting with which no set loses more than {100 * LARGEST:g} point of dev score against its own "
        f"best. Needs at least {LEAST_SETS} sets of different kinds for a choice. Takes hours; the same command "
        "resumes it after Ctrl-C.",
    )
    parser.add_argument(
        "vectors", type=existing_vectors, nargs="*", help="files of vectors; none: print the table's standings"
    )
    add_suite(parser)
    parser.add_argument("--out", type=Path, required=True, help="CSV table of trials; an existing one is continued")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--task", action="append", help="only this task; can be repeated")
    parser.add_argument("--mode", choices=MODES, help="only this mode")
    parser.add_argument("--write", action="store_true", help=f"write the choices into docs/{PAGE.name}")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the trials missing from the table, task by task, and print the standings of every task and mode."""
    suite = SUITES[arguments.suite]
    tasks = [suite.task(named) for named in arguments.task] if arguments.task else suite.extrinsic_tasks
    modes = [arguments.mode] if arguments.mode else MODES
    cells = [(task, mode) for mode in modes for task in tasks if mode in task.modes and not task.by_operator]
    sets: list[str] | None = None
    if arguments.vectors:
        with temporary_folder() as scratch:
            directories = _prepared(arguments.vectors, scratch)
            sets = list(directories)
            small = [name for name in sets if open_prepared(directories[name], name=name).dimensions <= SMALL]
            context = multiprocessing.get_context("spawn")
            start = (arguments.suite, directories)
            with ProcessPoolExecutor(arguments.workers, context, _start_child, start) as pool:
                for task, mode in cells:
                    whole = sets if grid_of(task).whole_for_all else small or sets
                    _search(pool, arguments.out, suite, task, mode, sets, whole)
    trials = read_trials(arguments.out)
    for task, mode in cells:
        print(summary(trials, task, mode, sets, suite.seeds))
    if arguments.write:
        head = ("Task", "Mode", "Rate", "Vectors’ rate", "Batch", "Epochs", "Largest regret")
        of_cells = [(task, mode, _standings(trials, task, mode, sets, suite.seeds)) for task, mode in cells]
        rows = [_choice(task, mode, choose(tried)) for task, mode, tried in of_cells if tried]
        pages.put("settings", "\n".join(pages.table(head, rows, words=2)), PAGE)
    return 0


def _prepared(paths: Iterable[Path], scratch: Path) -> dict[str, Path]:
    """Directories of the vectors by name: the file's, with the start of its hash.

    The hash keeps trials of another file of the same name apart.
    """
    directories: dict[str, Path] = {}
    for path in paths:
        vectors = prepare(path, scratch)
        directories[f"{path.name.split('.')[0]}@{vectors.sha256[:8]}"] = vectors.directory
    return directories


def _search(
    pool: ProcessPoolExecutor, out: Path, suite: Suite, task: Task, mode: Mode, sets: list[str], whole: list[str]
) -> None:
    """Try the whole grid with one seed on some of the sets, and its finalists with all seeds on every set."""

    def run_all(settings: Iterable[Setting], names: Iterable[str], seeds: int) -> None:
        jobs = [Job(task.id, mode, setting, name, seeds) for setting in settings for name in names]
        done = {Job(t.task, t.mode, t.setting, t.vectors, t.seeds) for t in read_trials(out)}
        futures = [pool.submit(_run_job, job) for job in jobs if job not in done]
        what = f"{task.id} {mode}, {seeds} seed(s)"
        for future in tqdm(as_completed(futures), total=len(futures), desc=what, disable=None):
            append_trial(out, future.result())
        print(f"{what}: {len(futures)} trials", file=sys.stderr, flush=True)

    run_all(grid_of(task).settings(task, mode), whole, 1)
    run_all(finalists(standings(read_trials(out), task.id, mode, whole, 1)), sets, suite.seeds)


_suite: Suite
_data: DataStore
_vectors: dict[str, Embedding]


def _start_child(suite: str, directories: dict[str, Path]) -> None:
    global _suite, _data, _vectors
    end_with_parent()
    _suite, _data = SUITES[suite], DataStore.default()
    _vectors = {name: open_prepared(path, name=name) for name, path in directories.items()}


def _run_job(job: Job) -> Trial:
    task, mode, setting, name, seeds = job
    return run_trial(_vectors[name], name, _suite, _suite.task(task), mode, setting, seeds, _data)


def summary(trials: list[Trial], task: Task, mode: Mode, sets: list[str] | None, seeds: int) -> str:
    """The standings of a task in a mode as text, and the choice; ``sets`` None: all sets of the table."""
    rows = _standings(trials, task, mode, sets, seeds)
    title = f"\n{task.id}, {mode}: dev ± sd of {seeds} seeds (regret); largest regret; processor seconds a seed"
    if not rows:
        return f"{title}\nno setting has been tried with all seeds yet"
    names = list(rows[0].trials)
    head = ("network", "rate", "vectors' rate", "batch", "epochs", *names, "largest", "s a seed")
    lines = [title, table(head, [_row(row) for row in rows])]
    if len(names) < LEAST_SETS:
        return "\n".join([*lines, f"no choice: the rule needs {LEAST_SETS} sets of vectors"])
    chosen = choose(rows)
    s = chosen.setting
    missed = f"; no setting keeps every set within {100 * LARGEST:g} point" if chosen.largest > LARGEST else ""
    rates = f"rate {s.learning_rate:g}" + ("" if mode == "fixed" else f", vectors {s.vector_learning_rate:g}")
    return "\n".join([*lines, f"chosen: {s.network}, {rates}, batch {s.batch}, epochs {s.epochs}{missed}"])


def _standings(trials: list[Trial], task: Task, mode: Mode, sets: list[str] | None, seeds: int) -> list[Standing]:
    """The standings of a task in a mode; the network is the one that fixed vectors choose."""
    names = sets or list(dict.fromkeys(t.vectors for t in trials if (t.task, t.mode) == (task.id, mode)))
    if mode == "fine-tuned" and (fixed := standings(trials, task.id, "fixed", names, seeds)):
        network = choose(fixed).setting.network
        trials = [trial for trial in trials if trial.network == network]
    return standings(trials, task.id, mode, names, seeds)


def _choice(task: Task, mode: Mode, chosen: Standing) -> tuple[str, ...]:
    """The row of a chosen setting in the table of the documentation."""
    s = chosen.setting
    vectors_rate = "–" if s.vector_learning_rate is None else f"{s.vector_learning_rate:g}"
    regret = f"{100 * chosen.largest:.2f}"
    return (task.title, mode, f"{s.learning_rate:g}", vectors_rate, str(s.batch), str(s.epochs), regret)


def _row(row: Standing) -> tuple[str, ...]:
    s = row.setting
    return (
        s.network,
        f"{s.learning_rate:g}",
        "–" if s.vector_learning_rate is None else f"{s.vector_learning_rate:g}",
        str(s.batch),
        str(s.epochs),
        *(f"{_dev(trial)} ({100 * row.regrets[name]:.2f})" for name, trial in row.trials.items()),
        f"{100 * row.largest:.2f}",
        f"{row.seconds:.1f}",
    )


def _dev(trial: Trial) -> str:
    return f"{100 * trial.dev:.2f} ± {100 * trial.dev_sd:.2f}"
