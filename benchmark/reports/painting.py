"""Charts as PNG: the marks of a drawing, painted in the colours of the pages in light, with a font that ships."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from plots.chart import LINE_HEIGHT, Chart
from plots.drawing import Drawing, Mark
from tasks.text import visible

PAPER, INK, MUTED, ACCENT = "#fbfaf7", "#1c1b19", "#5b5852", "#0a5583"
RULE, BETTER, WORSE, BASELINE, HALF = "#d8d4ca", "#0072b2", "#d55e00", "#8a867e", "#add2e7"
SCALE = 2
"""Pixels of a file by unit of the drawing: sharp in print and on fine screens."""
_FINER = 2
"""Painted so much larger, then reduced: Pillow's own lines have steps."""
_MARGIN, _TITLE_SIZE = 16, 14
_FONTS = Path(__file__).parent / "fonts"
"""Inter, which ships with the site: a server may have no fonts at all. Latin, Greek and Cyrillic letters."""


@dataclass(frozen=True)
class _Ink:
    """What a mark looks like; width in units of the drawing."""

    fill: str = ""
    stroke: str = ""
    width: float = 1.0


_INKS = {
    "grid": _Ink(stroke=RULE), "rule": _Ink(stroke=RULE), "zero": _Ink(stroke=BASELINE, width=2),
    "reference": _Ink(stroke=BASELINE, width=3), "whisker": _Ink(stroke=INK, width=1.5),
    "median": _Ink(stroke=INK, width=2), "curve": _Ink(stroke=BETTER, width=1.5),
    "better": _Ink(BETTER), "worse": _Ink(WORSE), "close": _Ink(INK), "dot": _Ink(INK), "baseline": _Ink(BASELINE),
    "best": _Ink(BETTER, PAPER), "middle-half": _Ink(HALF, INK),
}  # fmt: skip


def png(chart: Chart) -> bytes:
    """A chart with its title as the bytes of a PNG file."""
    lines = chart.title_lines
    above = LINE_HEIGHT * len(lines) + 8
    width, height = chart.drawing.width + 2 * _MARGIN, chart.drawing.height + above + 2 * _MARGIN
    picture = Image.new("RGB", (round(width * SCALE), round(height * SCALE)), PAPER)
    draw = ImageDraw.Draw(picture)
    for nth, line in enumerate(lines):
        place = (_MARGIN * SCALE, (_MARGIN + LINE_HEIGHT * (nth + 0.7)) * SCALE)
        draw.text(place, line, font=font(True, _TITLE_SIZE * SCALE), fill=INK, anchor="ls")
    body = painted(chart.drawing, SCALE, is_small="small" in chart.kind)
    picture.paste(body, (_MARGIN * SCALE, round((_MARGIN + above) * SCALE)))
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def painted(drawing: Drawing, scale: float, *, is_small: bool = False) -> Image.Image:
    """A drawing on paper, so many pixels by unit.

    Raises
    ------
    KeyError
        a mark has a class without colours here.
    """
    finer = scale * _FINER
    picture = Image.new("RGB", (round(drawing.width * finer), round(drawing.height * finer)), PAPER)
    _Brush(ImageDraw.Draw(picture), finer, 11 if is_small else 14, 11 if is_small else 12).paint(drawing.marks)
    return picture.resize((round(drawing.width * scale), round(drawing.height * scale)), Image.Resampling.LANCZOS)


@dataclass(frozen=True)
class _Brush:
    draw: ImageDraw.ImageDraw
    scale: float
    letters: int
    tick_letters: int

    def paint(self, marks: Iterable[Mark], *, is_missing: bool = False) -> None:
        for mark in marks:
            if isinstance(mark.inside, tuple) and mark.tag in ("g", "a"):
                self.paint(mark.inside, is_missing=mark.attributes.get("kind") == "missing")
            elif mark.tag == "text":
                self._text(mark, is_missing=is_missing)
            elif mark.tag != "title":
                self._shape(mark)

    def _at(self, mark: Mark, *names: str) -> list[float]:
        return [float(mark.attributes[name]) * self.scale for name in names]

    def _shape(self, mark: Mark) -> None:
        ink = _INKS[str(mark.attributes["kind"]).split()[-1]]
        width = max(1, round(ink.width * self.scale))
        if mark.tag == "line":
            self.draw.line(self._at(mark, "x1", "y1", "x2", "y2"), ink.stroke, width)
        elif mark.tag == "polyline":
            points = [float(number) * self.scale for number in re.split("[ ,]", str(mark.attributes["points"]))]
            self.draw.line(points, ink.stroke, width, joint="curve")
        elif mark.tag == "path":
            self._strokes(str(mark.attributes["d"]), ink.stroke, width)
        elif mark.tag == "rect":
            x, y, across, down = self._at(mark, "x", "y", "width", "height")
            self.draw.rectangle((x, y, x + across, y + down), ink.fill, ink.stroke or None, width if ink.stroke else 0)
        else:
            x, y, r = self._at(mark, "cx", "cy", "r")
            self.draw.ellipse((x - r, y - r, x + r, y + r), ink.fill, ink.stroke or None, width if ink.stroke else 0)

    def _strokes(self, path: str, stroke: str, width: int) -> None:
        """A whisker: level and upright lines alone."""
        for x, y, how, to in re.findall(r"M([\d.e+-]+) ([\d.e+-]+)([Hv])([\d.e+-]+)", path):
            begin = (float(x), float(y))
            end = (float(to), begin[1]) if how == "H" else (begin[0], begin[1] + float(to))
            self.draw.line([number * self.scale for number in (*begin, *end)], stroke, width)

    def _text(self, mark: Mark, *, is_missing: bool) -> None:
        kinds = str(mark.attributes.get("kind", "")).split()
        size = self.scale * (self.tick_letters if "tick" in kinds else self.letters)
        x, y = self._at(mark, "x", "y")
        y += size * float(str(mark.attributes.get("dy") or "0em").removesuffix("em"))
        side = {"end": "r", "middle": "m"}.get(str(mark.attributes.get("text_anchor", "")), "l")
        fill = MUTED if "tick" in kinds or is_missing else INK
        words = " ".join(visible(str(mark.inside)).split())
        self.draw.text(
            (x, y), words, font=font("strong" in kinds, round(size)), fill=fill, anchor=f"{side}s",
            stroke_width=self.scale, stroke_fill=PAPER,
        )  # fmt: skip


@lru_cache(maxsize=32)
def font(bold: bool, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(_FONTS / f"Inter-{'SemiBold' if bold else 'Regular'}.woff2", size)
