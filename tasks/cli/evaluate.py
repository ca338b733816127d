"""``python -m tasks evaluate FILE``: a complete report, without the site."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from tasks import suites
from tasks.baseline.published import seconds_of_cells
from tasks.cells import Cell, CellProgress, OnProgress
from tasks.cli.check import VECTORS
from tasks.cli.tables import CORES, add_suite, existing, positive, report_table, step_bar, table, writable
from tasks.coverage import NOTHING_KNOWN, coverage_warnings
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.evaluate import FinishedCells, environment, evaluate, over_seeds, select_cells
from tasks.files import is_plain, temporary_folder, write_whole
from tasks.formats import ReadRequest
from tasks.formats.reading import prepare
from tasks.gate import MARGIN, Gated, Verdict, check_margin, gate, in_points, is_futile, junit, worst
from tasks.prepared import open_prepared
from tasks.processes import resolve_device
from tasks.report import assemble
from tasks.results import AGGREGATES, MODES, OUTCOMES, CellResult, Mode, Report, cell_key
from tasks.suite import Suite
from tasks.suites import SUITES
from tasks.vectors import Embedding
from tasks.word_list import words_for

STATUSES: dict[Verdict, int] = {"not inferior": 0, "inferior": 1, "can't tell": 3}
"""Exit status of the gate."""
LEAST_SECONDS = 0.1
"""Least share of a cell in the progress bar."""


EVALUATE = """\
It takes minutes: about five for 36,000 words of 100 dimensions on two cores, more for more dimensions or fewer cores.

Exit status: 0 every task has a score, or has none because of the vectors or their language (reason in the report);
1 a data set is missing or damaged; 2 an argument or the file is wrong, or the file has none of the words of the suite.

With --not-inferior-to, the exit status is that of the gate: 0 not inferior; 1 inferior by more than the margin; 3 can't
tell with these test sets; 2 a compared score is missing. The gate compares the overall mean of error reductions or,
with --task, the scores of those tasks, by one-sided 95 % bounds. It reads the outcomes of the earlier report, which
--out wrote into a file with the suffix .npz next to it. With --early, it trains only the compared cells, seed by seed,
and stops when the verdict is clear or out of reach; no report is written.

With --out, finished cells are kept in a folder next to the report until it is written: after Ctrl-C or a crash, the
same command with --resume measures the rest.

Examples:
  python -m tasks evaluate vectors.txt.gz --out report.json
  python -m tasks evaluate vectors.txt.gz --out report.json --resume
  python -m tasks evaluate vectors.txt.gz --task pos,ner --mode fixed --seeds 1
  python -m tasks evaluate new.txt.gz --task questions,sentiment --not-inferior-to report.json --junit gate.xml
  python -m tasks evaluate first.txt.gz --run second.txt.gz --run third.txt.gz --task stability
"""


def add_measurement(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that evaluates."""
    add_suite(parser, f"{', '.join(SUITES)} (default: %(default)s)")
    parser.add_argument("--seeds", type=positive, help="number of seeds (default: the suite's)")
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    parser.add_argument(
        "--threads", type=positive, default=1, help="threads per process (default %(default)s, as on the site)"
    )
    parser.add_argument("--workers", type=positive, default=CORES, help="processes (default: one per core)")


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    parser.description = "Measures a vector file on every task of a suite and prints the report."
    parser.epilog = EVALUATE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("file", type=existing, help=VECTORS)
    add_measurement(parser)
    parser.add_argument("--task", help="only these tasks (comma-separated)")
    parser.add_argument("--mode", choices=MODES, help="only this mode of the extrinsic tasks")
    parser.add_argument(
        "--run",
        dest="runs",
        type=existing,
        action="append",
        default=[],
        metavar="FILE",
        help="another run of the same settings, for stability; repeatable",
    )
    parser.add_argument("--name", help="name in the report (default: the file's)")
    parser.add_argument("--language", default="en", help="language of the vectors (ISO 639-1, default %(default)s)")
    parser.add_argument(
        "--out", type=writable, metavar="FILE", help="write the report here as JSON, and outcomes next to it"
    )
    group = parser.add_argument_group("gate, for continuous integration")
    group.add_argument(
        "--not-inferior-to", metavar="REPORT", help="fail if worse than this report written by --out by the margin"
    )
    group.add_argument("--margin", type=float, default=MARGIN, metavar="POINTS", help="default: %(default)g point")
    group.add_argument("--junit", type=writable, metavar="FILE", help="also write the verdicts as JUnit XML")
    parser.add_argument("--early", action="store_true", help="gate: train seed by seed, and stop at a verdict")
    parser.add_argument("--resume", action="store_true", help="reuse the results of an interrupted run with this --out")


def run_evaluate(arguments: argparse.Namespace) -> int:
    """Evaluate; return 1 if a task has no score for lack of data, else 0."""
    suite = suites.get(arguments.suite)
    tasks = arguments.task.split(",") if arguments.task else None
    modes = [arguments.mode] if arguments.mode else None
    select_cells(suite, tasks, modes)  # reject a wrong name or device before reading the file
    resolve_device(arguments.device)
    earlier = earlier_report(arguments)
    if earlier is not None:
        gate(suite, earlier, earlier, tasks, arguments.margin)  # refuse before minutes of measurement
    if arguments.out and arguments.out.suffix == OUTCOMES:
        message = f"{arguments.out} is the name of a file of outcomes. Give the report another suffix, such as .json."
        raise InputError("out", message, field="out")
    if arguments.early and (earlier is None or arguments.out or arguments.runs):
        message = "--early is for one verdict: name --not-inferior-to, and neither --out nor --run."
        raise InputError("early", message, field="early")
    if arguments.resume and not arguments.out:
        raise InputError(
            "resume-needs-out", "--resume needs the --out of the run that was interrupted.", field="resume"
        )
    with temporary_folder() as scratch:
        with step_bar("reading") as progress:
            prepared = prepare(ReadRequest(arguments.file, words=words_for(suite)), scratch, progress=progress)
        embedding = open_prepared(
            prepared.directory, name=arguments.name or arguments.file.name, language=arguments.language
        )
        refuse_unknown(embedding, suite, tasks)
        if arguments.early and earlier is not None and embedding.sha256 != earlier.vectors["sha256"]:
            return show_gate(gate_early(embedding, suite, arguments, earlier, tasks, modes), arguments)
        runs = [prepare(ReadRequest(path, words=words_for(suite)), scratch) for path in arguments.runs]
        directories = [run.directory for run in runs]
        if arguments.out and is_plain(arguments.out):
            store = FinishedCells(
                arguments.out.with_name(f"{arguments.out.name}.cells"), suite, DataStore.default(),
                [embedding.sha256, embedding.language, *(run.sha256 for run in runs)], arguments.seeds,
                environment(resolve_device(arguments.device), arguments.threads),
            )  # fmt: skip
            report = measure_resumably(store, embedding, suite, arguments, tasks, modes, directories)
        else:
            report = measure(embedding, suite, arguments, tasks, modes, directories)
            if arguments.out:  # a device or pipe, which has no folder for outcomes
                write_whole(arguments.out, report.to_json())
    if earlier is not None:
        gated = gate(suite, report, earlier, tasks, arguments.margin)
    why = not_applicable(suite, report, runs=bool(runs))
    print(report_table(report, why))
    if earlier is not None:
        return show_gate(gated, arguments)
    return int(any(item.lacks_data for item in report.unavailable))


def earlier_report(arguments: argparse.Namespace) -> Report | None:
    """The report of ``--not-inferior-to``, read before anything is measured; None without one.

    Raises
    ------
    InputError
        it isn't a report, or the options of the gate are unusable.
    """
    if arguments.not_inferior_to is None:
        if arguments.junit:
            raise InputError("junit", "--junit writes the gate's verdicts: name --not-inferior-to too.", field="junit")
        return None
    check_margin(arguments.margin)
    return read_report(Path(arguments.not_inferior_to), field="not-inferior-to")


def read_report(path: Path, *, field: str) -> Report:
    """A report that ``--out`` wrote, with its outcomes.

    Raises
    ------
    InputError
        it isn't one.
    """
    try:
        return Report.read(path)
    except (OSError, ValueError) as error:
        message = f"{path} is not a report that “evaluate --out” wrote ({type(error).__name__})."
        raise InputError("no-report", message, field=field) from None


def show_gate(gated: Sequence[Gated], arguments: argparse.Namespace) -> int:
    """Print the verdicts, write JUnit XML if asked, and return the exit status."""
    head = ("gate", "new", "earlier", "difference", "95 % bounds", "verdict")
    rows = []
    for cell in gated:
        judged = cell.judgement
        remark = f" ({judged.remark})" if judged.remark else ""
        scores = (f"{cell.new:.2f}", f"{cell.old:.2f}", f"{judged.difference:+.2f}")
        rows.append((cell.column, *scores, f"{judged.lower:+.2f} {judged.upper:+.2f}", f"{judged.verdict}{remark}"))
    print(f"\n{table(head, rows)}\nmargin: {in_points(arguments.margin)}; each bound is one-sided")
    if arguments.junit:
        write_whole(arguments.junit, junit(gated, arguments.margin, str(arguments.not_inferior_to)))
    return STATUSES[worst(gated)]


def gate_early(
    embedding: Embedding,
    suite: Suite,
    arguments: argparse.Namespace,
    earlier: Report,
    tasks: Sequence[str] | None,
    modes: Sequence[Mode] | None,
) -> list[Gated]:
    """Train the compared cells seed by seed until the verdict is clear, or out of reach (docs/protocol.md §8.9)."""
    planned = arguments.seeds or suite.seeds
    cells = suite.cells_of_mean(AGGREGATES["overall"], embedding.language)
    compared = tasks or list(dict.fromkeys(task.id for task, _ in cells))
    of_seeds: dict[Cell, list[CellResult]] = {}
    finished: dict[Cell, CellResult] = {}
    gated: list[Gated] = []
    for seed in range(planned):
        part = measure(embedding, suite, arguments, compared, modes, earlier=list(finished.values()), seed=seed)
        for result in part.results:
            if (cell := (result.task, result.mode)) not in finished:
                of_seeds.setdefault(cell, []).append(result)
        results = {cell: over_seeds(alone) for cell, alone in of_seeds.items()}
        report = assemble(suite, part.vectors, list(results.values()), part.unavailable, part.environment)
        gated = gate(suite, report, earlier, tasks, arguments.margin, planned)
        if worst(gated) != "can't tell" or is_futile(gated):
            break
        passed = {column.column for column in gated if column.judgement.verdict == "not inferior"}
        finished = {cell: result for cell, result in results.items() if cell[1] is None or cell_key(*cell) in passed}
    print(f"{seed + 1} of {planned} seeds trained")
    return gated


def measure_resumably(
    store: FinishedCells,
    embedding: Embedding,
    suite: Suite,
    arguments: argparse.Namespace,
    tasks: Sequence[str] | None,
    modes: Sequence[Mode] | None,
    runs: Sequence[Path],
) -> Report:
    """Measure, store every finished cell, and write the report; with ``--resume``, measure only unfinished cells."""
    finished = store.among(select_cells(suite, tasks, modes))
    if finished and not arguments.resume:
        print(f"{store.folder} has {len(finished)} finished cells; --resume would reuse them.", file=sys.stderr)
        finished = []
    try:
        report = measure(embedding, suite, arguments, tasks, modes, runs, earlier=finished, keep=store.keep)
    except KeyboardInterrupt:
        print(f"Finished cells are in {store.folder}; the same command with --resume continues.", file=sys.stderr)
        raise
    report.write(arguments.out)
    store.forget()
    return report


def refuse_unknown(embedding: Embedding, suite: Suite, tasks: Sequence[str] | None) -> None:
    """Reject vectors without any word of the suite: their scores would be those of unknown words.

    Raises
    ------
    InputError
        neither the chosen tasks nor the others have a word in the vocabulary.
    """
    chosen = suite if tasks is None else replace(suite, tasks=tuple(map(suite.task, tasks)))
    warnings = coverage_warnings(embedding, chosen, DataStore.default())
    if tasks is not None and any(warning.code == NOTHING_KNOWN for warning in warnings):
        warnings = coverage_warnings(embedding, suite, DataStore.default())
    for warning in warnings:
        if warning.code == NOTHING_KNOWN:
            raise InputError(warning.code, warning.message)


def not_applicable(suite: Suite, report: Report, *, runs: bool) -> dict[str, str]:
    """Tasks that do not apply to these vectors, with their requirement."""
    needs = {}
    for task in (suite.task(item.task) for item in report.unavailable):
        if not task.applies_to(report.vectors["language"]):
            needs[task.id] = "words in other languages"
        elif task.family.needs_runs and not runs:
            needs[task.id] = "several runs: --run"
        elif task.family.needs_tags:
            needs[task.id] = "a tagged corpus: python -m tasks tag"
    return needs


def measure(
    embedding: Embedding,
    suite: Suite,
    arguments: argparse.Namespace,
    tasks: Sequence[str] | None,
    modes: Sequence[Mode] | None = None,
    runs: Sequence[Path] = (),
    earlier: Sequence[CellResult] = (),
    seed: int | None = None,
    keep: Callable[[CellResult], None] = lambda result: None,
) -> Report:
    """Evaluate with the options of :func:`add_measurement` and a progress bar; ``keep`` receives every result.

    ``seed``: train this one alone.
    """
    measured = {(result.task, result.mode) for result in earlier}
    cells = [cell for cell in select_cells(suite, tasks, modes) if cell not in measured]
    with progress_bar(embedding, suite, cells) as show:

        def tell(event: CellProgress) -> None:
            if isinstance(event.result, CellResult):
                keep(event.result)
            show(event)

        return evaluate(
            embedding,
            suite,
            tasks=tasks,
            modes=modes,
            seeds=arguments.seeds if seed is None else 1,
            first_seed=seed or 0,
            device=arguments.device,
            threads=arguments.threads,
            workers=arguments.workers,
            on_progress=tell,
            runs=runs,
            earlier=earlier,
        )


@contextmanager
def progress_bar(embedding: Embedding, suite: Suite, cells: Sequence[Cell]) -> Iterator[OnProgress]:
    """A bar over the expected seconds of cells, with the time left and the current step.

    One line per cell if stderr is not a terminal.
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
                score = f"{event.result.score:.4f}" if isinstance(event.result, CellResult) else event.result.reason
                line = f"{cell}: {score}"
                print(line, file=sys.stderr) if quiet else tqdm.write(line, file=sys.stderr)
            bar.refresh()

        yield tell
