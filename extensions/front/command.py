"""``python -m tasks front FILE``: the smallest variant of a vector file that is not inferior."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from extensions.front.measure import choose
from extensions.front.measure.choose import Measured, SmallestVariant
from extensions.front.measure.report import report_of, rows_of
from extensions.front.measure.variants import original_of, warnings_of
from extensions.shared.measure.vectors import NamedVectors
from tasks import suites
from tasks.base import Task
from tasks.baseline.published import seconds_of_cells
from tasks.cli.check import FOLDER
from tasks.cli.evaluate import STATUSES, add_measurement, measure, refuse_unknown
from tasks.cli.tables import add_json, as_json, existing_vectors, step_bar, table, writable
from tasks.errors import InputError
from tasks.evaluate import select_cells
from tasks.files import temporary_folder, whole
from tasks.formats.source import MEGABYTE
from tasks.gate import MARGIN, Gated, Verdict, check_margin, gate, sentence, worst
from tasks.results import AGGREGATES
from tasks.suite import Suite
from tasks.vectors import Embedding

FRONT = """\
Variants have fewer words (the file's first ones), fewer dimensions (by principal axes, or cut where a token model
declares it) and numbers of 16, 8 or 4 bits. Each is written, and what a site would read from it is measured: first by
probes, classifiers on mean vectors; then, among those accepted, by the suite's trained tasks. Missing words count as
errors.

The answer is the smallest variant within the budget that is not inferior to the whole file by more than the margin. The
order of the tests, from the largest variant down, is fixed before anything is scored, by what each variant loses of the
vectors; they stop at the first one that isn't shown to be not inferior. Exit status: 0 not inferior; 1 the first one
tested is inferior; 3 can't tell; 2 an argument or the file is wrong.

Examples:
  python -m tasks front vectors.txt.gz --budget 5MB --write small.npz
  python -m tasks front vectors.txt.gz --budget 2MB --probes-only
  python -m tasks front model/ --budget 8MB --task senti,questions --write small.zip
"""
_UNITS = {"": MEGABYTE, "kb": 1_000, "mb": MEGABYTE, "gb": 1_000 * MEGABYTE}


def add_front(parser: argparse.ArgumentParser) -> None:
    parser.description = "Finds the smallest variant of a vector file that is not inferior to it, within a budget."
    parser.epilog = FRONT
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("file", type=existing_vectors, metavar="FILE", help=FOLDER)
    parser.add_argument("--budget", type=_bytes, required=True, metavar="SIZE", help="such as 5MB or 800kB")
    parser.add_argument("--margin", type=float, default=MARGIN, metavar="POINTS", help="default: %(default)g point")
    parser.add_argument("--task", metavar="TASKS", help="these probes, and these trained tasks (comma-separated)")
    parser.add_argument("--probes-only", action="store_true", help="train nothing but the probes")
    parser.add_argument("--language", default="en", help="language of the words, ISO 639-1 (default: %(default)s)")
    parser.add_argument("--write", type=writable, metavar="OUT", help="write the chosen variant (.npz; a model: .zip)")
    add_measurement(parser)
    add_json(parser)


def _bytes(text: str) -> int:
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([kmg]b)?", text.strip(), re.IGNORECASE)
    count = float(match[1]) * _UNITS[(match[2] or "").lower()] if match else 0
    if count < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 5MB or 800kB")
    return int(count)


def run_front(arguments: argparse.Namespace) -> int:
    """Measure, choose, print, write."""
    check_margin(arguments.margin)
    suite = suites.get(arguments.suite)
    probes, trained = _tasks(arguments, suite)
    path: Path = arguments.file
    name = path.resolve().name
    gated: dict[str, list[Gated]] = {}
    with temporary_folder() as scratch:
        with step_bar("reading") as progress:
            vectors = NamedVectors(name, path, arguments.language)
            original, embedding = original_of(vectors, suite, scratch, progress)
        refuse_unknown(embedding, suite, None)
        for warning in (warnings := warnings_of(original, embedding)):
            print(f"Warning: {warning}", file=sys.stderr)
        budget, margin = arguments.budget, arguments.margin
        with step_bar("variants", even=True) as progress:
            about = original, embedding, budget, suite, probes, margin, scratch, progress
            measured, choice = choose.front(*about, keeps_accepted=trained is not None)
        if trained is not None and choice.verdict == "not inferior":
            choice = _on_trained_tasks(arguments, suite, trained, embedding, choice, scratch, gated)
        report = report_of(name, measured, budget, margin, choice, warnings, gated)
        if arguments.write:
            with whole(arguments.write) as partial:
                shutil.copyfile(choice.chosen.file, partial)
    if arguments.json:
        print(as_json(report))
        return STATUSES[choice.verdict]
    head, *rows = rows_of(report)
    print(f"{table(head, rows)}\n")
    for cell in (*choice.chosen.probes, *gated.get(choice.chosen.sha256, [])):
        print(sentence(cell, margin))
    print(f"\n{report['sentence']}")
    if arguments.write:
        print(f"Written to {arguments.write}.")
    return STATUSES[choice.verdict]


def _tasks(arguments: argparse.Namespace, suite: Suite) -> tuple[list[Task], list[str] | None]:
    """The probes, and the tasks to train (empty: those of the overall mean; None: none)."""
    offered = choose.probes_of(suite, arguments.language)
    requested = arguments.task.split(",") if arguments.task else []
    trained = [suite.task(name).id for name in requested if name not in {task.id for task in offered}]
    if trained and arguments.probes_only:
        raise InputError("task", f"{trained[0]} isn't a probe: leave out it or --probes-only.", field="task")
    chosen = [task for task in offered if task.id in requested] or offered
    usable = choose.here(chosen)
    for task in chosen:
        if task not in usable:
            print(f"Left out: {task.id}, whose data is not on this machine.", file=sys.stderr)
    return usable, None if arguments.probes_only or (requested and not trained) else trained


def _on_trained_tasks(
    arguments: argparse.Namespace,
    suite: Suite,
    tasks: Sequence[str],
    embedding: Embedding,
    choice: SmallestVariant,
    scratch: Path,
    gated: dict[str, list[Gated]],
) -> SmallestVariant:
    """Test the accepted variants again, in the same order, by the tasks or by the overall mean of error reductions.

    Parameters
    ----------
    gated : receives the judgements by content hash.
    """
    of_mean = suite.cells_of_mean(AGGREGATES["overall"], arguments.language)
    measured = list(tasks) or list(dict.fromkeys(task.id for task, _ in of_mean))
    usual = seconds_of_cells(suite, embedding.dimensions, len(embedding.words))
    minutes = sum(usual.get(cell, 0.0) for cell in select_cells(suite, measured)) / arguments.workers / 60
    most = f"the whole file and at most {len(choice.accepted)} variants"
    print(f"Trained tasks: {most}; minutes for each: about {max(minutes, 1):.0f}.", file=sys.stderr)
    old = measure(embedding, suite, arguments, measured)

    def verdict(step: Measured) -> Verdict:
        print(f"Trained tasks: {step.variant.name}", file=sys.stderr)
        new = old
        if step.sha256 != embedding.sha256:
            variant = choose.opened(step.file, step.variant.name, suite, arguments.language, scratch)
            new = measure(variant, suite, arguments, measured)
        gated[step.sha256] = gate(suite, new, old, tasks or None, arguments.margin)
        return worst(gated[step.sha256])

    again = choose.choose(choice.accepted, verdict)
    return replace(again, tested=[*choice.tested, *again.tested])
