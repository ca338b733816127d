"""Charts of political queries as numbers for an SVG template: overlap by N, every word's correlation, run against run.

The report and the page that compares two entries draw the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmark.templatetags.figures import correlation, grouped
from tasks.figures import DistributionFigures, StabilityFigures, StabilityPart

WIDTH, HEIGHT, LEFT, BOTTOM = 420, 200, 40, 28
CURVE_NAMES = 110
"""Room on the right for what the curves are called."""
LEAST_APART = 14.0
"""Names of curves that end at the same height are stacked."""
NAME_RISE = 8.0
"""Distance of the lowest name from the axis, clear of its labels."""
BOX_HEIGHT = 22
FEWEST_TICKS = 3


@dataclass(frozen=True)
class Box:
    """Distribution of correlations: the line from least to greatest, the box of the middle half, the median."""

    name: str
    y: float
    whisker: tuple[float, float]
    middle_half: tuple[float, float]
    median: float
    dots: tuple[float, ...]

    @property
    def top(self) -> float:
        return self.y - BOX_HEIGHT / 2

    @property
    def bottom(self) -> float:
        return self.y + BOX_HEIGHT / 2

    @property
    def box_width(self) -> float:
        return round(max(self.middle_half[1] - self.middle_half[0], 1.0), 1)

    @property
    def name_y(self) -> float:
        return self.y - BOX_HEIGHT


@dataclass(frozen=True)
class Chart:
    """A small chart: bars, curves or boxes in the SVG's own units, and the same in words and as a table."""

    slug: str
    title: str
    description: str
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...] = ()
    bars: tuple[tuple[float, float, float, float], ...] = ()
    curves: tuple[tuple[str, str, float, float], ...] = ()
    """Name, points of the line, and where the name stands."""
    boxes: tuple[Box, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()

    width, height, left, axis_y = WIDTH, HEIGHT, LEFT, HEIGHT - BOTTOM
    box_height = BOX_HEIGHT


def overlap_curve(shares: Mapping[str, Mapping[str, float]] | None) -> Chart | None:
    """Jaccard index of the nearest words by N, in full vocabularies and in the common one.

    Parameters
    ----------
    shares : ``{"full": {"5": …}, "common": {…}}``; nothing to draw where there is none.
    """
    if not shares:
        return None
    at = list(shares["full"])
    top = max(0.05, *shares["full"].values(), *shares["common"].values())
    right = WIDTH - CURVE_NAMES
    step = (right - LEFT) / (len(at) - 1)
    x = [round(LEFT + nth * step, 1) for nth in range(len(at))]
    curves = []
    for name, words in (("full", "full vocabularies"), ("common", "common words")):
        y = [round((HEIGHT - BOTTOM) * (1 - share / top * 0.92), 1) for share in shares[name].values()]
        curves.append((words, " ".join(f"{a},{b}" for a, b in zip(x, y, strict=True)), y[-1]))
    curves.sort(key=lambda curve: curve[2])
    lower = min(max(curves[1][2], curves[0][2] + LEAST_APART), HEIGHT - BOTTOM - NAME_RISE)
    ends = [min(curves[0][2], lower - LEAST_APART), lower]
    rows = tuple((n, correlation(shares["full"][n]), correlation(shares["common"][n])) for n in at)
    return Chart(
        "jaccard",
        "Shared neighbours by number of neighbours",
        "Mean Jaccard index of the N nearest words of the cues: "
        + "; ".join(f"N {n}: {full} in full vocabularies, {common} among common words" for n, full, common in rows),
        tuple((place, n) for place, n in zip(x, at, strict=True)),
        tuple((round((HEIGHT - BOTTOM) * (1 - share * 0.92), 1), f"{top * share:.2f}") for share in (0.0, 0.5, 1.0)),
        curves=tuple((words, points, right + 6.0, y) for (words, points, _), y in zip(curves, ends, strict=True)),
        table=(("N", "Full vocabularies", "Common words"), *rows),
    )


def histogram(figures: DistributionFigures | None, shape: Mapping[str, Sequence[float]] | None) -> Chart | None:
    """Distribution of the correlations of every common word.

    Parameters
    ----------
    figures : mean, sd, min, max and n.
    shape : counts of the bins, and their edges.
    """
    if not shape or not figures:
        return None
    counts, edges = shape["counts"], shape["edges"]
    most, step = max(counts), (WIDTH - LEFT - 8) / len(counts)
    base = HEIGHT - BOTTOM
    bars = tuple(
        (round(LEFT + nth * step + 0.5, 1), round(base * (1 - count / most * 0.95), 1), round(step - 1, 1),
         round(base * count / most * 0.95, 1))
        for nth, count in enumerate(counts) if count
    )  # fmt: skip
    ticks = tuple(
        (round(LEFT + nth * step, 1), f"{edges[nth]:g}".replace("-", "−"))
        for nth in range(0, len(edges), len(counts) // 4)
    )
    words = f"{grouped(figures['n'])} words"
    return Chart(
        "every-word",
        f"Every common word as a cue: mean {correlation(figures['mean'])}",
        f"Histogram of the Pearson correlation of {words}: mean {correlation(figures['mean'])}, standard deviation "
        f"{correlation(figures['sd'])}, from {correlation(figures['min'])} to {correlation(figures['max'])}.",
        ticks,
        bars=bars,
        table=(
            ("Pearson from", "to", "words"),
            *(
                (correlation(low), correlation(high), grouped(int(count)))
                for low, high, count in zip(edges, edges[1:], counts, strict=False)
                if count
            ),
        ),
    )


def stability_chart(found: StabilityFigures | None) -> Chart | None:
    """How the correlations between runs are distributed, by set of cues; a dot is the mean of one pair of runs.

    Parameters
    ----------
    found : figures of the task ``stability``; None where it was not measured.
    """
    if not found:
        return None
    named = (("100 random cues", found["random"]), ("Political cues", found.get("political")))
    sets = [(title, figures) for title, figures in named if figures]
    least = min(figures["quantiles"][0] for _, figures in sets)
    step = _step(1.0 - least)
    low = min(math.floor(least / step + 1e-9) * step, 1.0 - step)

    def x(value: float) -> float:
        place: float = LEFT + (WIDTH - LEFT - 16) * (value - low) / (1.0 - low)
        return round(place, 1)

    room = (HEIGHT - BOTTOM) / len(sets)
    boxes = tuple(
        _box(title, room * (nth + 0.62), [x(q) for q in figures["quantiles"]], [x(pair) for pair in figures["pairs"]])
        for nth, (title, figures) in enumerate(sets)
    )
    rows = tuple(_stability_row(title, figures) for title, figures in sets)
    ticks = [low + step * nth for nth in range(round((1.0 - low) / step) + 1)]
    return Chart(
        "stability",
        f"{found['runs']} runs agree at {correlation(sets[0][1]['mean'])} on average",
        "Pearson correlations between every two runs around every cue. "
        + " ".join(
            f"{row[0]}: mean {row[1]}, interval {row[2]}, least {row[3]}, middle half {row[4]} to {row[6]}, "
            f"median {row[5]}, greatest {row[7]}."
            for row in rows
        ),
        tuple((x(tick), f"{tick:.3g}".replace("-", "−")) for tick in ticks),
        boxes=boxes,
        table=(
            ("Cues", "Mean", "95 % interval", "Least", "Lower quartile", "Median", "Upper quartile", "Greatest"),
            *rows,
        ),
    )


def _box(title: str, y: float, quantiles: Sequence[float], dots: Sequence[float]) -> Box:
    least, lower, median, upper, greatest = quantiles
    return Box(title, round(y, 1), (least, greatest), (lower, upper), median, tuple(dots))


def _stability_row(title: str, figures: StabilityPart) -> tuple[str, ...]:
    low, high = figures["interval"] or (None, None)
    interval = "–" if low is None else f"{correlation(low)} to {correlation(high)}"
    return title, correlation(figures["mean"]), interval, *(correlation(q) for q in figures["quantiles"])


def _step(span: float) -> float:
    """The largest round step that divides a span of correlations into at least so many parts."""
    wanted = max(span, 1e-6) / FEWEST_TICKS
    power: float = 10.0 ** math.floor(math.log10(wanted))
    return next(step for factor in (5.0, 2.0, 1.0) if (step := power * factor) <= wanted)
