"""``python -m research front``: what smaller variants of a file cost, and the front of ``python -m tasks front``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

from extensions.front.measure import choose
from extensions.front.measure.choose import Candidate, Measured
from extensions.front.measure.report import VariantFigures, megabytes, report_of
from extensions.front.measure.variants import Original, Variant, original_of
from extensions.shared.measure.vectors import NamedVectors
from research import pages
from tasks import suites
from tasks.cells import evaluate_cell
from tasks.cli.tables import add_suite, existing, step_bar
from tasks.datasets.store import DataStore
from tasks.files import temporary_folder
from tasks.formats.source import MEGABYTE
from tasks.gate import MARGIN, POINTS, in_points
from tasks.suite import Suite
from tasks.vectors import Embedding

if TYPE_CHECKING:
    from argparse import _SubParsersAction

PAGE = Path(__file__).resolve().parents[1] / "docs" / "front.md"
WORDS, BUDGET = 50_000, 5 * MEGABYTE


def register(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "front",
        help="what smaller variants of a file cost",
        description="Scores variants of a file with its first words in 8 and 4 bits and with half of its dimensions, "
        "and the front that “python -m tasks front --probes-only” finds within 5 MB. “vecboard public glove-6b-50d "
        "--save FILE” has the page's vectors.",
    )
    parser.add_argument("file", type=existing, help="vectors, most frequent word first")
    add_suite(parser)
    parser.add_argument("--name", help="name of the vectors on the page (default: the file's)")
    parser.add_argument("--trained", metavar="TASKS", help="train these too, with fixed vectors (comma-separated)")
    parser.add_argument("--write", action="store_true", help=f"write the tables into docs/{PAGE.name}")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Print the tables; write each into the page, if asked."""
    suite = suites.get(parsed.suite)
    name = parsed.name or parsed.file.name
    with temporary_folder() as scratch, threadpool_limits(limits=1):
        original, embedding = original_of(NamedVectors(name, parsed.file), suite, scratch)
        trained = parsed.trained.split(",") if parsed.trained else []
        tables: dict[str, Callable[[], str]] = {
            "variants": lambda: by_hand(name, original, embedding, suite, scratch, trained),
            "front": lambda: front(name, original, embedding, suite, scratch),
        }
        for mark, make in tables.items():
            text = make()
            print(f"{text}\n", flush=True)
            if parsed.write:
                pages.put(mark, text, PAGE)


def measured(
    original: Original, whole: Embedding, steps: Sequence[Candidate], suite: Suite, scratch: Path
) -> list[Measured]:
    """The whole file and these variants on all probes."""
    probes = choose.probes_of(suite, whole.language)
    with step_bar("probes", even=True) as progress:
        return list(choose.measure(original, whole, steps, suite, probes, MARGIN, scratch, progress))


def by_hand(
    name: str, original: Original, whole: Embedding, suite: Suite, scratch: Path, trained: Sequence[str] = ()
) -> str:
    """Scores of the whole file and of three variants: probes, and these trained tasks with fixed vectors."""
    words, width = min(WORDS, len(whole.words)), whole.dimensions
    variants = [Variant(words, width, "int8"), Variant(words, width, "int4"), Variant(words, width // 2, "int8")]
    steps = [Candidate(each, original.least_bytes(each), original.loss(each)) for each in variants]
    measurements = measured(original, whole, steps, suite, scratch)
    rows = []
    for place, each in enumerate(measurements):
        vectors = choose.opened(each.file, each.variant.name, suite, whole.language, scratch) if place else whole
        cells = [evaluate_cell(vectors, suite, suite.task(task), "fixed", data=DataStore.default()) for task in trained]
        scores = [result.score for result in (*each.results, *cells)]
        rows.append((each.variant.name, f"{each.bytes / MEGABYTE:.2f}", *(f"{POINTS * score:.1f}" for score in scores)))
    titles = [f"{suite.task(task).title}, fixed" for task in trained]
    head = ("Variant", "MB", *(task.title for task in choose.probes_of(suite, whole.language)), *titles)
    return "\n".join([f"{name}, scores in points:", "", *pages.table(head, rows)])


def front(name: str, original: Original, whole: Embedding, suite: Suite, scratch: Path) -> str:
    """The whole file and the sequence within the budget, with the verdicts."""
    probes = choose.probes_of(suite, whole.language)
    with step_bar("variants", even=True) as progress:
        variants, choice = choose.front(original, whole, BUDGET, suite, probes, MARGIN, scratch, progress)
    report = report_of(name, variants, BUDGET, MARGIN, choice)
    rows = [_row(variant, place) for place, variant in enumerate(report["variants"])]
    head = ("Variant", "MB", "mean", "difference", "95 % bounds", "verdict")
    caption = f"{name}, variants within {BUDGET / MEGABYTE:g} MB, judged by the probes; margin {in_points(MARGIN)}:"
    return "\n".join([caption, "", *pages.table(head, rows), "", report["sentence"]])


def _row(variant: VariantFigures, place: int) -> tuple[str, ...]:
    compared, mean = ("", "", ""), variant["mean"]
    if place:
        bounds = f"{mean['lower']:+.2f} to {mean['upper']:+.2f}"
        compared = (f"{mean['difference']:+.2f}", bounds, variant["verdict"] or "not tested")
    return (variant["name"], megabytes(variant["bytes"]), f"{mean['new']:.2f}", *compared)
