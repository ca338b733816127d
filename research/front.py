"""``python -m research front``: what smaller variants of a file cost, and the front of ``python -m tasks front``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

from extensions.front.command import answer
from extensions.front.measure import choose
from extensions.front.measure.choose import Candidate, Measured, SmallestVariant
from extensions.front.measure.variants import Chosen, Original, Variant, original_of
from research import pages
from tasks import suites
from tasks.cells import evaluate_cell
from tasks.cli.tables import add_suite, existing, step_bar
from tasks.datasets.store import DataStore
from tasks.files import temporary_folder
from tasks.formats import ReadRequest
from tasks.formats.reading import prepare
from tasks.formats.source import MEGABYTE
from tasks.gate import MARGIN, POINTS, Judgement, in_points
from tasks.prepared import open_prepared
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
        prepared = prepare(ReadRequest(parsed.file), scratch)
        embedding = open_prepared(prepared.directory, name=name)
        original = original_of(parsed.file, prepared, embedding.language)
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
        return list(choose.measure(original, whole, steps, suite, probes, scratch, progress))


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
    steps = choose.sequence(original, Chosen(), BUDGET)
    measurements = measured(original, whole, steps, suite, scratch)
    judged = [choose.compare(suite, each, measurements[0], MARGIN)[0].judgement for each in measurements]
    verdicts = {each.sha256: judgement.verdict for each, judgement in zip(measurements, judged, strict=True)}
    choice = choose.choose(measurements[1:], lambda each: verdicts[each.sha256])
    pairs = zip(measurements, judged, strict=True)
    rows = [_row(variant, judgement, choice, place) for place, (variant, judgement) in enumerate(pairs)]
    head = ("Variant", "MB", "mean", "difference", "95 % bounds", "verdict")
    caption = f"{name}, variants within {BUDGET / MEGABYTE:g} MB, judged by the probes; margin {in_points(MARGIN)}:"
    answered = answer(choice, BUDGET, MARGIN, is_trained=False)
    return "\n".join([caption, "", *pages.table(head, rows), "", answered])


def _row(variant: Measured, apart: Judgement, choice: SmallestVariant, place: int) -> tuple[str, ...]:
    tested = {step.sha256: verdict for step, verdict in choice.tested}
    compared = ("", "", "")
    if place:
        bounds = f"{apart.lower:+.2f} to {apart.upper:+.2f}"
        compared = (f"{apart.difference:+.2f}", bounds, tested.get(variant.sha256, "not tested"))
    return (
        variant.variant.name,
        f"{variant.bytes / MEGABYTE:.2f}",
        f"{POINTS * variant.score:.2f}",
        *compared,
    )
