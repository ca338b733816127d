"""``python -m research trials VECTORS``: the trial table behind a suite's training settings."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from tqdm import tqdm

from research.trials.grid import (
    BATCHES,
    RATES,
    VECTOR_RATES,
    Source,
    Standing,
    Trial,
    append_trial,
    choose,
    read_trials,
    run_trial,
    standings,
)
from tasks import suites
from tasks.cli.tables import number, table
from tasks.controls import random_vectors
from tasks.datasets import DataStore
from tasks.errors import UnknownName
from tasks.results import MODES, Mode
from tasks.suite import Suite

FINALISTS = 3
"""Settings tried again with three seeds."""
FINAL_SEEDS = 3
Setting = tuple[float, float | None, int]
Job = tuple[str, Mode, Setting, Source, int]


def register(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "trials",
        help="choose a suite's training settings on the baseline's dev scores",
        description="Tries rates and batches for every family and mode, and chooses the setting with the best mean "
        "dev score among those that beat random vectors. Takes hours; the same command resumes it after Ctrl-C.",
    )
    parser.add_argument("vectors", type=Path, help="the vectors of the SVD-PPMI baseline")
    parser.add_argument("--suite", choices=tuple(suites.SUITES), default="open-2026", help="default: %(default)s")
    parser.add_argument("--out", type=Path, required=True, help="CSV table of trials; an existing one is continued")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--family", help="only this family")
    parser.add_argument("--mode", choices=MODES, help="only this mode")
    parser.add_argument("--show", action="store_true", help="print the table's current standings and stop")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the trials missing from the table, step by step, and print the choice for every family and mode."""
    suite = suites.get(arguments.suite)
    families = list(dict.fromkeys(task.family.id for task in suite.extrinsic_tasks))
    if arguments.family:
        families = [family for family in families if family == arguments.family]
        if not families:
            raise UnknownName(f"no trained task of {suite.id} is of the family {arguments.family!r}")
    modes: list[Mode] = [arguments.mode] if arguments.mode else list(MODES)
    if not arguments.show:
        with tempfile.TemporaryDirectory(prefix="vecboard-") as scratch, _pool(arguments, suite, Path(scratch)) as pool:
            for mode in modes:
                for family in families:
                    _search(pool, arguments.out, suite, family, mode)
    trials = read_trials(arguments.out)
    for mode in modes:
        for family in families:
            print(_summary(trials, suite, family, mode))
    return 0


def _search(pool: ProcessPoolExecutor, out: Path, suite: Suite, family: str, mode: Mode) -> None:
    """Rates at the largest batch; smaller batches at the best two of them; the best three of all with three seeds.

    Fine-tuned mode has two rates: first all rates of the vectors at the network's best rate in fixed mode, then all
    rates of the network at the vectors' best two. Frozen random vectors are tried only at the end: there they lose.
    """
    tasks = _tasks(suite, family)
    both: tuple[Source, ...] = ("baseline", "random")
    sources = both if mode == "fine-tuned" else both[:1]

    def best(count: int) -> list[Setting]:
        found = standings(read_trials(out), family, mode, tasks, 1)
        return [standing.setting for standing in _candidates(found, sources)][:count]

    largest = max(BATCHES)
    if mode == "fixed":
        _run_jobs(pool, out, tasks, mode, [(rate, None, largest) for rate in RATES], sources, 1)
    else:
        start = choose(standings(read_trials(out), family, "fixed", tasks, FINAL_SEEDS)).setting[0]
        _run_jobs(pool, out, tasks, mode, [(start, v, largest) for v in VECTOR_RATES], sources, 1)
        vector_rates = [setting[1] for setting in best(2)]
        _run_jobs(pool, out, tasks, mode, [(r, v, largest) for v in vector_rates for r in RATES], sources, 1)
    _run_jobs(pool, out, tasks, mode, [(r, v, b) for r, v, _ in best(2) for b in BATCHES], sources, 1)
    _run_jobs(pool, out, tasks, mode, best(FINALISTS), both, FINAL_SEEDS)


def _candidates(found: list[Standing], sources: Sequence[Source]) -> list[Standing]:
    """Settings that beat random vectors everywhere (where these were tried), best mean first; then widest margin."""
    if "random" not in sources:
        return found
    valid = [standing for standing in found if standing.margin > 0]
    return valid + sorted((s for s in found if s not in valid), key=lambda standing: -standing.margin)


def _tasks(suite: Suite, family: str) -> list[str]:
    return [task.id for task in suite.extrinsic_tasks if task.family.id == family]


def _run_jobs(
    pool: ProcessPoolExecutor,
    out: Path,
    tasks: list[str],
    mode: Mode,
    settings: Iterable[Setting],
    sources: Sequence[Source],
    seeds: int,
) -> None:
    done = {(t.task, t.mode, t.setting, t.source, t.seeds) for t in read_trials(out)}
    wanted: list[Job] = [(task, mode, s, source, seeds) for s in settings for task in tasks for source in sources]
    futures = [pool.submit(_run_job, job) for job in wanted if job not in done]
    for future in tqdm(
        as_completed(futures), total=len(futures), desc=f"{'/'.join(tasks)} {mode}, {seeds} seed(s)", disable=None
    ):
        append_trial(out, future.result())
    print(f"{'/'.join(tasks)} {mode}, {seeds} seed(s): {len(futures)} trials", file=sys.stderr)


_child: dict[str, Any] = {}


def _pool(arguments: argparse.Namespace, suite: Suite, scratch: Path) -> ProcessPoolExecutor:
    from tasks.prepared import open_prepared, prepare, store

    prepared = prepare(arguments.vectors, scratch)
    baseline = open_prepared(prepared.directory, name="baseline")
    directories = {"baseline": prepared.directory, "random": store(random_vectors(baseline), scratch)}
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(arguments.workers, context, _start_child, (suite.id, directories))


def _start_child(suite_id: str, directories: dict[str, Path]) -> None:
    from tasks.prepared import open_prepared

    _child["suite"], _child["data"] = suites.get(suite_id), DataStore.default()
    _child["vectors"] = {name: open_prepared(path, name=name) for name, path in directories.items()}


def _run_job(job: Job) -> Trial:
    task, mode, setting, source, seeds = job
    suite: Suite = _child["suite"]
    return run_trial(_child["vectors"][source], source, suite, suite.task(task), mode, setting, seeds, _child["data"])


def _summary(trials: list[Trial], suite: Suite, family: str, mode: Mode) -> str:
    tasks = _tasks(suite, family)
    found = standings(trials, family, mode, tasks, FINAL_SEEDS)
    lines = [f"\n{family}, {mode} ({FINAL_SEEDS} seeds, mean dev score over {', '.join(tasks)})"]
    if not found:
        return "\n".join([*lines, "no setting has been tried with all seeds yet"])
    rows = [_row(s, tasks) for s in found]
    head = ("rate", "vectors' rate", "batch", "dev", *(f"{task} − random" for task in tasks))
    chosen = choose(found).setting
    return "\n".join([*lines, table(head, rows), f"chosen: rate {chosen[0]:g}, vectors {chosen[1]}, batch {chosen[2]}"])


def _row(standing: Standing, tasks: list[str]) -> tuple[str, ...]:
    rate, vector_rate, batch = standing.setting
    margins = (f"{100 * standing.margins.get(task, float('nan')):+.2f}" for task in tasks)
    return (
        f"{rate:g}",
        "–" if vector_rate is None else f"{vector_rate:g}",
        str(batch),
        number(standing.mean),
        *margins,
    )
