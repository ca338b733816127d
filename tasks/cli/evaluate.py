"""``python -m tasks evaluate FILE``: a complete report, without the site."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from tasks import suites
from tasks.baseline.costs import seconds_of_cells
from tasks.cells import Cell, CellProgress, OnProgress
from tasks.cli.progress import step_bar
from tasks.cli.tables import report_table
from tasks.coverage import NOTHING_KNOWN, coverage_warnings
from tasks.datasets.store import DataStore
from tasks.devices import resolve_device
from tasks.errors import InputError
from tasks.evaluate import environment, evaluate, select_cells
from tasks.files import whole
from tasks.finished_cells import FinishedCells
from tasks.formats import ReadRequest
from tasks.formats.reading import prepare
from tasks.prepared import open_prepared
from tasks.results import Mode, Report, TaskResult
from tasks.suite import Suite
from tasks.vectors import Embedding
from tasks.word_list import words_for

LEAST_SECONDS = 0.1
"""Of a cell on the bar: every one moves it."""


def run(arguments: argparse.Namespace) -> int:
    """Evaluate; return 1 if a task has no score for want of data, else 0.

    Raises
    ------
    InputError
        the file has no word of any data set of the suite.
    """
    suite = suites.get(arguments.suite)
    tasks = arguments.task.split(",") if arguments.task else None
    modes = [arguments.mode] if arguments.mode else None
    select_cells(suite, tasks, modes)  # a wrong name or device is an error before the file is read
    resolve_device(arguments.device)
    if arguments.resume and not arguments.out:
        raise InputError(
            "resume-needs-out", "--resume needs the --out of the run that was interrupted.", field="resume"
        )
    with tempfile.TemporaryDirectory(prefix="vecboard-") as scratch:
        with step_bar("reading") as progress:
            prepared = prepare(ReadRequest(arguments.file, words=words_for(suite)), Path(scratch), progress=progress)
        embedding = open_prepared(
            prepared.directory, name=arguments.name or arguments.file.name, language=arguments.language
        )
        refuse_unknown(embedding, suite, tasks)
        runs = [prepare(ReadRequest(path, words=words_for(suite)), Path(scratch)) for path in arguments.runs]
        directories = [run.directory for run in runs]
        if arguments.out and (arguments.out.is_file() or not arguments.out.exists()):
            kept = FinishedCells(
                arguments.out.with_name(f"{arguments.out.name}.cells"), suite, DataStore.default(),
                [embedding.sha256, embedding.language, *(run.sha256 for run in runs)], arguments.seeds,
                environment(resolve_device(arguments.device), arguments.threads),
            )  # fmt: skip
            report = keeping(kept, embedding, suite, arguments, tasks, modes, directories)
        else:
            report = measure(embedding, suite, arguments, tasks, modes, directories)
            if arguments.out:  # a device or a pipe: nothing can stand beside it, and nothing may take its place
                arguments.out.write_text(report.to_json(), encoding="utf-8")
    why = not_applicable(suite, report, runs=bool(runs))
    print(report_table(report, why))
    return int(any(item.lacks_data for item in report.unavailable))


def keeping(
    kept: FinishedCells,
    embedding: Embedding,
    suite: Suite,
    arguments: argparse.Namespace,
    tasks: Sequence[str] | None,
    modes: Sequence[Mode] | None,
    runs: Sequence[Path],
) -> Report:
    """Measure, keep every finished cell, and write the report; with ``--resume``, only what was not finished before."""
    finished = kept.known(select_cells(suite, tasks, modes))
    if finished and not arguments.resume:
        print(f"{kept.folder} has {len(finished)} finished cells; --resume would reuse them.", file=sys.stderr)
        finished = []
    try:
        report = measure(embedding, suite, arguments, tasks, modes, runs, known=finished, keep=kept.keep)
    except KeyboardInterrupt:
        print(f"Finished cells are in {kept.folder}; the same command with --resume continues.", file=sys.stderr)
        raise
    with whole(arguments.out) as partial:
        partial.write_text(report.to_json(), encoding="utf-8")
    kept.forget()
    return report


def refuse_unknown(embedding: Embedding, suite: Suite, tasks: Sequence[str] | None) -> None:
    """
    Raises
    ------
    InputError
        none of the suite's words is in the vectors, so that every score would be one of unknown words alone. The other
        tasks are asked only if no word of the chosen ones is known.
    """
    chosen = suite if tasks is None else replace(suite, tasks=tuple(map(suite.task, tasks)))
    warnings = coverage_warnings(embedding, chosen, DataStore.default())
    if tasks is not None and any(warning.code == NOTHING_KNOWN for warning in warnings):
        warnings = coverage_warnings(embedding, suite, DataStore.default())
    for warning in warnings:
        if warning.code == NOTHING_KNOWN:
            raise InputError(warning.code, warning.message)


def not_applicable(suite: Suite, report: Report, *, runs: bool) -> dict[str, str]:
    """Tasks without a score that are not for these vectors, with what the vectors would need."""
    found = {}
    for task in (suite.task(item.task) for item in report.unavailable):
        if not task.applies_to(report.vectors["language"]):
            found[task.id] = "words in other languages"
        elif task.family.needs_runs and not runs:
            found[task.id] = "several runs: --run"
        elif task.family.needs_tags:
            found[task.id] = "a tagged corpus: python -m tasks tag"
    return found


def measure(
    embedding: Embedding,
    suite: Suite,
    arguments: argparse.Namespace,
    tasks: Sequence[str] | None,
    modes: Sequence[Mode] | None = None,
    runs: Sequence[Path] = (),
    known: Sequence[TaskResult] = (),
    keep: Callable[[TaskResult], None] = lambda result: None,
) -> Report:
    """Evaluate with the options of every command that evaluates, and a progress bar; ``keep`` gets every result."""
    measured = {(result.task, result.mode) for result in known}
    cells = [cell for cell in select_cells(suite, tasks, modes) if cell not in measured]
    with progress_bar(embedding, suite, cells) as show:

        def tell(event: CellProgress) -> None:
            if isinstance(event.result, TaskResult):
                keep(event.result)
            show(event)

        return evaluate(
            embedding,
            suite,
            tasks=tasks,
            modes=modes,
            seeds=arguments.seeds,
            device=arguments.device,
            threads=arguments.threads,
            workers=arguments.workers,
            on_progress=tell,
            runs=runs,
            known=known,
        )


@contextmanager
def progress_bar(embedding: Embedding, suite: Suite, cells: Sequence[Cell]) -> Iterator[OnProgress]:
    """A bar over the seconds that cells are expected to take, with the time left and the current step.

    If stderr is not a terminal, one line per cell.
    """
    quiet = not sys.stderr.isatty()
    usual = seconds_of_cells(suite, embedding.dimensions, len(embedding.words))
    expected = {cell: max(usual.get(cell, LEAST_SECONDS), LEAST_SECONDS) for cell in cells}
    shares = dict.fromkeys(cells, 0.0)
    form = "{l_bar}{bar}| [{elapsed}, {remaining} left] {postfix}"
    with tqdm(total=sum(expected.values()), bar_format=form, disable=quiet) as bar:

        def tell(event: CellProgress) -> None:
            cell = f"{event.task} {event.mode or ''}".strip()
            shares[event.task, event.mode] = 1.0 if event.result is not None else event.share
            bar.n = sum(share * expected[of] for of, share in shares.items())
            if event.result is None:
                bar.set_postfix_str(f"{cell}: {event.what}", refresh=False)
            else:
                score = f"{event.result.score:.4f}" if isinstance(event.result, TaskResult) else event.result.reason
                line = f"{cell}: {score}"
                print(line, file=sys.stderr) if quiet else tqdm.write(line, file=sys.stderr)
            bar.refresh()

        yield tell
