"""Figures of the study as SVG files, from its results only.

The numbers of the figures are those of Rodriguez & Spirling (2019). A figure is drawn from the settings that are done;
its description names the missing ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from plots.chart import Chart, colour_class
from plots.drawing import CENTRED, Drawing, Scale, apart, round_axis
from research.study.store import (
    ALGORITHMS,
    LOCAL,
    PUBLISHED,
    REFERENCE,
    Numbers,
    Published,
    Results,
    Setting,
    chosen,
)
from research.study.tables import CORPORA, page
from tasks.local_training.plan import Algorithm
from tasks.political.vocabulary import JACCARD_AT

MOST_TICKS = 5
_LEFT, _TOP, _BOTTOM = 62, 44, 46
_BOX = 56
"""From one box to the next: the longest name is that of the published vectors."""
_LETTER, _SLOPE = 6.6, 40
"""Width of a letter of small text (allowing for wider fonts), and rotation of names under columns in degrees."""
Points = Sequence[tuple[float, float]]


def line_chart(title: str, description: str, x: str, y: str, series: Mapping[str, Points]) -> str:
    """Lines with their names at their ends; the axes begin at zero or below."""
    drawing, right = Drawing(560, 320), 430
    xs = sorted({px for points in series.values() for px, _ in points})
    across = Scale(min(xs), max(xs), _LEFT + 14, right)
    up = _frame(drawing, [0.0, *(py for points in series.values() for _, py in points)], right + 10, x, y)
    drawing.x_axis([(across(px), f"{px:g}") for px in xs], drawing.height - _BOTTOM + 18)
    names = apart([up(points[-1][1]) for points in series.values()], 14)
    for place, ((name, points), name_y) in enumerate(zip(series.items(), names, strict=True)):
        colour = colour_class(place)
        drawing.curve([(across(px), up(py)) for px, py in points], kind=f"curve {colour}")
        for px, py in points:
            drawing.dot(across(px), up(py), 3, f"dot {colour}")
        drawing.text(across(points[-1][0]) + 10, name_y, name, "tick", dy=CENTRED)
    return Chart("figure", title, description, drawing).file()


def box_chart(title: str, description: str, y: str, boxes: Mapping[str, Sequence[float]]) -> str:
    """Least, quartiles, median and greatest of each group, side by side.

    Parameters
    ----------
    boxes : by label, the five numbers in ascending order.
    """
    drawing = Drawing(max(_LEFT + 20 + _BOX * len(boxes), 430), 300)
    up = _frame(drawing, [figure for box in boxes.values() for figure in box], drawing.width, "window-dimensions", y)
    for place, five in enumerate(boxes.values()):
        drawing.box([up(figure) for figure in five], _LEFT + 34 + _BOX * place, 22, upright=True)
    labels = [(_LEFT + 34.0 + _BOX * place, label) for place, label in enumerate(boxes)]
    drawing.x_axis(labels, drawing.height - _BOTTOM + 18)
    return Chart("figure", title, description, drawing).file()


def heat_map(
    title: str, description: str, rows: Sequence[str], columns: Sequence[str], values: Mapping[tuple[int, int], float]
) -> str:
    """Numbers in cells shaded by value; a cell without a number stays blank."""
    across, down = 52, 26
    left = max(70, 16 + _LETTER * max((len(name) for name in rows), default=0))
    bottom = _TOP + down * len(rows)
    below = 30 + _LETTER * max((len(name) for name in columns), default=0) * math.sin(math.radians(_SLOPE))
    drawing = Drawing(left + across * len(columns) + 10, bottom + below)
    low, high = min(values.values(), default=0.0), max(values.values(), default=1.0)
    for (row, column), value in values.items():
        share = (value - low) / (high - low) if high > low else 1.0
        place = left + across * column, _TOP + down * row
        drawing.cell(*place, across - 2, down - 2, share, f"{value:.2f}")
    for row, name in enumerate(rows):
        drawing.text(left - 8, _TOP + down * row + 16, name, "tick", anchor="end")
    for column, name in enumerate(columns):
        drawing.text(left + across * (column + 0.5), bottom + 14, name, "tick", anchor="end", turned=-_SLOPE)
    return Chart("figure", title, description, drawing).file()


def _frame(drawing: Drawing, values: Sequence[float], right: float, x: str, y: str) -> Scale:
    """Draw grid lines at round numbers that span the values, and the axes' names; return the vertical scale."""
    ends, ticks = round_axis(values, MOST_TICKS)
    up = Scale(*ends, drawing.height - _BOTTOM, _TOP)
    drawing.y_axis([(up(tick), f"{round(tick, 10):g}") for tick in ticks], _LEFT, right)
    drawing.text(_LEFT, _TOP - 8, y, "tick")
    drawing.text((_LEFT + right) / 2, drawing.height - 8, x, "tick", anchor="middle")
    return up


_NAMES = {"glove": "GloVe", "skip-gram": "Skip-gram"}
_OUTSIDE = {
    "glove": "the published vectors of GloVe 6B (50 dimensions), with the first run of each setting",
    "skip-gram": "vectors of the Wikipedia sample, trained for this study",
}


def draw(results: Results) -> None:
    """Write every figure and table that the results allow, into ``figures/`` and ``tables.md``."""
    numbers = Numbers(results)
    figures: dict[str, str | None] = {}
    for algorithm in ALGORITHMS:
        figures[f"1a-loss-{algorithm}"] = _technical(numbers, algorithm, "loss")
        figures[f"1b-minutes-{algorithm}"] = _technical(numbers, algorithm, "processor_minutes")
        figures[f"5-people-{algorithm}"] = _people(numbers, algorithm)
        for cues in ("random", "political"):
            prefix = {"glove": "2", "skip-gram": "6"}[algorithm]
            figures[f"{prefix}-correlations-{algorithm}-{cues}"] = _correlations(numbers, algorithm, cues)
            figures[f"3-stability-{algorithm}-{cues}"] = _stability(numbers, algorithm, cues)
        figures[f"10-jaccard-{algorithm}"] = _jaccard(numbers, algorithm)
    figures["7-glove-and-skip-gram"] = _between_algorithms(numbers)
    directory = results.results / "figures"
    directory.mkdir(exist_ok=True)
    for name, figure in figures.items():
        path = directory / f"{name}.svg"
        if figure is None:
            path.unlink(missing_ok=True)  # its data no longer exists
        else:
            path.write_text(figure, encoding="utf-8")
    (results.results / "tables.md").write_text(page(results, numbers), encoding="utf-8")


def _missing(numbers: Numbers, algorithm: Algorithm) -> str:
    missing = [setting.label for setting in chosen(LOCAL, algorithm) if setting.id not in numbers.cells]
    return f" {_NAMES[algorithm]} not run yet: {', '.join(missing)}." if missing else ""


def _technical(numbers: Numbers, algorithm: Algorithm, name: str) -> str | None:
    """Loss, or minutes, by dimensions; one line per window."""
    series: dict[str, list[tuple[float, float]]] = {}
    for setting, cell in numbers.done(LOCAL, algorithm):
        if cell[name] is not None:
            series.setdefault(f"window {setting.plan.window}", []).append((setting.plan.dimensions, cell[name]))
    if not series:
        return None
    y = "loss a pair" if name == "loss" else "processor minutes a run"
    title = f"{_NAMES[algorithm]}, {CORPORA[LOCAL]}: {'loss at the end' if name == 'loss' else 'time of training'}"
    about = f"Mean over the runs, by dimensions and window.{_missing(numbers, algorithm)}"
    return line_chart(title, about, "dimensions", y, series)


def _people(numbers: Numbers, algorithm: Algorithm) -> str | None:
    """Distance from people's lists around every cue, of local settings and of the published vectors."""
    humans = {setting.label: cell["human"] for setting, cell in numbers.done(LOCAL, algorithm)}
    if numbers.published is not None:
        humans[PUBLISHED.label] = numbers.published["human"]
    boxes = {}
    for label, human in humans.items():
        values = [cue["relative"] for cue in human["cues"].values() if cue and cue["relative"] is not None]
        if values:
            boxes[label] = np.quantile(values, [0.0, 0.25, 0.5, 0.75, 1.0]).tolist()
    title = f"{_NAMES[algorithm]}: distance from people"
    about = (
        "Log rank deviation around every political cue as a share of a random order's, which is 1: minimum, quartiles, "
        f"maximum, {CORPORA[LOCAL]} and published vectors.{_missing(numbers, algorithm)}"
    )
    return box_chart(title, about, "share of a random order's deviation", boxes) if boxes else None


def _correlations(numbers: Numbers, algorithm: Algorithm, cues: str) -> str | None:
    """Correlation of every two settings of the local corpus, and of each with vectors of another text."""
    local = [setting for setting, _ in numbers.done(LOCAL, algorithm)]
    outside = numbers.outside(algorithm)
    everyone: list[Setting | Published] = [*local, *(other for other, _ in outside)]
    names = [*(s.label for s in local), *(name for _, name in outside)]
    values = {}
    for row, left in enumerate(everyone):
        for column, right in enumerate(everyone):
            if row < column and (mean := numbers.mean(left, right, cues)) is not None:
                values[row, column - 1] = mean
    if not values:
        return None
    title = f"{_NAMES[algorithm]}: correlation of settings, {cues} cues"
    about = (
        f"Mean Pearson correlation of similarities averaged over runs, window-dimensions, {CORPORA[LOCAL]}. Last "
        f"column: {_OUTSIDE[algorithm]}.{_missing(numbers, algorithm)}"
    )
    return heat_map(title, about, names[:-1], names[1:], values)


def _stability(numbers: Numbers, algorithm: Algorithm, cues: str) -> str | None:
    boxes = {
        setting.label: cell["stability"][cues]["quantiles"]
        for setting, cell in numbers.done(LOCAL, algorithm)
        if cell["stability"][cues]
    }
    if not boxes:
        return None
    title = f"{_NAMES[algorithm]}: stability over runs, {cues} cues"
    about = (
        f"Pearson correlations between every two runs around every cue: minimum, quartiles, maximum, {CORPORA[LOCAL]}."
        f"{_missing(numbers, algorithm)}"
    )
    return box_chart(title, about, "Pearson correlation between runs", boxes)


def _between_algorithms(numbers: Numbers) -> str | None:
    """GloVe (rows) against skip-gram (columns), political cues."""
    sides = []
    for algorithm in ALGORITHMS:
        local = [(setting, setting.label) for setting, _ in numbers.done(LOCAL, algorithm)]
        reference = [(setting, f"Wikipedia {setting.label}") for setting, _ in numbers.done(REFERENCE, algorithm)[-1:]]
        sides.append(local + reference)
    values = {}
    for row, (left, _) in enumerate(sides[0]):
        for column, (right, _) in enumerate(sides[1]):
            if (mean := numbers.mean(left, right, "political")) is not None:
                values[row, column] = mean
    if not values:
        return None
    rows = [f"GloVe {name}" for _, name in sides[0]]
    columns = [f"SG {name}" for _, name in sides[1]]
    about = (
        "Mean Pearson correlation of GloVe (rows) and skip-gram (columns) around the political cues; the Wikipedia "
        "sample's vectors were trained for this study."
        f"{_missing(numbers, 'glove')}{_missing(numbers, 'skip-gram')}"
    )
    return heat_map("GloVe and skip-gram, political cues", about, rows, columns, values)


def _jaccard(numbers: Numbers, algorithm: Algorithm) -> str | None:
    """Overlap of the nearest words of local settings with another text's, by N; the largest dimensions of a window."""
    series: dict[str, list[tuple[float, float]]] = {}
    for other, name in numbers.outside(algorithm):
        for setting, _ in numbers.done(LOCAL, algorithm):
            overlap = ((numbers.pair(setting, other) or {}).get("political") or {}).get("jaccard")
            if overlap:
                series[setting.label] = [(n, overlap[str(n)]) for n in JACCARD_AT]
        largest = {label.split("-")[0]: label for label in series}
        title = f"{_NAMES[algorithm]}: neighbours shared with {name}"
        about = (
            "Mean Jaccard index of the N nearest words of the political cues, full vocabularies, with "
            f"{_OUTSIDE[algorithm]}."
        )
        if series:
            return line_chart(title, about, "N", "Jaccard index", {label: series[label] for label in largest.values()})
    return None
