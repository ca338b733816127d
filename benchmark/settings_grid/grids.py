"""Technical criteria of the board's entries by their settings: loss, time and stability by window and dimensions.

After figures 1 and 3 of Rodriguez & Spirling (2019). Entries of one corpus and one algorithm make a grid; several
entries with the same settings are shown at their mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmark.leaderboard.models import Entry
from benchmark.leaderboard.table import completed, current
from benchmark.submissions.facts import Facts
from benchmark.templatetags.figures import correlation, grouped, significant
from plots.chart import Chart
from plots.drawing import CENTRED, Drawing, Scale, apart, multiples, round_step

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
    entries, found = list(entries), []
    tables = {
        board: completed(current(*board)[0], [entry.report_id for entry in entries if board_of(entry) == board])
        for board in {board_of(entry) for entry in entries}
    }
    for entry in entries:
        facts = entry.submission.facts
        if facts.window is not None and facts.dimensions is not None:
            score = tables[board_of(entry)].score(entry.report_id, "stability")
            stability = None if score is None else score[0]
            criteria = (facts.window, facts.dimensions, facts.loss, facts.training_minutes)
            found.append(GridEntry(facts, entry.submission.has_vectors, *criteria, stability))
    return found


def board_of(entry: Entry) -> tuple[str, int]:
    """Suite and version of the board that an entry is on."""
    return entry.suite, entry.version


def grids_of(members: Sequence[GridEntry]) -> list[Grid]:
    """Grids, the one with most entries first; entries under review do not show their corpus and algorithm."""
    groups: dict[tuple[str, str], list[GridEntry]] = {}
    for member in members:
        if member.facts.corpus and member.facts.algorithm:
            groups.setdefault((member.facts.corpus, member.facts.algorithm), []).append(member)
    grids = []
    for nth, ((corpus, algorithm), own) in enumerate(groups.items()):
        own.sort(key=lambda member: (member.window, member.dimensions, member.facts.name))
        charts = [chart for key in FIGURES if (chart := chart_of(key, own, nth)) is not None]
        grids.append(Grid(corpus, algorithm, tuple(own), tuple(charts)))
    return sorted(grids, key=lambda grid: (-len(grid.members), grid.corpus, grid.algorithm))


def chart_of(key: str, members: Sequence[GridEntry], nth: int = 0) -> Chart | None:
    """A criterion by dimensions, a line a window, of the nth grid; None where fewer than two settings have it."""
    means = _means(key, members)
    if sum(map(len, means.values())) < 2:
        return None
    sizes = sorted({d for own in means.values() for d in own})
    across = Scale(0, len(sizes) - 1, LEFT + 10, WIDTH - RIGHT)
    place = {d: across(at) for at, d in enumerate(sizes)}
    up, ticks = _axis(key, [value for own in means.values() for value in own.values()])
    write = correlation if key == "stability" else significant
    drawing = Drawing(WIDTH, HEIGHT)
    drawing.y_axis([(up(tick), write(tick)) for tick in ticks], LEFT, WIDTH - RIGHT)
    labels = apart([up(list(own.values())[-1]) for own in means.values()], LEAST_APART)
    in_words = []
    for (window, own), label in zip(means.items(), labels, strict=True):
        texts = {d: f"{d} dimensions {write(value)}" for d, value in own.items()}
        drawing.curve((place[d], up(value)) for d, value in own.items())
        for d, value in own.items():
            drawing.dot(place[d], up(value), 4, "best", title=f"window {window}, {texts[d]}")
        drawing.text(place[max(own)] + 8, label, f"window {window}", dy=CENTRED)
        in_words.append(f"window {window}: {', '.join(texts.values())}")
    drawing.x_axis([(place[d], str(d)) for d in sizes], HEIGHT - 10)
    return Chart(
        f"{key}-{nth + 1}",
        f"{FIGURES[key]} by dimensions and window",
        f"{'; '.join(in_words)}.",
        drawing,
        heading=FIGURES[key],
        caption="by dimensions",
        kind="small",
    )


def _means(key: str, members: Sequence[GridEntry]) -> dict[int, dict[int, float]]:
    """Of each window, by dimensions, both in rising order."""
    values: dict[int, dict[int, list[float]]] = {}
    for member in members:
        value = getattr(member, key)
        if value is not None:
            values.setdefault(member.window, {}).setdefault(member.dimensions, []).append(value)
    return {window: {d: fmean(found) for d, found in sorted(own.items())} for window, own in sorted(values.items())}


def _axis(key: str, values: Sequence[float]) -> tuple[Scale, list[float]]:
    """Correlations between runs crowd below 1: their axis begins at the next twentieth, the others at zero."""
    low = math.floor(20 * min(values)) / 20 if key == "stability" else 0.0
    step = round_step((max(values) - low) / TICKS if max(values) > low else 0.05)
    top = max(math.ceil(max(values) / step - 1e-9) * step, low + step)
    return Scale(low, top, HEIGHT - BOTTOM, TOP), multiples(step, low, top)
