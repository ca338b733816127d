"""``python -m tasks front FILE``: the smallest variant of a vector file that is not inferior."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from extensions.front.measure import choose
from extensions.front.measure.choose import Measured, SmallestVariant
from extensions.front.measure.device import OnDevice, on_device
from extensions.front.measure.variants import PRECISIONS, SHARES, WORDS, Chosen, original_of
from tasks import suites
from tasks.base import Task
from tasks.baseline.published import seconds_of_cells
from tasks.cli.check import FOLDER
from tasks.cli.evaluate import STATUSES, add_measurement, measure, refuse_unknown
from tasks.cli.tables import add_json, as_json, existing_vectors, positive, step_bar, table, writable
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.evaluate import select_cells
from tasks.files import packed_model, temporary_folder, whole, write_whole
from tasks.formats import ReadRequest
from tasks.formats.quantised import BITS
from tasks.formats.reading import prepare
from tasks.formats.source import MEGABYTE
from tasks.gate import MARGIN, POINTS, Gated, Verdict, check_margin, gate, in_points, sentence, worst
from tasks.prepared import open_prepared
from tasks.results import AGGREGATES
from tasks.suite import Suite
from tasks.vectors import Embedding, order_warnings
from tasks.word_list import words_for

if TYPE_CHECKING:
    from plots.chart import Chart

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
  python -m tasks front vectors.txt.gz --budget 2MB --probes-only --precision int8,int4 --plot front.svg
  python -m tasks front model/ --budget 8MB --task senti,questions --write small.zip
"""
_UNITS = {"": MEGABYTE, "kb": 1_000, "mb": MEGABYTE, "gb": 1_000 * MEGABYTE}
_PLOT_LEFT = 44
Judged = Mapping[str, tuple[Gated, list[Gated]]]
"""By content hash: the judgement on the mean, and on each probe."""


def add_front(parser: argparse.ArgumentParser) -> None:
    parser.description = "Finds the smallest variant of a vector file that is not inferior to it, within a budget."
    parser.epilog = FRONT
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("file", type=existing_vectors, metavar="FILE", help=FOLDER)
    parser.add_argument("--budget", type=_bytes, required=True, metavar="SIZE", help="such as 5MB or 800kB")
    parser.add_argument("--margin", type=float, default=MARGIN, metavar="POINTS", help="default: %(default)g point")
    parser.add_argument("--task", metavar="TASKS", help="these probes, and these trained tasks (comma-separated)")
    parser.add_argument("--probes-only", action="store_true", help="train nothing but the probes")
    of_all = "all, " + ", ".join(f"{share:g}" for share in SHARES) + " of them"
    parser.add_argument("--dimensions", type=_numbers, default=[], metavar="N,…", help=f"default: {of_all}")
    firsts = ", ".join(map(str, WORDS))
    parser.add_argument(
        "--words", type=_numbers, default=[], metavar="N,…", help=f"first words (default: all, {firsts})"
    )
    usual = ",".join(PRECISIONS)
    parser.add_argument("--precision", type=_precisions, default=[], metavar="P,…", help=f"default: {usual}")
    parser.add_argument("--language", default="en", help="language of the words, ISO 639-1 (default: %(default)s)")
    parser.add_argument("--write", type=writable, metavar="OUT", help="write the chosen variant (.npz; a model: .zip)")
    parser.add_argument("--plot", type=writable, metavar="SVG", help="draw the scores against the bytes")
    add_measurement(parser)
    add_json(parser)


def _bytes(text: str) -> int:
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([kmg]b)?", text.strip(), re.IGNORECASE)
    count = float(match[1]) * _UNITS[(match[2] or "").lower()] if match else 0
    if count < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 5MB or 800kB")
    return int(count)


def _numbers(text: str) -> list[int]:
    return list(dict.fromkeys(positive(part) for part in text.split(",")))


def _precisions(text: str) -> list[str]:
    precisions = list(dict.fromkeys(text.split(",")))
    wrong = [part for part in precisions if part not in BITS]
    if wrong:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r} is none of {', '.join(BITS)}")
    return precisions


def run_front(arguments: argparse.Namespace) -> int:
    """Measure, choose, print, write."""
    check_margin(arguments.margin)
    if arguments.plot and find_spec("plots") is None:
        message = "--plot needs the package plots, which an installed client lacks: run the command in a checkout."
        raise InputError("no-plots", message, field="plot")
    suite = suites.get(arguments.suite)
    probes, trained = _tasks(arguments, suite)
    path: Path = arguments.file
    name = path.resolve().name
    gated: dict[str, list[Gated]] = {}
    with temporary_folder() as scratch:
        with step_bar("reading") as progress:
            file = (packed_model(path, scratch) if path.is_dir() else None) or path
            prepared = prepare(ReadRequest(file, words=words_for(suite)), scratch, progress=progress)
        embedding = open_prepared(prepared.directory, name=name, language=arguments.language)
        refuse_unknown(embedding, suite, None)
        for warning in order_warnings(embedding):
            print(f"Warning: {warning.message}", file=sys.stderr)
        original = original_of(file, prepared, arguments.language)
        chosen = Chosen(arguments.words, arguments.dimensions, arguments.precision)
        with step_bar("variants") as progress:
            order = choose.sequence(original, chosen, arguments.budget, progress)
        with step_bar("probes", even=True) as progress:
            measured = list(choose.measure(original, embedding, order, suite, probes, scratch, progress))
        steps = measured if order[0].variant == original.whole else measured[1:]
        judged = {m.sha256: choose.compare(suite, m, measured[0], arguments.margin) for m in measured}
        choice = by_probes = choose.choose(steps, lambda m: judged[m.sha256][0].judgement.verdict)
        if trained is not None and choice.verdict == "not inferior":
            choice = _on_trained_tasks(arguments, suite, trained, embedding, choice, scratch, gated)
        device = {m.sha256: on_device(m.file) for m in measured}
        if arguments.write:
            with whole(arguments.write) as partial:
                shutil.copyfile(choice.chosen.file, partial)
    if arguments.plot:
        chart = chart_of(name, measured, steps, choice, arguments.margin)
        write_whole(arguments.plot, chart.file(title_above=True))
    if arguments.json:
        print(as_json(_as_json(measured, choice, judged, gated, device)))
        return STATUSES[choice.verdict]
    print(_table(measured, judged, device, by_probes, choice if gated else None))
    for cell in judged[choice.chosen.sha256][1] + gated.get(choice.chosen.sha256, []):
        print(sentence(cell, arguments.margin))
    print(f"\n{answer(choice, arguments.budget, arguments.margin, is_trained=bool(gated))}")
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
    data = DataStore.default()
    usable = [task for task in chosen if data.status(task.data).available]
    for task in chosen:
        if task not in usable:
            print(f"Left out: {task.id}, whose data is not on this machine.", file=sys.stderr)
    if not usable:
        message = f"No probe can be scored here. To list missing data: python -m tasks datasets --suite {suite.id}"
        raise InputError("no-data", message, field="task")
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

    return choose.choose(choice.accepted, verdict)


def answer(choice: SmallestVariant, budget: int, margin: float, *, is_trained: bool) -> str:
    """The choice in words."""
    chosen, points = choice.chosen, in_points(margin)
    size = f"{chosen.variant.name}: {_megabytes(chosen.bytes)} MB"
    if choice.verdict == "not inferior":
        by = "probes and trained tasks" if is_trained else "probes"
        return f"The smallest variant shown to be not inferior by {points} ({by}): {size}."
    what = f"it is inferior by more than {points}"
    if choice.verdict == "can't tell":
        what = f"these test sets can't tell whether it is inferior by {points}"
    return (
        f"Nothing within {_megabytes(budget)} MB is shown to be not inferior. The first one tested is {size}; {what}."
    )


def _megabytes(count: int) -> str:
    return f"{count / MEGABYTE:.2f}"


def _table(
    measured: Sequence[Measured],
    judged: Judged,
    device: Mapping[str, OnDevice],
    by_probes: SmallestVariant,
    trained: SmallestVariant | None,
) -> str:
    """The whole file, then the sequence; verdicts by probes and, if there was a second step, by trained tasks."""
    steps = [by_probes] if trained is None else [by_probes, trained]
    tested = [{file.sha256: verdict for file, verdict in step.tested} for step in steps]
    probes = [result.task for result in measured[0].results]
    head = ("variant", "MB", "memory MB", "look-ups / s", "lost %", *probes, "mean", "difference", "95 % bounds")
    rows = []
    for index, file in enumerate(measured):
        on, apart = device[file.sha256], judged[file.sha256][0].judgement
        memory = on["memory_bytes"]
        compared = (f"{apart.difference:+.2f}", f"{apart.lower:+.2f} {apart.upper:+.2f}") if index else ("", "")
        verdicts = [step.get(file.sha256, "not tested" if index else "") for step in tested]
        verdicts[-1] += " *" * (file is steps[-1].chosen)
        rows.append(
            (
                file.variant.name,
                _megabytes(file.bytes),
                "–" if memory is None else f"{memory / MEGABYTE:.1f}",
                f"{on['look_ups_per_second']:,.0f}",
                f"{100 * file.loss:.1f}",
                *(f"{POINTS * score:.2f}" for score in (*(result.score for result in file.results), file.score)),
                *compared,
                *verdicts,
            )
        )
    return f"{table((*head, *('by probes', 'by trained tasks')[: len(steps)]), rows)}\n"


def chart_of(
    name: str, measured: Sequence[Measured], steps: Sequence[Measured], choice: SmallestVariant, margin: float
) -> Chart:
    """Mean of the probes against bytes: the whole file, and a line through the sequence."""
    from extensions.find.measure.scatter import LinkedDot, ScatterAxis, scatter
    from plots.chart import Chart

    dots = [
        LinkedDot(
            f"{file.variant.name}: {_megabytes(file.bytes)} MB, {POINTS * file.score:.2f}",
            "",
            "best" if file is choice.chosen else "baseline" if file is measured[0] else "better",
            7 if file is choice.chosen else 5,
            "the whole file" if file is measured[0] else file.variant.name,
        )
        for file in measured
    ]
    sizes, scores = [file.bytes / MEGABYTE for file in measured], [POINTS * file.score for file in measured]
    across = ScatterAxis(sizes, lambda value: f"{value:,g}", "MB", is_logarithmic=True)
    up = ScatterAxis(scores, lambda value: f"{value:g}", "Mean of the probes, %")
    joined = [index for index, file in enumerate(measured) if file in steps]
    verdict = "can't tell whether it is inferior" if choice.verdict == "can't tell" else choice.verdict
    title = f"{choice.chosen.variant.name}: {verdict} to {name} by {in_points(margin)}"
    text = " ".join(f"{dot.title}." for dot in dots)
    return Chart("front", title, text, scatter(dots, across, up, left=_PLOT_LEFT, is_named=True, joined=joined))


def _as_json(
    measured: Sequence[Measured],
    choice: SmallestVariant,
    judged: Judged,
    gated: Mapping[str, list[Gated]],
    device: Mapping[str, OnDevice],
) -> dict[str, object]:
    tested = {file.sha256: verdict for file, verdict in choice.tested}
    variants = []
    for file in measured:
        mean, each = judged[file.sha256]
        variants.append(
            {
                **asdict(file.variant),
                "bytes": file.bytes,
                **device[file.sha256],
                "loss": file.loss,
                "sha256": file.sha256,
                "mean": asdict(mean),
                "probes": [asdict(probe) for probe in each],
                "trained": [asdict(cell) for cell in gated.get(file.sha256, [])],
                "verdict": tested.get(file.sha256),
            }
        )
    return {"verdict": choice.verdict, "chosen": choice.chosen.sha256, "variants": variants}
