"""Scatter plots, with names at their dots or without."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from plots.drawing import CENTRED, Drawing, Scale, Ticks, lower_fence, roomy, round_ticks
from plots.layouts import TICKS

SCATTER_WIDTH, SCATTER_HEIGHT, SCATTER_TOP = 560, 400, 32
NARROWEST = 328
"""Width on a phone."""
_SCATTER_MARGIN, _FOOT = 16, 44
Point = tuple[float, float]
NAMED_HEIGHT, NAMED_STRETCH, NARROW_STRETCH = 480, (560, 1000), (NARROWEST, 560)
"""Height of a plot with names; least and greatest width of the wide one and of the narrow one."""
NARROW_LEFT, ABOVE = 44, 40
"""Width of the vertical axis's labels on a phone, and room for names above the points, which have none beside them."""
_BELOW = 16
"""Distance of an outlier's point from the edge, for its arrow."""


@dataclass(frozen=True)
class LinkedDot:
    """A dot that is a link; ``title`` is shown on hover; ``kind`` is its CSS class; ``name`` may stand at the dot."""

    title: str
    link: str
    kind: str = "better"
    radius: float = 5
    name: str = ""


@dataclass(frozen=True)
class ScatterAxis:
    """An axis.

    Parameters
    ----------
    values : one per dot.
    write : formats a value, for ticks.
    is_turned : reversed, with small values to the right or at the top.
    is_logarithmic : all values are positive.
    is_fenced : low outliers (beyond Tukey's fence) stand at the edge, so that they don't press the others together.
    """

    values: Sequence[float]
    write: Callable[[float], str]
    name: str
    is_turned: bool = False
    is_logarithmic: bool = False
    is_fenced: bool = False

    @property
    def outliers(self) -> list[int]:
        """Positions of the values beyond the fence."""
        least = lower_fence(self.placed) if self.is_fenced else -math.inf
        return [index for index, value in enumerate(self.placed) if value < least]

    @property
    def placed(self) -> list[float]:
        """The values, or their logarithms."""
        return [math.log10(value) for value in self.values] if self.is_logarithmic else list(self.values)

    def scale(self, begin: float, end: float) -> Scale:
        outliers = set(self.outliers)
        inside = [value for index, value in enumerate(self.placed) if index not in outliers]
        return roomy(inside, end, begin) if self.is_turned else roomy(inside, begin, end)

    def ticks(self, scale: Scale, most: int) -> Ticks:
        """About ``most`` round values; on a logarithmic axis 1, 2 and 5 times powers of ten, or powers alone."""
        if not self.is_logarithmic:
            return round_ticks(scale, most, self.write)
        powers = range(math.floor(scale.low), math.ceil(scale.high) + 1)
        values = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
        shown = [value for value in values if scale.low <= math.log10(value) <= scale.high]
        if len(shown) > 2 * most:
            shown = [value for value in shown if math.log10(value).is_integer()]
        return [(scale(math.log10(value)), self.write(value)) for value in shown]


def scatter(
    dots: Sequence[LinkedDot],
    across: ScatterAxis,
    up: ScatterAxis,
    *,
    left: float,
    is_named: bool = False,
    is_narrow: bool = False,
    joined: Sequence[int] = (),
) -> Drawing:
    """A scatter plot of dots.

    Parameters
    ----------
    left : width of the labels of the vertical axis.
    is_named : names stand at the dots (:func:`place_names`), those joined in any case.
    is_narrow : as wide as a phone.
    joined : positions of dots joined by a line, from left to right.
    """
    width, height = NARROWEST if is_narrow else SCATTER_WIDTH, NAMED_HEIGHT if is_named else SCATTER_HEIGHT
    right, base = width - _SCATTER_MARGIN, height - _FOOT
    left, above = (NARROW_LEFT, ABOVE) if is_narrow else (left, 0)
    x, y = across.scale(left, right), up.scale(base, SCATTER_TOP + above)
    at = [(x(first), y(second)) for first, second in zip(across.placed, up.placed, strict=True)]
    for index in up.outliers:
        at[index] = at[index][0], base - _BELOW
    drawing = Drawing(width, height, stretches=True)
    drawing.x_axis(across.ticks(x, TICKS // 2 if is_narrow else TICKS), base + 18, top=SCATTER_TOP, bottom=base)
    drawing.y_axis(up.ticks(y, TICKS), left, right, gap=8)
    line = sorted(at[index] for index in joined)
    if joined:
        drawing.curve(line, kind="front")
    names: Mapping[int, PlacedName] = {}
    if is_named:
        texts = [dot.name for dot in dots]
        for index in up.outliers:
            texts[index] += f", {up.write(round(up.values[index], 1))}"
        least, greatest = NARROW_STRETCH if is_narrow else NAMED_STRETCH
        edges = (left, SCATTER_TOP, width, base)
        names = place_names(at, texts, joined, line, edges, (least / width, greatest / width))
    _draw_dots(drawing, dots, at, names, joined)
    for index in up.outliers:
        with drawing.at(at[index][0]):
            drawing.path(f"M0 {base - _BELOW + 7}V{base - 1}M-4 {base - 5}L0 {base - 1}L4 {base - 5}", "whisker")
    drawing.text(0, SCATTER_TOP - 16, up.name, "tick")
    drawing.text(right, height - 6, across.name, "tick", anchor="end")
    return drawing


def _draw_dots(
    drawing: Drawing,
    dots: Sequence[LinkedDot],
    at: Sequence[Point],
    names: Mapping[int, PlacedName],
    joined: Sequence[int],
) -> None:
    for index, name in names.items():
        if tip := name.tip:
            (x, y), length = at[index], math.hypot(*tip)
            share = dots[index].radius / length  # from the edge of the dot, whose fill lets lines through
            with drawing.at(x):
                drawing.line(tip[0] * share, y + tip[1] * share, tip[0], y + tip[1], "leader")
    for index, (dot, (x, y)) in enumerate(zip(dots, at, strict=True)):
        with drawing.group(title=dot.title, link=dot.link):
            drawing.dot(x, y, dot.radius, dot.kind)
            if index in names:
                dx, anchor = names[index].anchor
                kind = "nr strong" if index in joined else "nr"
                drawing.text(x, y + names[index].rise, names[index].text, kind, anchor=anchor, dx=dx, dy=CENTRED)


Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""
NAME_HEIGHT = 15
"""Height of a line."""
DOT_RADIUS = 6
GAP, LEADER, LONG_LEADER = 10, 14, 20
"""Distance of a level name from the middle of its point, and of a moved one."""
_STEP, _REACH, _FURTHEST = 6, 60, 180
"""Steps of a moved name, and how far it may be from its point; the furthest for names that must be there."""


_THIN, _BROAD = frozenset("iljtfrI.,:;'()|!- "), frozenset("mwMW@%")
_IDEOGRAPHS = "\u2e80"
"""The first letter of the scripts whose letters are as wide as high."""


def width_of(text: str) -> float:
    """About the width of a name in semi-bold letters of 12 pixels, rather too much than too little."""
    return sum(map(_width_of_letter, text))


def _width_of_letter(letter: str) -> float:
    if letter >= _IDEOGRAPHS:
        return 13
    if letter in _THIN:
        return 4.6
    if letter in _BROAD:
        return 12
    return 8 if letter.isupper() or letter.isdigit() else 7


def _cut(text: str, room: float) -> str:
    """A name that fits, with an ellipsis for what does not."""
    if width_of(text) <= room:
        return text
    while text and width_of(text) > room - 11:
        text = text[:-1]
    return f"{text.rstrip()}…"


@dataclass(frozen=True)
class PlacedName:
    """A name beside its point: offsets, in pixels from the point, of the left end and the middle of its line."""

    text: str
    left: float
    rise: float

    @property
    def right(self) -> float:
        return self.left + width_of(self.text)

    @property
    def anchor(self) -> tuple[float, str]:
        """The end of the text that is nearest to the point, and the name of this end in SVG."""
        if self.left > 0:
            return self.left, ""
        return (self.right, "end") if self.right < 0 else ((self.left + self.right) / 2, "middle")

    @property
    def tip(self) -> Point | None:
        """End of the line from the point; None for a name that is level with it."""
        if not self.rise:
            return None
        if self.left <= 0 <= self.right:
            return 0.0, self.rise - (NAME_HEIGHT / 2 if self.rise > 0 else -NAME_HEIGHT / 2)
        return (self.left - 2 if self.left > 0 else self.right + 2), self.rise

    def box(self, point: Point) -> Box:
        x, y = point
        return x + self.left, y + self.rise - NAME_HEIGHT / 2, x + self.right, y + self.rise + NAME_HEIGHT / 2


class _Plot:
    """What is drawn at one width so far."""

    def __init__(self, points: Sequence[Point], line: Sequence[Point], edges: Box) -> None:
        self.points, self.lines, self.edges = points, [*pairwise(line)], edges
        self.dots = [(x - DOT_RADIUS, y - DOT_RADIUS, x + DOT_RADIUS, y + DOT_RADIUS) for x, y in points]
        self.boxes: list[Box] = []
        self.leaders: list[tuple[Point, Point]] = []

    def leader(self, index: int, name: PlacedName) -> tuple[Point, Point] | None:
        (x, y), tip = self.points[index], name.tip
        return ((x, y), (x + tip[0], y + tip[1])) if tip else None

    def fits(self, index: int, name: PlacedName, *, clear_of_all: bool) -> bool:
        """Whether a name is within the edges and clear of other names or, on request, of all marks."""
        left, top, right, bottom = name.box(self.points[index])
        if left < self.edges[0] or top < self.edges[1] or right > self.edges[2] or bottom > self.edges[3]:
            return False
        return (not clear_of_all or self.is_clear_of_marks(index, name)) and self.is_apart(index, name)

    def is_apart(self, index: int, name: PlacedName) -> bool:
        """Whether the name is clear of all others, and of their lines."""
        left, top, right, bottom = name.box(self.points[index])
        wider = (left - 4, top + 1, right + 4, bottom - 1)  # places in a pile are rounded
        leader = self.leader(index, name)
        return (
            not any(_overlap(wider, box) for box in self.boxes)
            and not any(_crosses(other, wider) for other in self.leaders)
            and not (leader and any(_crosses(leader, box) for box in self.boxes))
        )

    def is_clear_of_marks(self, index: int, name: PlacedName) -> bool:
        """Whether the name is clear of the other points and of the line between them."""
        box, leader = name.box(self.points[index]), self.leader(index, name)
        others = [dot for at, dot in enumerate(self.dots) if self.points[at] != self.points[index]]
        return not any(_crosses(line, box) for line in self.lines) and not any(
            _overlap(box, dot) or (leader and _crosses(leader, _inner(dot))) for dot in others
        )

    def add(self, index: int, name: PlacedName) -> None:
        self.boxes.append(name.box(self.points[index]))
        if leader := self.leader(index, name):
            self.leaders.append(leader)


def place_names(
    points: Sequence[Point],
    names: Sequence[str],
    first: Sequence[int],
    line: Sequence[Point],
    edges: Box,
    stretch: tuple[float, float] = (1.0, 1.0),
) -> dict[int, PlacedName]:
    """The name of each point that has room for it, level with it or joined to it; of the ``first`` points always.

    A plot is drawn once for a range of widths. Names keep their distance from their points in pixels, while points move
    apart. What is clear of everything at the least and at the greatest width is so in between: points keep their order,
    and the height of a joining line at a distance from a point changes one way.

    Parameters
    ----------
    first : positions of points that are named before the others.
    line : the corners of a line that no name covers.
    edges : names stay within them.
    stretch : least and greatest width, as shares of the one in which the points are given.
    """
    room = stretch[0] * (edges[2] - edges[0])
    texts = {index: _cut(name, room) for index, name in enumerate(names) if name}
    downwards = sorted(texts, key=lambda index: points[index][1])
    on_line = [index for index in downwards if index in first]
    for order in (on_line, on_line[::-1]):
        placing = _Placing(points, line, edges, stretch)
        missing = [index for index in order if not placing.anyhow(index, texts[index], clear_of_all=True)]
        if not missing:
            break
    for index in missing:
        if not placing.anyhow(index, texts[index], clear_of_all=False):
            placing.names[index] = next(_level(texts[index]))
    others = [index for index in downwards if index not in first]
    for pile in _piles(others, points):
        if len(pile) > 1:
            any(placing.together(names) for names in _spread(pile, points, texts))
    for offered in (_level, placing.moved):
        for index in others:
            if index not in placing.names:
                any(placing.together({index: name}) for name in offered(texts[index], index))
    return placing.names


class _Placing:
    """The names placed so far, at the least and at the greatest width."""

    def __init__(
        self, points: Sequence[Point], line: Sequence[Point], edges: Box, stretch: tuple[float, float]
    ) -> None:
        self.names: dict[int, PlacedName] = {}
        self.plots = [
            _Plot(
                [(share * x, y) for x, y in points],
                [(share * x, y) for x, y in line],
                (share * edges[0], edges[1], share * edges[2], edges[3]),
            )
            for share in stretch
        ]

    def together(self, names: Mapping[int, PlacedName], *, clear_of_all: bool = True) -> bool:
        """Add these names if all of them fit."""
        before = [(len(plot.boxes), len(plot.leaders)) for plot in self.plots]
        for index, name in names.items():
            if not all(plot.fits(index, name, clear_of_all=clear_of_all) for plot in self.plots):
                for plot, (boxes, leaders) in zip(self.plots, before, strict=True):
                    del plot.boxes[boxes:], plot.leaders[leaders:]
                return False
            for plot in self.plots:
                plot.add(index, name)
        self.names.update(names)
        return True

    def anyhow(self, index: int, text: str, *, clear_of_all: bool) -> bool:
        """Add a name at the nearest place with room."""
        offered = (*_level(text), *self.moved(text, index, _FURTHEST))
        return any(self.together({index: name}, clear_of_all=clear_of_all) for name in offered)

    def moved(self, text: str, index: int, furthest: float = _REACH) -> Iterator[PlacedName]:
        """Below and above a point, the nearest first: to the right, to the left, or across, as the edges allow."""
        plot, width = self.plots[0], width_of(text)
        x = plot.points[index][0]
        across = min(max(-width / 2, plot.edges[0] - x), plot.edges[2] - x - width)
        for step in range(1, int(furthest / _STEP) + 1):
            for rise in (float(step * _STEP), float(-step * _STEP)):
                yield PlacedName(text, LEADER, rise)
                yield PlacedName(text, -LEADER - width, rise)
                if abs(rise) >= NAME_HEIGHT:
                    yield PlacedName(text, across, rise)


def _piles(downwards: Sequence[int], points: Sequence[Point]) -> list[list[int]]:
    """Points one below the other, too near for level names, from top to bottom."""
    piles: list[list[int]] = []
    for index in downwards:
        x, y = points[index]
        for pile in piles:
            last = points[pile[-1]]
            if abs(x - last[0]) < 2 * DOT_RADIUS and y - last[1] < NAME_HEIGHT:
                pile.append(index)
                break
        else:
            piles.append([index])
    return piles


def _spread(pile: Sequence[int], points: Sequence[Point], texts: Mapping[int, str]) -> Iterator[dict[int, PlacedName]]:
    """The names of a pile one below the other, as near to their points as they can be: at the right, at the left."""
    blocks: list[tuple[float, int]] = []  # middle and number of names that touch
    for index in pile:
        middle, count = points[index][1], 1
        while blocks and middle - blocks[-1][0] < NAME_HEIGHT * (count + blocks[-1][1]) / 2:
            above, more = blocks.pop()
            middle, count = (above * more + middle * count) / (more + count), more + count
        blocks.append((middle, count))
    places = [middle + (row - (count - 1) / 2) * NAME_HEIGHT for middle, count in blocks for row in range(count)]
    rises = [round(place - points[index][1], 1) for index, place in zip(pile, places, strict=True)]
    level = [abs(rise) < 1 for rise in rises]
    for side, leader in ((1, LONG_LEADER), (1, LEADER), (-1, LONG_LEADER), (-1, LEADER)):
        yield {
            index: PlacedName(
                texts[index],
                side * (GAP if is_level else leader) - (0.0 if side > 0 else width_of(texts[index])),
                0.0 if is_level else rise,
            )
            for index, rise, is_level in zip(pile, rises, level, strict=True)
        }


def _level(text: str, _index: int = 0) -> Iterator[PlacedName]:
    """To the right and to the left of a point."""
    yield PlacedName(text, GAP, 0.0)
    yield PlacedName(text, -GAP - width_of(text), 0.0)


def _inner(dot: Box) -> Box:
    """The part of a point that a line must not touch."""
    return dot[0] + 2, dot[1] + 2, dot[2] - 2, dot[3] - 2


def _overlap(first: Box, second: Box) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def _crosses(line: tuple[Point, Point], box: Box) -> bool:
    """Whether a part of a line is inside a box (Liang & Barsky 1984)."""
    (x, y), (to_x, to_y) = line
    begin, end = 0.0, 1.0
    for step, room in (
        (x - to_x, x - box[0]),
        (to_x - x, box[2] - x),
        (y - to_y, y - box[1]),
        (to_y - y, box[3] - y),
    ):
        if step == 0:
            if room <= 0:
                return False
        elif step < 0:
            begin = max(begin, room / step)
        else:
            end = min(end, room / step)
    return begin < end
