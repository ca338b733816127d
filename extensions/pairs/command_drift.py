"""``drift``: words that changed between two vector files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import asdict

from extensions.pairs.measure.drift import Changed, Drift, Floor, drift
from extensions.shared.measure.cues import parse_cues
from extensions.shared.measure.vectors import read_for
from tasks.cli.tables import add_json, as_json, ends, existing, number, table
from tasks.suites import DEFAULT, get
from tasks.vectors import order_warnings

NOT_ALIGNED = "The files have different dimensions, so they cannot be aligned: only neighbours are compared."


def add_drift(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Aligns two vector files of equal dimensions by a rotation (orthogonal Procrustes on their common "
        "words) and prints the words whose vectors changed most, with intervals; also the share "
        "of their nearest words that changed, which needs neither alignment nor equal dimensions (Gonen et al. 2020)."
    )
    parser.add_argument("a", type=existing, help="vector file")
    parser.add_argument("b", type=existing, help="vector file")
    parser.add_argument("--words", help="also print these words, separated by commas or blanks")
    parser.add_argument("--floor", type=existing, metavar="FILE", help="another run on A's corpus, for the noise")
    add_json(parser)


def run_drift(arguments: argparse.Namespace) -> int:
    """Print the words that changed most."""
    suite = get(DEFAULT)
    left, right = read_for(suite, arguments.a), read_for(suite, arguments.b)
    runs = None if arguments.floor is None else (left, read_for(suite, arguments.floor))
    changes = drift(left, right, parse_cues(arguments.words) if arguments.words else (), runs)
    for warning in order_warnings(left) if changes.asked < changes.common else ():
        print(f"Warning: {warning.message}", file=sys.stderr)
    print(as_json(asdict(changes)) if arguments.json else drift_table(changes))
    return 0


OVER_TRAININGS = "Intervals: over the words that fix the alignment, and over trainings, from the two runs."
OVER_ANCHORS = "Intervals: over the words that fix the alignment only, not over trainings; for those, give --floor."


def drift_table(changes: Drift) -> str:
    """Tables for a terminal."""
    first = f"{changes.common:,} common words, the first {changes.asked:,} asked about; median change "
    if changes.median is None:
        parts = [f"{first}of neighbours {changes.median_neighbours:.3f}", NOT_ALIGNED]
    else:
        parts = [f"{first}{changes.median:.3f}, of neighbours {changes.median_neighbours:.3f}"]
        parts.append(OVER_TRAININGS if changes.over_trainings else OVER_ANCHORS)
    if changes.floor is not None:
        parts.append(_floor(changes.floor))
    if changes.most:
        parts.append("Changed most, after alignment\n" + _changed_words(changes.most))
    parts.append("Changed most, by neighbours\n" + _changed_words(changes.most_by_neighbours))
    if changes.words:
        parts.append("Asked for\n" + _changed_words(changes.words))
    return "\n\n".join(parts)


def _floor(floor: Floor) -> str:
    rows = [("by neighbours", number(floor.neighbours, 3), _percent(floor.above_neighbours))]
    if floor.change is not None:
        rows.insert(0, ("after alignment", number(floor.change, 3), _percent(floor.above)))
    head = ("between two runs on one corpus, 95 % of the words change", "less than", "here, more do")
    return table(head, rows)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def _changed_words(words: Mapping[str, Changed | None]) -> str:
    rows = []
    for word, change in words.items():
        size, interval, neighbours = (change.change, change.interval, change.neighbours) if change else (None,) * 3
        rows.append((word, number(size, 3), *ends(interval, 3), number(neighbours, 3)))
    return table(("word", "change", "95 % from", "to", "neighbours changed"), rows)
