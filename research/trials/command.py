"""``python -m research trials VECTORS``: the trial table behind a suite's training settings."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from benchmark.shipped.trained import random_vectors
from research.trials import deviations
from research.trials.grid import (
    GRIDS,
    MARGINS,
    Conditions,
    Setting,
    Source,
    Standing,
    Trial,
    Tried,
    append_trial,
    choose,
    groups,
    read_trials,
    run_trial,
    standings,
    undecided,
)
from tasks.cli.tables import number, table
from tasks.datasets.store import DataStore
from tasks.files import temporary_folder
from tasks.processes import end_with_parent
from tasks.results import MODES, Mode, cell_key
from tasks.suite import Suite
from tasks.suites import SUITES, get

BEST, CHEAPEST = 2, 2
"""Settings tried again with all seeds: those with the best mean, the cheapest of those not far from it, and the best of
each rate of the network, as a lower rate may have less noise."""
NOT_FAR = 0.005
"""One seed's dev score may be off by a few tenths of a point, so settings within half a point are tried again."""
Job = tuple[str, str, Mode, Setting, Source, int]


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "trials",
        help="choose a suite's training settings on the baseline's dev scores",
        description="Tries rates, batches, epochs and averaging for every group of tasks and mode, and chooses the "
        "cheapest setting within 0.3 point of the best among those that meet the protocol's conditions. Takes hours; "
        "the same command resumes it after Ctrl-C.",
    )
    parser.add_argument("vectors", type=Path, help="the vectors of the SVD-PPMI baseline")
    parser.add_argument("--suite", choices=tuple(SUITES), default="open-2026", help="default: %(default)s")
    parser.add_argument("--out", type=Path, required=True, help="CSV table of trials; an existing one is continued")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--group", choices=tuple(GRIDS), help="only this group of tasks")
    parser.add_argument("--mode", choices=MODES, help="only this mode")
    parser.add_argument(
        "--deviations", action="store_true", help="only store this version's deviations over seeds, for the next one"
    )
    parser.add_argument("--show", action="store_true", help="print the table's current standings and stop")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the trials missing from the table, step by step, and print the choice for every group and mode."""
    suite = get(arguments.suite)
    if arguments.deviations:
        print(f"wrote {deviations.write(suite)}")
        return 0
    modes: list[Mode] = [arguments.mode] if arguments.mode else list(MODES)
    chosen = [(g, mode) for mode in modes for g in groups(suite, mode) if arguments.group in (None, g)]
    if not arguments.show:
        with temporary_folder() as scratch, _pool(arguments, scratch) as pool:
            for group, mode in chosen:
                _search(pool, arguments.out, suite, group, mode)
    trials = read_trials(arguments.out)
    for group, mode in chosen:
        print(_summary(trials, suite, group, mode))
    return 0


def _search(pool: ProcessPoolExecutor, out: Path, suite: Suite, group: str, mode: Mode) -> None:
    """Narrow many settings, tried with one seed, down to a few, tried with all.

    Fixed: the whole grid. Fine-tuned, in two steps: all pairs of rates at the largest batch and the middle number of
    epochs, then all batches and epochs at the best two pairs. Then averaging at the best of these; then the best and
    the cheapest again with all seeds, and the best of each rate. Last, the deciding settings with random vectors and at
    three times the rate.
    """
    grid, tasks = GRIDS[group], [task.id for task in groups(suite, mode)[group]]

    def screened() -> list[Standing]:
        return standings(read_trials(out), group, mode, tasks, 1)

    def best(count: int) -> list[Setting]:
        return [standing.setting for standing in screened()][:count]

    def run_all(settings: Iterable[Setting], sources: Sequence[Source] = ("baseline",), seeds: int = 1) -> None:
        _run_jobs(pool, out, [(group, task, mode, s, v, seeds) for s in settings for task in tasks for v in sources])

    settings = grid.settings(mode)
    if mode == "fixed":
        run_all(settings)
    else:
        middle = grid.epochs[len(grid.epochs) // 2]
        run_all(s for s in settings if s.batch == max(grid.batches) and s.epochs == middle)
        rates = {(s.learning_rate, s.vector_learning_rate) for s in best(BEST)}
        run_all(s for s in settings if (s.learning_rate, s.vector_learning_rate) in rates)
    run_all(replace(s, averaging=grid.averaging) for s in best(BEST) if not s.averaging)
    found = screened()
    near = sorted((s for s in found if s.mean >= found[0].mean - NOT_FAR), key=lambda s: s.seconds)
    of_rates = {s.setting.learning_rate: s.setting for s in reversed(found)}
    finalists = dict.fromkeys([*best(BEST), *(s.setting for s in near[:CHEAPEST]), *of_rates.values()])
    run_all(finalists, ("baseline",), suite.seeds)
    while left := undecided(*_finals(read_trials(out), suite, group, mode)):
        run_all(left, ("random", "tripled"), suite.seeds)


def _run_jobs(pool: ProcessPoolExecutor, out: Path, jobs: list[Job]) -> None:
    done = {(t.group, t.task, t.mode, t.setting, t.source, t.seeds) for t in read_trials(out)}
    futures = [pool.submit(_run_job, job) for job in jobs if job not in done]
    what = f"{jobs[0][0]} {jobs[0][2]}, {jobs[0][5]} seed(s)" if jobs else "nothing"
    for future in tqdm(as_completed(futures), total=len(futures), desc=what, disable=None):
        append_trial(out, future.result())
    print(f"{what}: {len(futures)} trials", file=sys.stderr, flush=True)


_child: dict[str, Any] = {}


def _pool(arguments: argparse.Namespace, scratch: Path) -> ProcessPoolExecutor:
    from tasks.formats.reading import prepare
    from tasks.prepared import open_prepared, store

    prepared = prepare(arguments.vectors, scratch)
    baseline = open_prepared(prepared.directory, name="baseline")
    directories = {"baseline": prepared.directory, "random": store(random_vectors(baseline), scratch)}
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(arguments.workers, context, _start_child, (arguments.suite, directories))


def _start_child(suite_id: str, directories: dict[str, Path]) -> None:
    from tasks.prepared import open_prepared

    end_with_parent()
    _child["suite"], _child["data"] = get(suite_id), DataStore.default()
    _child["vectors"] = {name: open_prepared(path, name=name) for name, path in directories.items()}


def _run_job(job: Job) -> Trial:
    group, task, mode, setting, source, seeds = job
    suite: Suite = _child["suite"]
    vectors = _child["vectors"]["random" if source == "random" else "baseline"]
    return run_trial(vectors, source, suite, group, suite.task(task), mode, setting, seeds, _child["data"])


def conditions(trials: list[Trial], suite: Suite, group: str, mode: Mode) -> Conditions:
    """Conditions on a setting of this group and mode; the previous version's deviations are of its dev scores."""
    tasks = groups(suite, mode)[group]
    before = deviations.read(replace(suite, version=suite.version - 1))
    fixed = _found(trials, suite, group, "fixed") if mode == "fine-tuned" and group in groups(suite, "fixed") else []
    frozen = choose(fixed, conditions(trials, suite, group, "fixed")).cells if fixed else {}
    share = 0.5 if group == "window" else 1.0
    known = {task.id: cell_key(task.id, mode) for task in tasks}
    return Conditions(
        {task.id: MARGINS[mode] for task in tasks if not task.outside_means},
        {task.id: frozen[task.id].dev for task in tasks if task.id in frozen},
        {task: share * before[cell] for task, cell in known.items() if cell in before},
    )


def _found(trials: list[Trial], suite: Suite, group: str, mode: Mode) -> list[Standing]:
    return standings(trials, group, mode, [task.id for task in groups(suite, mode)[group]], suite.seeds)


def _finals(trials: list[Trial], suite: Suite, group: str, mode: Mode) -> tuple[list[Standing], Conditions]:
    return _found(trials, suite, group, mode), conditions(trials, suite, group, mode)


def _summary(trials: list[Trial], suite: Suite, group: str, mode: Mode) -> str:
    found, asked = _finals(trials, suite, group, mode)
    tasks = [task.id for task in groups(suite, mode)[group]]
    title = f"\n{group}, {mode}: dev ± sd of {suite.seeds} seeds (sd above random vectors, points lost at triple rate)"
    if not found:
        return f"{title}\nno setting has been tried with all seeds yet"
    head = ("rate", "vectors' rate", "batch", "epochs", "averaging", "dev", *tasks, "s a seed", "shortfall")
    chosen = choose(found, asked)
    missed = asked.shortfalls(chosen)
    s = chosen.setting
    return "\n".join(
        [
            title,
            table(head, [_row(standing, tasks, asked) for standing in found]),
            f"chosen: rate {s.learning_rate:g}, vectors {s.vector_learning_rate}, batch {s.batch}, epochs {s.epochs}, "
            f"averaging {s.averaging:g}" + (f"; misses: {'; '.join(missed)}" if missed else ""),
        ]
    )


def _row(standing: Standing, tasks: list[str], asked: Conditions) -> tuple[str, ...]:
    s, cells = standing.setting, standing.cells
    return (
        f"{s.learning_rate:g}",
        "–" if s.vector_learning_rate is None else f"{s.vector_learning_rate:g}",
        str(s.batch),
        str(s.epochs),
        f"{s.averaging:g}",
        number(standing.mean),
        *(_cell(cells[t]) for t in tasks),
        f"{standing.seconds:.1f}",
        f"{sum(asked.shortfalls(standing).values()):.2f}",
    )


def _cell(tried: Tried) -> str:
    margin = "–" if tried.random_dev is None else f"{tried.margin:.1f}"
    fall = "–" if tried.tripled_dev is None else f"{100 * tried.fall:.2f}"
    return f"{100 * tried.dev:.2f} ± {100 * tried.sd:.2f} ({margin}, {fall})"
