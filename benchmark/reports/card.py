"""The picture shown with links to a report: 1200 × 630 pixels, as sites that show previews take them."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from functools import lru_cache

from PIL import Image, ImageDraw

from benchmark.leaderboard.columns import MEAN_RANK
from benchmark.reports.painting import ACCENT, INK, MUTED, PAPER, font, painted
from benchmark.reports.summary import Headline
from plots.chart import Chart
from tasks.suite import Suite

WIDTH, HEIGHT = 1200, 630
CAPTION = "Relative error reduction against the SVD-PPMI baseline, per cent"
CAPTION_OF_RANKS = "Mean of the ranks on the board of its language"
CAPTION_OF_DEMO = "Relative error reduction, per cent. Demo: not comparable with other results."
_LEFT, _COLUMN = 72, 360
_CHART_LEFT, _CHART_TOP, _CHART_ROOM = 320, 225, 325
"""The chart is to the right of the means."""
_NO_LETTER = "\U0010ffff"
"""No font has this one, so it looks like any letter that a font lacks."""


@dataclass(frozen=True)
class Card:
    """All that the picture shows; reports that show the same share a picture.

    ``caption`` says what the figures are.
    """

    name: str
    suite: str
    figures: tuple[tuple[str, str, str], ...]
    """Title, value and place of each mean."""
    caption: str
    chart_in_words: str = ""
    """What the chart shows, in words."""
    chart: Chart | None = field(default=None, compare=False)
    """Error reduction of every task; the same words mean the same chart."""
    width = WIDTH
    height = HEIGHT

    @property
    def in_words(self) -> str:
        """What the picture shows, for people who cannot see it."""
        figures = (f"{title} {value}{f' (rank {place})' if place else ''}" for title, value, place in self.figures)
        means = f"{self.name} on {self.suite}: {', '.join(figures)}. {self.caption}."
        return f"{means} {self.chart.title}." if self.chart else means


def card_of(name: str, suite: Suite, version: int, headlines: list[Headline], chart: Chart | None = None) -> Card:
    figures = tuple((mean.title, mean.value, mean.place) for mean in headlines)
    chart_in_words = chart.description if chart else ""
    caption = CAPTION if suite.comparable else CAPTION_OF_DEMO
    if [mean.title for mean in headlines] == [MEAN_RANK.title]:
        caption = CAPTION_OF_RANKS
    return Card(name, f"{suite.title} version {version}", figures, caption, chart_in_words, chart)


@lru_cache(maxsize=128)
def png(card: Card) -> bytes:
    """The picture itself."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, WIDTH, 13), fill=ACCENT)
    if card.chart is None:
        _draw_means(draw, card)
    else:
        _draw_means_and_chart(picture, draw, card, card.chart)
    _write(draw, 590, card.caption, 28, MUTED)
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def _draw_means(draw: ImageDraw.ImageDraw, card: Card) -> None:
    """Of a report without a chart, as the baseline's."""
    _head(draw, card, 120, 215)
    for column, (title, value, place) in enumerate(card.figures):
        left = _LEFT + column * _COLUMN
        _write(draw, 350, title, 34, MUTED, left=left)
        _write(draw, 430, value, 64, INK, bold=True, left=left)
        _write(draw, 482, f"rank {place}" if place else "", 30, INK, left=left)


def _draw_means_and_chart(picture: Image.Image, draw: ImageDraw.ImageDraw, card: Card, chart: Chart) -> None:
    _head(draw, card, 75, 155)
    for row, (title, value, _) in enumerate(card.figures):
        _write(draw, 265 + row * 110, title, 26, MUTED)
        _write(draw, 315 + row * 110, value, 46, INK, bold=True)
    _write(draw, _CHART_TOP - 20, chart.title, 26, INK, bold=True, left=_CHART_LEFT)
    room = WIDTH - _CHART_LEFT - _LEFT // 2
    scale = min(room / chart.drawing.width, _CHART_ROOM / chart.drawing.height)
    picture.paste(painted(chart.drawing, scale), (_CHART_LEFT, _CHART_TOP))


def _head(draw: ImageDraw.ImageDraw, card: Card, suite_y: int, name_y: int) -> None:
    name = _writable(card.name)
    size = next((size for size in (64, 52) if font(True, size).getlength(name) <= WIDTH - 2 * _LEFT), 44)
    _write(draw, suite_y, f"Vecboard · {card.suite}", 34, MUTED)
    _write(draw, name_y, name, size, INK, bold=True)


def _write(
    draw: ImageDraw.ImageDraw, y: int, text: str, size: int, colour: str, *, bold: bool = False, left: int = _LEFT
) -> None:
    """One line on its base line; what does not fit ends in an ellipsis."""
    face, room = font(bold, size), WIDTH - _LEFT - left
    if face.getlength(text) > room:
        while text and face.getlength(f"{text}…") > room:
            text = text[:-1].rstrip()
        text += "…"
    draw.text((left, y), text, font=face, fill=colour, anchor="ls")


def _writable(name: str) -> str:
    """A name without the letters that the font lacks; a row of empty boxes would say nothing."""
    face = font(True, 64)
    lacking = bytes(face.getmask(_NO_LETTER))
    words = " ".join(name.split())
    kept = "".join(char for char in words if char.isprintable() and bytes(face.getmask(char)) != lacking)
    return " ".join(kept.split()) or "Word embeddings"
