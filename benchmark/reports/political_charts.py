"""Charts and rows of political queries, for the report page and for two entries compared in detail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmark.templatetags.figures import BLANK, between, correlation, grouped
from plots.chart import Chart
from plots.drawing import CENTRED, Drawing, Scale, Ticks, apart, multiples, round_ends, round_step
from tasks.political.secondary import (
    CueFigures,
    DistributionFigures,
    MovedWords,
    StabilityFigures,
    StabilityPart,
)

WIDTH, HEIGHT, LEFT = 420, 200, 40
BASE = HEIGHT - 28
"""Height of the horizontal axis."""
CURVE_NAMES = 110
"""Room on the right for the names of the curves."""
LEAST_APART = 14.0
"""Distance between the names of curves with equal ends."""
NAME_RISE = 8.0
"""Distance of the lowest name from the axis, so that it doesn't cover labels."""
BOX_HEIGHT = 22
MOST_TICKS = 7


@dataclass(frozen=True)
class CueRow:
    """A cue with its coefficients as text (None if it is unknown) and the nearest words on both sides."""

    cue: str
    pearson: str | None
    spearman: str = ""
    kendall: str = ""
    entry: str = ""
    reference: str = ""


def cue_row(cue: str, figures: CueFigures | None) -> CueRow:
    """One cue's correlations, without nearest words."""
    if figures is None:
        return CueRow(cue, None)
    coefficients = figures.get("pearson"), figures.get("spearman"), figures.get("kendall")
    return CueRow(cue, *map(correlation, coefficients))


def moved_words(moved: MovedWords | None, most: int) -> dict[str, list[tuple[str, str]]] | None:
    """Up to ``most`` words that moved most and least, with their correlations."""
    if not moved:
        return None
    sides = {"most": moved["most"], "least": moved["least"]}
    return {name: [(w["word"], correlation(w["pearson"])) for w in words[:most]] for name, words in sides.items()}


def overlap_curve(shares: Mapping[str, Mapping[str, float]] | None) -> Chart | None:
    """Jaccard index of the nearest words by N, in full vocabularies and in the common one.

    Parameters
    ----------
    shares : ``{"full": {"5": …}, "common": {…}}``; None if not measured.
    """
    if not shares:
        return None
    at = list(shares["full"])
    top = max(0.05, *shares["full"].values(), *shares["common"].values())
    right = WIDTH - CURVE_NAMES
    across, up = Scale(0, len(at) - 1, LEFT, right), Scale(0.0, top, BASE, BASE * 0.08)
    drawing = Drawing(WIDTH, HEIGHT)
    drawing.y_axis([(up(top * share), f"{top * share:.2f}") for share in (0.0, 0.5, 1.0)], LEFT, WIDTH)
    for name in ("full", "common"):
        drawing.curve((across(nth), up(share)) for nth, share in enumerate(shares[name].values()))
    ends = name_places([up(shares[name][at[-1]]) for name in ("full", "common")])
    for words, y in zip(("full vocabularies", "common words"), ends, strict=True):
        drawing.text(right + 6, y, words, dy=CENTRED)
    _draw_base(drawing, [(across(nth), n) for nth, n in enumerate(at)])
    rows = [(n, correlation(shares["full"][n]), correlation(shares["common"][n])) for n in at]
    in_words = "; ".join(f"N {n}: {full} in full vocabularies, {common} among common words" for n, full, common in rows)
    return Chart(
        "political-jaccard",
        "Shared neighbours by number of neighbours",
        f"Mean Jaccard index of the N nearest words of the cues: {in_words}",
        drawing,
        table=(("N", "Full vocabularies", "Common words"), *rows),
        kind="small",
    )


def name_places(ends: Sequence[float]) -> list[float]:
    """Heights of the curves' names, moved so that they cover neither each other nor the axis labels."""
    places = apart(ends, LEAST_APART)
    lowest = min(max(places), BASE - NAME_RISE)
    return [lowest if place == max(places) else min(place, lowest - LEAST_APART) for place in places]


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
    across, up = Scale(0, len(counts), LEFT, WIDTH - 8), Scale(0, max(counts), BASE, BASE * 0.05)
    drawing = Drawing(WIDTH, HEIGHT)
    for nth, count in enumerate(counts):
        if count:
            width = across(1) - across(0) - 1
            drawing.bar(across(nth) + 0.5, up(count), width, BASE - up(count), "better")
    labelled = range(0, len(edges), len(counts) // 4)
    _draw_base(drawing, [(across(nth), f"{edges[nth]:g}".replace("-", "−")) for nth in labelled])
    mean, sd, least, greatest = (correlation(figures[name]) for name in ("mean", "sd", "min", "max"))
    bins = zip(edges, edges[1:], counts, strict=False)
    rows = [(correlation(low), correlation(high), grouped(int(count))) for low, high, count in bins if count]
    return Chart(
        "political-every-word",
        f"Every common word as a cue: mean {mean}",
        f"Histogram of the Pearson correlation of {grouped(figures['n'])} words: mean {mean}, standard deviation {sd}, "
        f"from {least} to {greatest}.",
        drawing,
        table=(("Pearson from", "to", "words"), *rows),
        kind="small",
    )


def stability_chart(found: StabilityFigures | None) -> Chart | None:
    """Distribution of the correlations between runs by set of cues; a dot is the mean of one pair of runs.

    Parameters
    ----------
    found : figures of the task ``stability``; None if it was not measured.
    """
    if not found:
        return None
    named = (("100 random cues", found["random"]), ("Political cues", found.get("political")))
    sets = [(title, figures) for title, figures in named if figures]
    scale, ticks = stability_axis(min(figures["quantiles"][0] for _, figures in sets))
    drawing = Drawing(WIDTH, HEIGHT)
    room = BASE / len(sets)
    for nth, (title, figures) in enumerate(sets):
        y = room * (nth + 0.62)
        with drawing.group(title=title):
            drawing.text(LEFT, y - BOX_HEIGHT, title)
            drawing.box([scale(q) for q in figures["quantiles"]], y, BOX_HEIGHT)
            for pair in figures["pairs"]:
                drawing.dot(scale(pair), y, 2.5, "best")
    _draw_base(drawing, ticks)
    rows = [_stability_row(title, figures) for title, figures in sets]
    in_words = " ".join(
        f"{row[0]}: mean {row[1]}, interval {row[2]}, least {row[3]}, middle half {row[4]} to {row[6]}, "
        f"median {row[5]}, greatest {row[7]}."
        for row in rows
    )
    heads = ("Cues", "Mean", "95 % interval", "Least", "Lower quartile", "Median", "Upper quartile", "Greatest")
    return Chart(
        "political-stability",
        f"{found['runs']} runs agree at {correlation(sets[0][1]['mean'])} on average",
        f"Pearson correlations between every two runs around every cue. {in_words}",
        drawing,
        table=(heads, *rows),
        has_row_heads=True,
        kind="small",
    )


def stability_axis(least: float) -> tuple[Scale, Ticks]:
    """An axis from a round number below the least correlation to one."""
    step = round_step(max(1.0 - least, 1e-6) / MOST_TICKS)
    low = min(round_ends(least, 1.0, step)[0], 1.0 - step)
    scale = Scale(low, 1.0, LEFT, WIDTH - 16)
    return scale, [(scale(tick), f"{tick:.3g}".replace("-", "−")) for tick in multiples(step, low, 1.0)]


def _draw_base(drawing: Drawing, ticks: Ticks) -> None:
    drawing.line(LEFT, BASE, WIDTH, BASE, "zero")
    drawing.x_axis(ticks, HEIGHT - 8)


def _stability_row(title: str, figures: StabilityPart) -> tuple[str, ...]:
    interval = between(figures["interval"], correlation) or BLANK
    return title, correlation(figures["mean"]), interval, *(correlation(q) for q in figures["quantiles"])
