"""``python -m tasks evaluate FILE``: a complete report, without the site."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

from tasks import suites
from tasks.cells import CellProgress, OnProgress
from tasks.cli.options import Commands
from tasks.cli.progress import step_bar
from tasks.cli.tables import report_table
from tasks.evaluate import evaluate, select_cells
from tasks.prepared import open_prepared
from tasks.results import MODES, Mode, Report, TaskResult
from tasks.suite import Suite
from tasks.vector_files.prepare import prepare
from tasks.vectors import Embedding


def register(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("evaluate", help="evaluate a vector file and write its report")
    parser.add_argument("file", type=Path, help="vectors: text or word2vec binary, plain or gzipped")
    add_measurement_options(parser)
    parser.add_argument("--task", help="only these tasks (comma-separated)")
    parser.add_argument("--mode", choices=MODES, help="only this mode of the extrinsic tasks")
    parser.add_argument(
        "--run",
        dest="runs",
        type=Path,
        action="append",
        default=[],
        help="another run of the same settings, for stability; repeatable",
    )
    parser.add_argument("--name", help="name in the report (default: the file's)")
    parser.add_argument("--language", default="en", help="language of the vectors (ISO 639-1, default en)")
    parser.add_argument("--out", type=Path, help="write the report here as JSON")
    parser.set_defaults(run=run)


def add_measurement_options(parser: argparse.ArgumentParser) -> None:
    """Options of every command that evaluates."""
    parser.add_argument("--suite", default="open-2026", help="open-2026 (default), demo, veceval-2016")
    parser.add_argument("--seeds", type=int, help="number of seeds (default: the suite's)")
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    parser.add_argument("--threads", type=int, default=1, help="threads per process (default 1, as on the site)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes (default: one per core)")


def run(arguments: argparse.Namespace) -> int:
    """Evaluate; return 0 if every chosen task in this language has a score, else 1."""
    suite = suites.get(arguments.suite)
    tasks = arguments.task.split(",") if arguments.task else None
    modes = [arguments.mode] if arguments.mode else None
    select_cells(suite, tasks, modes)  # a wrong name is an error before the file is read
    with tempfile.TemporaryDirectory(prefix="vecboard-") as scratch:
        with step_bar("reading") as progress:
            prepared = prepare(arguments.file, Path(scratch), progress=progress)
        embedding = open_prepared(
            prepared.directory, name=arguments.name or arguments.file.name, language=arguments.language
        )
        runs = [prepare(path, Path(scratch)).directory for path in arguments.runs]
        report = measure(embedding, suite, arguments, tasks, modes, runs)
    if arguments.out:
        arguments.out.write_text(report.to_json(), encoding="utf-8")
    print(report_table(report))
    return int(any(suite.task(item.task).applies_to(arguments.language) for item in report.unavailable))


def measure(
    embedding: Embedding,
    suite: Suite,
    arguments: argparse.Namespace,
    tasks: Sequence[str] | None,
    modes: Sequence[Mode] | None = None,
    runs: Sequence[Path] = (),
) -> Report:
    """Evaluate with the options of :func:`add_measurement_options`, and a progress bar."""
    with progress_bar(len(select_cells(suite, tasks, modes))) as tell:
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
        )


@contextmanager
def progress_bar(cells: int) -> Iterator[OnProgress]:
    """A progress bar over cells with the current step; one line per cell if stderr is not a terminal."""
    quiet = not sys.stderr.isatty()
    form = "{l_bar}{bar}| {n}/{total} cells [{elapsed}] {postfix}"
    with tqdm(total=cells, unit="cell", bar_format=form, disable=quiet) as bar:

        def tell(event: CellProgress) -> None:
            cell = f"{event.task} {event.mode or ''}".strip()
            if event.result is None:
                bar.set_postfix_str(f"{cell}: {event.what}", refresh=False)
            else:
                bar.n += 1
                score = f"{event.result.score:.4f}" if isinstance(event.result, TaskResult) else event.result.reason
                line = f"{cell}: {score}"
                print(line, file=sys.stderr) if quiet else tqdm.write(line, file=sys.stderr)
            bar.refresh()

        yield tell
