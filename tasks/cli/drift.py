"""``python -m tasks drift A B``: which words changed between two corpora or periods?"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict

from tasks.associations.drift import Changed, Drift, Floor, drift
from tasks.cli.tables import as_json, number, table
from tasks.formats import ReadRequest, read
from tasks.political.cues import parse_cues
from tasks.suites import DEFAULT, get
from tasks.word_list import words_for

NOT_ALIGNED = "The files have different dimensions, so they cannot be aligned: only neighbours are compared."


def run(arguments: argparse.Namespace) -> int:
    """Print the words that changed most."""
    words = words_for(get(DEFAULT))
    left, right = read(ReadRequest(arguments.a, words=words)), read(ReadRequest(arguments.b, words=words))
    runs = None if arguments.floor is None else (left, read(ReadRequest(arguments.floor, words=words)))
    found = drift(left, right, parse_cues(arguments.words) if arguments.words else (), runs)
    print(as_json(asdict(found)) if arguments.json else drift_table(found))
    return 0


def drift_table(found: Drift) -> str:
    """Tables for a terminal."""
    first = f"{found.common:,} common words, the first {found.asked:,} asked about; median change "
    if found.median is None:
        parts = [f"{first}of neighbours {found.median_neighbours:.3f}", NOT_ALIGNED]
    else:
        parts = [f"{first}{found.median:.3f}, of neighbours {found.median_neighbours:.3f}"]
    if found.floor is not None:
        parts.append(_floor(found.floor))
    if found.most:
        parts.append("Changed most, after alignment\n" + _words(found.most))
    parts.append("Changed most, by neighbours\n" + _words(found.most_by_neighbours))
    if found.words:
        parts.append("Asked for\n" + _words(found.words))
    return "\n\n".join(parts)


def _floor(floor: Floor) -> str:
    rows = [("by neighbours", number(floor.neighbours, 3), _percent(floor.above_neighbours))]
    if floor.change is not None:
        rows.insert(0, ("after alignment", number(floor.change, 3), _percent(floor.above)))
    head = ("between two runs on one corpus, 95 % of the words change", "less than", "here, more do")
    return table(head, rows)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def _words(words: Mapping[str, Changed | None]) -> str:
    rows = []
    for word, one in words.items():
        low, high = (one.interval if one else None) or (None, None)
        change, neighbours = (one.change, one.neighbours) if one else (None, None)
        rows.append((word, number(change, 3), number(low, 3), number(high, 3), number(neighbours, 3)))
    return table(("word", "change", "95 % from", "to", "neighbours changed"), rows)
