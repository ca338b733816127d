"""``python -m tasks drift A B``: which words changed between two corpora or periods?"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict

from tasks.associations.drift import Changed, Drift, drift
from tasks.cli.tables import number, table
from tasks.political.cues import parse_cues
from tasks.suites import DEFAULT, get
from tasks.vector_files import read
from tasks.word_list import words_for


def run(arguments: argparse.Namespace) -> int:
    """Print the words that changed most."""
    words = words_for(get(DEFAULT))
    left, right = read(arguments.a, words=words), read(arguments.b, words=words)
    again = None if arguments.floor is None else read(arguments.floor, words=words)
    found = drift(left, right, parse_cues(arguments.words) if arguments.words else (), again)
    if arguments.json:
        print(json.dumps(asdict(found), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        print(drift_table(found))
    return 0


def drift_table(found: Drift) -> str:
    """Tables for a terminal."""
    parts = [f"{found.common:,} common words, the first {found.asked:,} asked about; median change {found.median:.3f}"]
    if found.floor is not None and found.above_floor is not None:
        parts.append(
            f"Between two runs on one corpus 95 % of the words change less than {found.floor:.3f}; here "
            f"{100 * found.above_floor:.0f} % change more."
        )
    parts.append("Changed most, after alignment\n" + _words(found.most))
    parts.append("Changed most, by neighbours\n" + _words(found.most_by_neighbours))
    if found.words:
        parts.append("Asked for\n" + _words(found.words))
    return "\n\n".join(parts)


def _words(words: Mapping[str, Changed | None]) -> str:
    rows = []
    for word, one in words.items():
        low, high = (one.interval if one else None) or (None, None)
        change, neighbours = (one.change, one.neighbours) if one else (None, None)
        rows.append((word, number(change, 3), number(low, 3), number(high, 3), number(neighbours, 3)))
    return table(("word", "change", "95 % from", "to", "neighbours changed"), rows)
