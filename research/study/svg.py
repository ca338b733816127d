"""Small figures as SVG text: they follow the reader's light or dark scheme, and have a text description."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Okabe & Ito's palette, safe for colour-blind readers."""
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#222}.h{font-weight:600;font-size:14px}.s{font-size:11px}"
    ".m{text-anchor:middle}.e{text-anchor:end}.g{stroke:#ccc}.a{stroke:#666}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.g{stroke:#444}.a{stroke:#999}}"
)
_LEFT, _TOP, _BOTTOM = 62, 44, 46
_LETTER, _SLOPE = 6.6, 40
"""Width of a letter of small text (allowing for wider fonts), and rotation of names under columns in degrees."""
Points = Sequence[tuple[float, float]]


def document(width: float, height: float, title: str, description: str, body: Sequence[str]) -> str:
    """A complete SVG file."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" aria-labelledby="t d"><title id="t">{escape(title)}</title>'
        f'<desc id="d">{escape(description)}</desc><style>{_STYLE}</style>'
    )
    return "\n".join([head, _text(8, 20, title, "h"), *body, "</svg>"]) + "\n"


def line_chart(title: str, description: str, x: str, y: str, series: Mapping[str, Points]) -> str:
    """Lines with their names at their ends; the axes begin at zero or below."""
    width, height, right = 560.0, 320.0, 130.0
    xs = sorted({px for points in series.values() for px, _ in points})
    ys = [py for points in series.values() for _, py in points]
    low, high, step = axis(ys)
    place_x = _placer(min(xs), max(xs), _LEFT + 14, width - right)
    place_y = _placer(low, high, height - _BOTTOM, _TOP)
    body = _frame(width - right + 10, height, low, high, step, place_y, x, y)
    body += [_text(place_x(px), height - _BOTTOM + 18, f"{px:g}", "m s") for px in xs]
    ends = sorted(((place_y(points[-1][1]), name) for name, points in series.items()), key=lambda end: end[0])
    label_y = dict(zip([name for _, name in ends], _apart([at for at, _ in ends], 14), strict=True))
    for nth, (name, points) in enumerate(series.items()):
        colour = COLOURS[nth % len(COLOURS)]
        path = " ".join(f"{place_x(px):.1f},{place_y(py):.1f}" for px, py in points)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        body += [f'<circle cx="{place_x(px):.1f}" cy="{place_y(py):.1f}" r="3" fill="{colour}"/>' for px, py in points]
        body.append(_text(place_x(points[-1][0]) + 10, label_y[name] + 4, name, "s"))
    return document(width, height, title, description, body)


def box_chart(title: str, description: str, y: str, boxes: Mapping[str, Sequence[float]]) -> str:
    """Least, quartiles, median and greatest of each group, side by side.

    Parameters
    ----------
    boxes : by label, the five figures in rising order.
    """
    width, height = _LEFT + 20.0 + 46.0 * len(boxes), 300.0
    low, high, step = axis([figure for box in boxes.values() for figure in box], zero=False)
    place = _placer(low, high, height - _BOTTOM, _TOP)
    body = _frame(max(width, 430), height, low, high, step, place, "window-dimensions", y)
    for nth, (label, (least, lower, middle, upper, most)) in enumerate(boxes.items()):
        at = _LEFT + 34 + 46 * nth
        colour = COLOURS[0]
        body += [
            f'<line x1="{at}" x2="{at}" y1="{place(least):.1f}" y2="{place(most):.1f}" stroke="{colour}"/>',
            f'<rect x="{at - 11}" width="22" y="{place(upper):.1f}" height="{max(place(lower) - place(upper), 1):.1f}" '
            f'fill="{colour}" fill-opacity="0.35" stroke="{colour}"/>',
            f'<line x1="{at - 11}" x2="{at + 11}" y1="{place(middle):.1f}" y2="{place(middle):.1f}" '
            f'stroke="{colour}" stroke-width="3"/>',
            _text(at, height - _BOTTOM + 18, label, "m s"),
        ]
    return document(max(width, 430), height, title, description, body)


def heat_map(
    title: str, description: str, rows: Sequence[str], columns: Sequence[str], values: Mapping[tuple[int, int], float]
) -> str:
    """Numbers in cells shaded by value; a cell without a number stays blank."""
    side_x, side_y = 52.0, 26.0
    left = max(70, 16 + _LETTER * max((len(name) for name in rows), default=0))
    below = 30 + _LETTER * max((len(name) for name in columns), default=0) * math.sin(math.radians(_SLOPE))
    width, height = left + side_x * len(columns) + 10, _TOP + side_y * len(rows) + below
    low, high = min(values.values(), default=0.0), max(values.values(), default=1.0)
    body = []
    for (row, column), value in values.items():
        share = (value - low) / (high - low) if high > low else 1.0
        x, y = left + side_x * column, _TOP + side_y * row
        ink = "#fff" if share > 0.55 else "#222"
        body.append(
            f'<rect x="{x:g}" y="{y:g}" width="{side_x - 2:g}" height="{side_y - 2:g}" fill="{_shade(share)}"/>'
            f'<text x="{x + side_x / 2 - 1:g}" y="{y + 16:g}" class="m s" style="fill:{ink}">{value:.2f}</text>'
        )
    body += [_text(left - 8, _TOP + side_y * row + 16, name, "e s") for row, name in enumerate(rows)]
    for column, name in enumerate(columns):
        x, y = left + side_x * column + side_x / 2, _TOP + side_y * len(rows) + 14
        body.append(f'<text transform="translate({x:g} {y:g}) rotate(-{_SLOPE})" class="e s">{escape(name)}</text>')
    return document(width, height, title, description, body)


def axis(values: Sequence[float], *, zero: bool = True) -> tuple[float, float, float]:
    """Round ends and step of an axis that holds all the values; with ``zero`` it begins at zero or below."""
    low, high = min(values), max(values)
    low = min(low, 0.0) if zero else low
    span = max(high - low, 1e-9)
    power = 10.0 ** math.floor(math.log10(span / 4))
    step = next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= 5)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, step


def _frame(
    right: float, height: float, low: float, high: float, step: float, place: _Place, x: str, y: str
) -> list[str]:
    ticks = [low + step * nth for nth in range(round((high - low) / step) + 1)]
    lines = [
        f'<line x1="{_LEFT}" x2="{right:g}" y1="{place(tick):.1f}" y2="{place(tick):.1f}" class="g"/>' for tick in ticks
    ]
    numbers = [_text(_LEFT - 6, place(tick) + 4, f"{round(tick, 10):g}", "e s") for tick in ticks]
    names = [_text(_LEFT, _TOP - 8, y, "s"), _text((_LEFT + right) / 2, height - 8, x, "m s")]
    return [*lines, *numbers, *names]


class _Place:
    """A linear scale; a single value is put in the middle."""

    def __init__(self, low: float, high: float, begin: float, end: float) -> None:
        self.low, self.high, self.begin, self.end = low, high, begin, end

    def __call__(self, value: float) -> float:
        if self.high == self.low:
            return (self.begin + self.end) / 2
        return self.begin + (value - self.low) / (self.high - self.low) * (self.end - self.begin)


def _placer(low: float, high: float, begin: float, end: float) -> _Place:
    return _Place(low, high, begin, end)


def _apart(places: Sequence[float], least: float) -> list[float]:
    """Ascending positions pushed apart, so that labels do not overlap."""
    moved: list[float] = []
    for place in places:
        moved.append(place if not moved else max(place, moved[-1] + least))
    return moved


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(text)}</text>'


def _shade(share: float) -> str:
    """From paper to the accent blue."""
    paper, ink = (0xEE, 0xF3, 0xF8), (0x00, 0x4B, 0x7F)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(paper, ink, strict=True))
