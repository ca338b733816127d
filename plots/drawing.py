"""Marks of a picture in its own units. What a mark looks like is said by its class, in one style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape

from plots.scale import Ticks

WHISKER_END = 4
CENTRED = ".35em"
DARK_SHARE = 0.55
"""Cells of a heat map with a stronger shade have light letters."""


class Markup(str):
    """Text that is markup already: Django's templates, and others that know ``__html__``, do not escape it again."""

    def __html__(self) -> Markup:
        return self


def element(tag: str, inside: str | None = None, /, **attributes: float | str) -> str:
    """One element; ``kind`` is its class, ``_`` in a name stands for ``-``, and empty attributes are left out.

    Parameters
    ----------
    inside : markup, or None for an element that closes itself; the values of the attributes are escaped here.
    """
    attributes = {"class" if name == "kind" else name.replace("_", "-"): of for name, of in attributes.items()}
    written = "".join(f' {name}="{_written(of)}"' for name, of in attributes.items() if of != "")
    return f"<{tag}{written}>{inside}</{tag}>" if inside is not None else f"<{tag}{written}/>"


def _written(value: float | str) -> str:
    return escape(value) if isinstance(value, str) else f"{round(value, 1):g}"


class Drawing:
    """Marks, in the order in which they are added: later ones cover earlier ones."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.marks: list[str] = []

    @property
    def body(self) -> str:
        return "\n".join(self.marks)

    def _add(self, tag: str, inside: str | None = None, /, **attributes: float | str) -> None:
        self.marks.append(element(tag, inside, **attributes))

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        self._add("line", kind=kind, x1=x1, x2=x2, y1=y1, y2=y2)

    def bar(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        self._add("rect", kind=kind, x=x, y=y, width=width, height=height)

    def dot(self, x: float, y: float, radius: float, kind: str, title: str = "") -> None:
        self._add("circle", _title(title) or None, kind=kind, cx=x, cy=y, r=radius)

    def curve(self, points: Iterable[tuple[float, float]], kind: str = "curve") -> None:
        self._add("polyline", kind=kind, points=" ".join(f"{round(x, 1):g},{round(y, 1):g}" for x, y in points))

    def text(
        self, x: float, y: float, words: str, kind: str = "", *, anchor: str = "", dy: str = "", turned: float = 0
    ) -> None:
        """Words that begin at x, or are centred there (anchor ``middle``), or end there (``end``)."""
        turn = f"rotate({turned:g} {x:g} {y:g})" if turned else ""
        self._add("text", escape(words), kind=kind, x=x, y=y, dy=dy, text_anchor=anchor, transform=turn)

    def whisker(self, low: float, high: float, y: float, *, ends: bool = True, kind: str = "whisker") -> None:
        """An interval from low to high; with ``ends``, a short stroke across each."""
        strokes = "".join(f"M{x:g} {y - WHISKER_END:g}v{2 * WHISKER_END}" for x in (low, high)) if ends else ""
        self._add("path", kind=kind, d=f"M{low:g} {y:g}H{high:g}{strokes}")

    def box(self, five: Sequence[float], at: float, size: float, *, upright: bool = False) -> None:
        """Least, lower quartile, median, upper quartile and greatest, as places; ``at`` is the middle of the box."""
        least, lower, median, upper, greatest = five
        begin, end = at - size / 2, at + size / 2
        if upright:
            self.line(at, least, at, greatest, "whisker")
            self.bar(begin, upper, size, max(lower - upper, 1.0), "middle-half")
            self.line(begin, median, end, median, "median")
        else:
            self.line(least, at, greatest, at, "whisker")
            self.bar(lower, begin, max(upper - lower, 1.0), size, "middle-half")
            self.line(median, begin, median, end, "median")

    def cell(self, x: float, y: float, width: float, height: float, share: float, words: str) -> None:
        """One cell of a heat map: the larger its share, from 0 to 1, the stronger its shade."""
        shade = f"{0.07 + 0.93 * share:.2f}"
        self._add("rect", kind="cell", x=x, y=y, width=width, height=height, fill_opacity=shade)
        kind = "tick on-shade" if share > DARK_SHARE else "tick"
        self.text(x + width / 2, y + height / 2, words, kind, anchor="middle", dy=CENTRED)

    def x_axis(
        self, ticks: Ticks, y: float, *, top: float = 0, bottom: float | None = None, kind: str = "grid"
    ) -> None:
        """Labels on the base line y; where bottom is given, with upright lines from top to there."""
        for x, words in ticks:
            if bottom is not None:
                self.line(x, top, x, bottom, kind)
            self.text(x, y, words, "tick", anchor="middle")

    def y_axis(self, ticks: Ticks, left: float, right: float, *, gap: float = 6) -> None:
        """Level lines from left to right, with labels before them."""
        for y, words in ticks:
            self.line(left, y, right, y, "grid")
            self.text(left - gap, y, words, "tick", anchor="end", dy=CENTRED)

    @contextmanager
    def group(self, kind: str = "", *, title: str = "", link: str = "", transform: str = "") -> Iterator[None]:
        """Marks that belong together; with ``link`` they lead there."""
        own, self.marks = self.marks, []
        try:
            yield
        finally:
            inside = _title(title) + "".join(self.marks)
            self.marks = own
        self._add("a" if link else "g", inside, kind=kind, href=link, transform=transform)


def _title(words: str) -> str:
    return element("title", escape(words)) if words else ""
