"""Marks, scales from values to positions, and round numbers for axes.

Marks have a class but no colour; style sheets define their appearance.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import pairwise
from statistics import quantiles
from xml.etree.ElementTree import Element, fromstring  # nosec B405 - parses its own markup only

Ticks = Sequence[tuple[float, str]]
"""Positions in the drawing and their labels."""
Bands = Sequence[tuple[float, float]]
"""Top and bottom of the parts of a drawing, from top to bottom, that lines pass; labels stand between them."""


@dataclass(frozen=True)
class Scale:
    """Linear map from [``low``, ``high``] to [``begin``, ``end``]; if both values are equal, to the middle."""

    low: float
    high: float
    begin: float
    end: float

    def __call__(self, value: float) -> float:
        if self.high == self.low:
            return round((self.begin + self.end) / 2, 1)
        share = (float(value) - self.low) / (self.high - self.low)
        return round(self.begin + share * (self.end - self.begin), 1)


def round_step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is at least this."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * 0.999)


def round_below(most: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is at most this."""
    power: float = 10.0 ** math.floor(math.log10(most))
    return next(power * factor for factor in (5, 2, 1) if power * factor <= most * 1.001)


def multiples(step: float, low: float, high: float) -> list[float]:
    """The multiples of a step from low to high, both ends included."""
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [n * step for n in range(first, last + 1)]


def round_ends(low: float, high: float, step: float) -> tuple[float, float]:
    """The nearest multiples of a step that enclose both ends."""
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def round_axis(values: Sequence[float], most: int) -> tuple[tuple[float, float], list[float]]:
    """Round ends around all values, and about ``most`` ticks."""
    low, high = min(values), max(values)
    step = round_step((high - low) / most or abs(high) / most or 1.0)
    begin, end = round_ends(low, high, step)
    if begin == end:
        begin, end = begin - step, end + step
    return (begin, end), multiples(step, begin, end)


def fitted_axis(values: Sequence[float], most: int) -> tuple[tuple[float, float], list[float]]:
    """Ends around all values, and about ``most`` round ticks; an end is round only if the next round value is near."""
    low, high = min(values), max(values)
    if low == high:
        return round_axis(values, most)
    step, room = round_step((high - low) / most), (high - low) * 0.03
    least, greatest = round_ends(low, high, step)
    begin = least if low - least < step / 2 else low - room
    end = greatest if greatest - high < step / 2 else high + room
    return (begin, end), multiples(step, begin, end)


def roomy(values: Sequence[float], begin: float, end: float) -> Scale:
    """A scale of all values with a small margin at both ends."""
    low, high = min(values), max(values)
    room = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
    return Scale(low - room, high + room, begin, end)


def round_ticks(scale: Scale, most: int, write: Callable[[float], str]) -> Ticks:
    """About ``most`` round values along a scale."""
    step = round_step((scale.high - scale.low) / most)
    return [(scale(tick), write(tick)) for tick in multiples(step, scale.low, scale.high)]


FENCE = 1.5
"""Distance of outliers from the middle half, in interquartile ranges (Tukey 1977)."""


def lower_fence(values: Sequence[float]) -> float:
    """The least value that is not an outlier; minus infinity where half of the values are equal."""
    if len(values) < 4:
        return -math.inf
    first, _, third = quantiles(values, n=4, method="inclusive")
    return first - FENCE * (third - first) if third > first else -math.inf


def apart(places: Sequence[float], least: float) -> list[float]:
    """Positions in the given order, shifted down so that labels do not overlap."""
    moved = list(places)
    previous = -math.inf
    for i in sorted(range(len(moved)), key=moved.__getitem__):
        previous = moved[i] = max(moved[i], previous + least)
    return moved


WHISKER_END = 4
CENTRED = ".35em"
DARK_SHARE = 0.55
"""Shade of heat map cells above which letters are light."""


class Markup(str):
    """Markup that Django and other template engines with ``__html__`` don't escape again."""

    def __html__(self) -> Markup:
        return self


def element(tag: str, inside: str | None = None, /, **attributes: float | str) -> str:
    """One element; ``kind`` is its class, ``_`` in a name becomes ``-``, and empty attributes are omitted.

    Parameters
    ----------
    inside : markup, or None for a self-closing element; attribute values are escaped here.
    """
    written = ""
    for name, of in attributes.items():
        if of != "":
            text = f"{round(of, 1):g}" if not isinstance(of, str) else escape(of) if _SPECIAL.search(of) else of
            written += f' {_attribute(name)}="{text}"'
    return f"<{tag}{written}>{inside}</{tag}>" if inside is not None else f"<{tag}{written}/>"


_SPECIAL = re.compile("[&<>\"']")
"""A search takes a third of the time of escaping, and few of a page's thousands of values need it."""


@cache
def _attribute(name: str) -> str:
    return "class" if name == "kind" else name.replace("_", "-")


def _through(lines: Iterable[Iterable[tuple[float, float]]]) -> str:
    """Path of lines: steps in tenths from point to point and from line to line, which are shorter than places and
    compress twice as well.
    """
    path, at = "", (0, 0)
    for line in lines:
        points = [(round(10 * across), round(10 * down)) for across, down in line]
        begin, *steps = [f"{(x - left) / 10:g} {(y - top) / 10:g}" for (left, top), (x, y) in pairwise([at, *points])]
        path += f"m{begin}l{' '.join(steps)}" if steps else f"m{begin}"
        at = points[-1]
    return path.replace(" -", "-")


def _upright(bands: Bands) -> str:
    """Path of a vertical line that is seen in these bands only, in steps as above."""
    steps = "".join(f"m0 {start - above:g}v{end - start:g}" for (_, above), (start, end) in pairwise(bands))
    return f"M0 {bands[0][0]:g}v{bands[0][1] - bands[0][0]:g}{steps}"


_PER_CENT = re.compile(r'="(-?[\d.]+)%"')
TICK_LETTER, NARROWED = 6.8, 0.72
"""Width of a letter of a tick's label; the least share of its own width at which a drawing is shown, on a phone."""


class Drawing:
    """Marks in the order of drawing: later ones cover earlier ones.

    Parameters
    ----------
    stretches : take the width of the page, with text of the same size at every width: all horizontal positions are
        per cent of the width, and ``width`` is the one of files.
    """

    def __init__(self, width: float, height: float, *, stretches: bool = False) -> None:
        self.width, self.height, self.stretches = width, height, stretches
        self.marks: list[str] = []

    @property
    def body(self) -> str:
        """The marks for a page."""
        return "\n".join(self.marks)

    @property
    def fixed(self) -> str:
        """The marks at the drawing's own width, for files, which some programs read without percentages."""
        return _PER_CENT.sub(lambda match: f'="{float(match[1]) * self.width / 100:.1f}"', self.body)

    def _add(self, tag: str, inside: str | None = None, /, **attributes: float | str) -> None:
        self.marks.append(element(tag, inside, **attributes))

    def _x(self, x: float) -> float | str:
        """A horizontal position or length as an attribute."""
        return f"{round(100 * x / self.width, 2):g}%" if self.stretches else x

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        self._add("line", kind=kind, x1=self._x(x1), x2=self._x(x2), y1=y1, y2=y2)

    def bar(self, x: float, y: float, width: float, height: float, kind: str, *, opacity: float = 1) -> None:
        share = f"{opacity:.2f}" if opacity < 1 else ""
        self._add("rect", kind=kind, x=self._x(x), y=y, width=self._x(width), height=height, fill_opacity=share)

    def path(self, d: str, kind: str) -> None:
        self._add("path", kind=kind, d=d)

    def inside(self, svg: str, x: float, y: float, width: float, height: float) -> None:
        """Another SVG, whose positions are per cents, at its pixels in a rectangle: not every program nests them."""
        marks = _resolved(fromstring(svg), width, height)  # nosec B314 - of this package
        self._add("g", marks, transform=f"translate({x:g} {y:g})")

    def dot(self, x: float, y: float, radius: float, kind: str, title: str = "") -> None:
        self._add("circle", _title(title) or None, kind=kind, cx=self._x(x), cy=y, r=radius)

    def curve(self, *lines: Iterable[tuple[float, float]], kind: str = "curve") -> None:
        """One or several lines through points, as one mark."""
        path = element("path", kind=kind, d=_through(lines), vector_effect="non-scaling-stroke")
        if not self.stretches:
            self.marks.append(path)
            return
        box = f"0 0 {self.width:g} {self.height:g}"
        self._add("svg", path, width="100%", height=self.height, viewBox=box, preserveAspectRatio="none")

    def text(
        self,
        x: float,
        y: float,
        words: str,
        kind: str = "",
        *,
        anchor: str = "",
        dx: float = 0,
        dy: str = "",
    ) -> None:
        """Text that begins at x, is centred there (anchor ``middle``) or ends there (``end``), moved by dx pixels."""
        place = {"dx": dx or "", "dy": dy, "x": self._x(x), "y": y}
        self._add("text", escape(words), kind=kind, text_anchor=anchor, **place)

    def whisker(self, low: float, high: float, y: float, *, ends: bool = True, kind: str = "whisker") -> None:
        """An interval from low to high; with ``ends``, a short stroke across each end."""
        if self.stretches:
            self.line(low, y, high, y, kind)
            for x in (low, high) if ends else ():
                self.line(x, y - WHISKER_END, x, y + WHISKER_END, kind)
            return
        strokes = "".join(f"M{x:g} {y - WHISKER_END:g}v{2 * WHISKER_END}" for x in (low, high)) if ends else ""
        self._add("path", kind=kind, d=f"M{low:g} {y:g}H{high:g}{strokes}")

    def box(self, five: Sequence[float], at: float, size: float) -> None:
        """A box plot of minimum, quartiles and maximum as positions; ``at`` is the middle of the box."""
        least, lower, median, upper, greatest = five
        begin, end = at - size / 2, at + size / 2
        self.line(least, at, greatest, at, "whisker")
        self.bar(lower, begin, max(upper - lower, 1.0), size, "middle-half")
        self.line(median, begin, median, end, "median")

    def cell(self, x: float, y: float, width: float, height: float, share: float, words: str) -> None:
        """One cell of a heat map; its shade grows with its share in [0, 1]."""
        shade = f"{0.07 + 0.93 * share:.2f}"
        self._add("rect", kind="cell", x=x, y=y, width=width, height=height, fill_opacity=shade)
        kind = "tick on-shade" if share > DARK_SHARE else "tick"
        self.text(x + width / 2, y + height / 2, words, kind, anchor="middle", dy=CENTRED)

    def x_axis(
        self,
        ticks: Ticks,
        y: float,
        *,
        top: float = 0,
        bottom: float | None = None,
        kind: str = "grid",
        bands: Bands = (),
    ) -> None:
        """Labels on the baseline y; with ``bottom``, vertical lines from top to bottom, or in these bands only."""
        for x, words in ticks:
            if bands:
                with self.at(x):
                    self.path(_upright(bands), kind)
            elif bottom is not None:
                self.line(x, top, x, bottom, kind)
            self.text(x, y, words, "tick", anchor=self._anchor(x, words))

    def _anchor(self, x: float, words: str) -> str:
        """Where a label begins or ends: at its tick if half of it has no room inside the drawing, else around it."""
        half = TICK_LETTER * len(words) / 2 / (NARROWED if self.stretches else 1)
        return "" if x < half else "end" if x > self.width - half else "middle"

    def y_axis(self, ticks: Ticks, left: float, right: float, *, gap: float = 6) -> None:
        """Horizontal lines from left to right, with labels, if any, before them."""
        for y, words in ticks:
            self.line(left, y, right, y, "grid")
            if words:
                self.text(left - gap, y, words, "tick", anchor="end", dy=CENTRED)

    @contextmanager
    def group(self, kind: str = "", *, title: str = "", link: str = "", transform: str = "") -> Iterator[None]:
        """Group of marks; with ``link``, a link."""
        outer, self.marks = self.marks, []
        try:
            yield
        finally:
            inside = _title(title) + "".join(self.marks)
            self.marks = outer
        self._add("a" if link else "g", inside, kind=kind, href=link, transform=transform)

    @contextmanager
    def at(self, x: float) -> Iterator[None]:
        """Marks at distances in pixels from x, in a drawing that stretches as in any other."""
        outer, stretches, self.marks, self.stretches = self.marks, self.stretches, [], False
        try:
            yield
        finally:
            inside, self.marks, self.stretches = "".join(self.marks), outer, stretches
        self._add("svg", inside, x=self._x(x), overflow="visible")


_VERTICAL = {"y", "y1", "y2", "cy", "height"}
"""Attributes whose per cents are of the height; all others are of the width."""


def _resolved(mark: Element, width: float, height: float) -> str:
    """A mark and those inside it, with pixels instead of per cents and groups instead of SVGs."""
    of = {
        name: float(text[:-1]) / 100 * (height if name in _VERTICAL else width) if text.endswith("%") else text
        for name, text in mark.attrib.items()
    }
    inside = escape(mark.text or "") + "".join(_resolved(child, width, height) for child in mark)
    if mark.tag != "svg":
        return element(mark.tag, inside or None, **of)
    x, y = float(of.get("x", 0)), float(of.get("y", 0))
    moved = f"translate({x:g} {y:g})" if x or y else ""
    return element("g", inside, kind=mark.get("class", ""), transform=moved)


def _title(words: str) -> str:
    return element("title", escape(words)) if words else ""
