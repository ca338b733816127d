"""The map as numbers for an SVG template: where each dot is, its colour, and which words are written beside theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from benchmark.explore.entries import MeasuredEntry
from benchmark.inputs import Parameters
from tasks.secondary import MapFigures

SIZE = 1000
MARGIN = 24
COLOURS = 6
"""As many supersenses as have a colour of their own; the rest share one."""
_LETTER, _LINE = 8.4, 16.0
_MOST_LABELS = 90


@dataclass(frozen=True)
class Dot:
    """A word; ``colour`` 0 is that of all supersenses without one of their own."""

    word: str
    sense: str
    x: float
    y: float
    colour: int
    faded: bool = False


@dataclass(frozen=True)
class Label:
    word: str
    x: float
    y: float


@dataclass(frozen=True)
class WordMap:
    """Everything that the template draws; ``marked`` is the word that was searched for, if it is on the map."""

    dots: tuple[Dot, ...]
    labels: tuple[Label, ...]
    colours: tuple[tuple[int, str, int], ...]
    senses: tuple[tuple[str, int], ...]
    width: float
    height: float
    trust: float
    known: int
    word: str
    sense: str
    marked: Dot | None

    @property
    def marked_at_the_right(self) -> bool:
        return self.marked is not None and self.marked.x > self.width * 0.75


def map_of(entry: MeasuredEntry, asked: Parameters) -> WordMap | None:
    """The map of an entry, with one word marked and one supersense picked out; None: it has none."""
    result = entry.report.result("map")
    if result is None:
        return None
    stored = result.figures(MapFigures)
    senses = [name or "" for name in stored["supersenses"]]
    counts = Counter(name for name in senses if name)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    colour = {name: i for i, (name, _) in enumerate(ordered[:COLOURS], 1)}
    word, sense = asked.text("word", 100), asked.one_of("sense", counts)
    scale = SIZE - 2 * MARGIN
    dots = [
        Dot(
            written,
            name,
            round(MARGIN + x * scale, 1),
            round(MARGIN + y * scale, 1),
            colour.get(name, 0),
            bool(sense) and name != sense,
        )
        for written, name, x, y in zip(stored["words"], senses, stored["x"], stored["y"], strict=True)
    ]
    marked = next((dot for dot in dots if word and dot.word.lower() == word.lower()), None)
    shown = [dot for dot in dots if not dot.faded]
    return WordMap(
        dots=tuple(sorted(dots, key=lambda dot: not dot.faded)),
        labels=tuple(labels_of(([marked] if marked else []) + shown, keep_clear=marked)),
        colours=tuple((number, name, counts[name]) for name, number in colour.items()),
        senses=tuple(sorted(counts.items())),
        width=max(dot.x for dot in dots) + MARGIN + 40,
        height=max(dot.y for dot in dots) + MARGIN,
        trust=result.score,
        known=result.n,
        word=word,
        sense=sense,
        marked=marked,
    )


def labels_of(dots: Iterable[Dot], keep_clear: Dot | None = None) -> Iterable[Label]:
    """As many words as find room beside their dots, in the order given; ``keep_clear`` has its own, larger label."""
    taken: list[tuple[float, float, float, float]] = []
    written = 0
    for dot in dots:
        box = (dot.x + 6, dot.y - _LINE / 2, dot.x + 6 + _LETTER * len(dot.word), dot.y + _LINE / 2)
        if any(box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3] for other in taken):
            continue
        taken.append(box)
        if dot is keep_clear:
            continue
        written += 1
        yield Label(dot.word, dot.x + 6, dot.y + 4)
        if written == _MOST_LABELS:
            return
