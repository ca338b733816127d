"""Technical criteria of the board's entries by their settings: loss, time and stability by window and dimensions.

After figures 1 and 3 of Rodriguez & Spirling (2019). Entries of one corpus and one algorithm make a grid; several
entries with the same settings are shown at their mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmark.compare.axes import multiples, round_step
from benchmark.compare.ranking import has_vectors
from benchmark.leaderboard.models import Entry
from benchmark.submissions.facts import Facts
from benchmark.templatetags.figures import correlation, grouped, significant

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 460, 230, 64, 96, 12, 32
TICKS = 4
LEAST_APART = 15.0
"""Labels of lines are pushed at least so far apart."""
FIGURES = {"loss": "Loss at convergence", "minutes": "Training minutes", "stability": "Stability over runs"}


@dataclass(frozen=True)
class GridEntry:
    """One entry with its settings; ``has_vectors``: whether others can be compared with it."""

    facts: Facts
    has_vectors: bool
    window: int
    dimensions: int
    loss: float | None
    minutes: float | None
    stability: float | None

    @property
    def texts(self) -> tuple[str, str, str, str]:
        """Loss, minutes, stability and tokens, as a table shows them."""
        return (
            significant(self.loss),
            significant(self.minutes),
            correlation(self.stability),
            grouped(self.facts.tokens),
        )


@dataclass(frozen=True)
class Line:
    """Entries of one window, by dimensions: points in the SVG's own units, and where the line's name stands."""

    name: str
    points: tuple[tuple[float, float, str], ...]
    label_y: float

    @property
    def path(self) -> str:
        return " ".join(f"{x},{y}" for x, y, _ in self.points)

    @property
    def label_x(self) -> float:
        return self.points[-1][0] + 8


@dataclass(frozen=True)
class Chart:
    """One criterion by dimensions, a line a window."""

    key: str
    title: str
    lines: tuple[Line, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]

    width, height, left, right, axis_y = WIDTH, HEIGHT, LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM

    @property
    def description(self) -> str:
        """The chart in words."""
        return "; ".join(f"{line.name}: {', '.join(text for _, _, text in line.points)}" for line in self.lines) + "."


@dataclass(frozen=True)
class Grid:
    """Entries of one corpus and algorithm."""

    corpus: str
    algorithm: str
    members: tuple[GridEntry, ...]
    charts: tuple[Chart, ...]

    @property
    def comparable(self) -> list[GridEntry]:
        """Those whose rankings of words can be compared."""
        return [member for member in self.members if member.has_vectors]


def members_of(entries: Iterable[Entry]) -> list[GridEntry]:
    """The entries whose window and dimensions are known."""
    found = []
    for entry in entries:
        facts = entry.submission.facts
        if facts.window is not None and facts.dimensions is not None:
            stability = (entry.figures.get("stability") or [None])[0]
            kept = has_vectors(entry.submission)
            told = (facts.window, facts.dimensions, facts.loss, facts.training_minutes)
            found.append(GridEntry(facts, kept, *told, stability))
    return found


def grids_of(members: Sequence[GridEntry]) -> list[Grid]:
    """Grids, the one with most entries first; entries under review do not show their corpus and algorithm."""
    groups: dict[tuple[str, str], list[GridEntry]] = {}
    for member in members:
        if member.facts.corpus and member.facts.algorithm:
            groups.setdefault((member.facts.corpus, member.facts.algorithm), []).append(member)
    grids = []
    for (corpus, algorithm), own in groups.items():
        own.sort(key=lambda member: (member.window, member.dimensions, member.facts.name))
        charts = [chart for key in FIGURES if (chart := chart_of(key, own)) is not None]
        grids.append(Grid(corpus, algorithm, tuple(own), tuple(charts)))
    return sorted(grids, key=lambda grid: (-len(grid.members), grid.corpus, grid.algorithm))


def chart_of(key: str, members: Sequence[GridEntry]) -> Chart | None:
    """A criterion by dimensions; None where fewer than two settings have it."""
    values: dict[int, dict[int, list[float]]] = {}
    for member in members:
        value = getattr(member, key)
        if value is not None:
            values.setdefault(member.window, {}).setdefault(member.dimensions, []).append(value)
    means = {window: {d: fmean(found) for d, found in sorted(own.items())} for window, own in sorted(values.items())}
    if sum(len(own) for own in means.values()) < 2:
        return None
    sizes = sorted({d for own in means.values() for d in own})
    every = [value for own in means.values() for value in own.values()]
    # Correlations between runs crowd below 1: their axis begins at the next twentieth, those of loss and time at zero.
    low = math.floor(20 * min(every)) / 20 if key == "stability" else 0.0
    step = round_step((max(every) - low) / TICKS if max(every) > low else 0.05)
    top = max(math.ceil(max(every) / step - 1e-9) * step, low + step)
    place_x = {d: _between(nth, len(sizes) - 1, LEFT + 10, WIDTH - RIGHT) for nth, d in enumerate(sizes)}

    def place_y(value: float) -> float:
        return round(TOP + (HEIGHT - BOTTOM - TOP) * (1 - (value - low) / (top - low)), 1)

    write = correlation if key == "stability" else significant
    points = {
        window: tuple((place_x[d], place_y(v), f"{d} dimensions {write(v)}") for d, v in own.items())
        for window, own in means.items()
    }
    labels = _apart({window: own[-1][1] for window, own in points.items()})
    return Chart(
        key,
        FIGURES[key],
        tuple(Line(f"window {window}", own, labels[window]) for window, own in points.items()),
        tuple((place_x[d], str(d)) for d in sizes),
        tuple((place_y(tick), write(tick)) for tick in multiples(step, low, top)),
    )


def _between(nth: int, last: int, begin: float, end: float) -> float:
    return round(begin + (end - begin) * nth / last, 1) if last else round((begin + end) / 2, 1)


def _apart(places: dict[int, float]) -> dict[int, float]:
    moved: dict[int, float] = {}
    previous = float("-inf")
    for name, place in sorted(places.items(), key=lambda item: item[1]):
        previous = moved[name] = max(place, previous + LEAST_APART)
    return moved
