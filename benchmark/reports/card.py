"""Preview image of a report for links on other sites: 1200 × 630 pixels, the usual size."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape

from benchmark.leaderboard.columns import MEAN_RANK
from benchmark.reports.summary import Headline
from plots.chart import Chart, png
from plots.drawing import element
from tasks.suite import Suite

WIDTH, HEIGHT = 1200, 630
INK, MUTED, ACCENT = "#1c1b19", "#5b5852", "#0a5583"
CAPTION = "Relative error reduction against the SVD-PPMI baseline, per cent"
CAPTION_OF_RANKS = "Mean of the ranks on the board of its language"
CAPTION_OF_DEMO = "Relative error reduction, per cent. Demo: not comparable with other results."
_LEFT, _CHART_LEFT = 72, 320
"""The chart is to the right of the means."""
_NARROW, _WIDE = " !'(),.:;I/\\[]|fijlrt-", "mwMW@%…—жмшщюЖМШЩЮωΩ"
_WRITABLE = re.compile(r"[\u0020-\u04ff\u1e00-\u1fff\u2010-\u2027\u2030-\u2055\u20a0-\u20bf]")
"""Blocks of Unicode that the fonts cover: Latin, Greek, Cyrillic, punctuation and currency signs."""


@dataclass(frozen=True)
class Card:
    """Content of the preview; equal contents share an image. ``caption`` explains the figures."""

    name: str
    suite: str
    figures: tuple[tuple[str, str, str], ...]
    """Title, value and place of each mean."""
    caption: str
    chart_in_words: str = ""
    """Text alternative of the chart."""
    chart: Chart | None = field(default=None, compare=False)
    """Error reduction of every task; compared by its text."""
    width = WIDTH
    height = HEIGHT

    @property
    def in_words(self) -> str:
        """Text alternative of the image."""
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
def card_png(card: Card) -> bytes:
    parts = [element("rect", None, width=WIDTH, height=14, fill=ACCENT)]
    if card.chart is None:
        parts += _head(card, 120, 215)
        for nth, (title, value, place) in enumerate(card.figures):
            left = _LEFT + 360 * nth
            parts += [_line(350, title, 34, MUTED, left=left), _line(430, value, 64, bold=True, left=left)]
            parts.append(_line(482, f"rank {place}" if place else "", 30, left=left))
    else:
        parts += _head(card, 75, 155)
        for nth, (title, value, _) in enumerate(card.figures):
            parts += [_line(265 + 110 * nth, title, 26, MUTED), _line(315 + 110 * nth, value, 46, bold=True)]
        parts.append(_line(205, card.chart.title, 26, bold=True, left=_CHART_LEFT))
        parts.append(card.chart.inside(_CHART_LEFT, 225, WIDTH - _CHART_LEFT - _LEFT // 2, 325))
    parts.append(_line(590, card.caption, 28, MUTED))
    return png(element("svg", "".join(parts), xmlns="http://www.w3.org/2000/svg", width=WIDTH, height=HEIGHT))


def _head(card: Card, suite_y: int, name_y: int) -> list[str]:
    name = _writable(card.name)
    size = next((size for size in (64, 52) if _width(name, size) <= WIDTH - 2 * _LEFT), 44)
    return [_line(suite_y, f"Vecboard · {card.suite}", 34, MUTED), _line(name_y, name, size, bold=True)]


def _line(y: int, text: str, size: int, colour: str = INK, *, bold: bool = False, left: int = _LEFT) -> str:
    """Text on the baseline y; an ellipsis replaces what does not fit."""
    room = WIDTH - _LEFT - left
    if _width(text, size) > room:
        while text and _width(f"{text}…", size) > room:
            text = text[:-1].rstrip()
        text += "…"
    style = f"font:{600 if bold else 400} {size}px sans-serif;fill:{colour}"
    return element("text", escape(text), x=left, y=y, style=style)


def _width(text: str, size: int) -> float:
    """An estimate in pixels, from Inter's mean widths; the margin on the right is larger than its error."""
    return size * sum(
        0.34 if char in _NARROW else 0.95 if char in _WIDE else 0.72 if char.isupper() else 0.6 for char in text
    )


def _writable(name: str) -> str:
    """The name without characters that the fonts lack, or a neutral one: boxes would say nothing."""
    kept = "".join(char for char in " ".join(name.split()) if char.isprintable() and _WRITABLE.match(char))
    return " ".join(kept.split()) or "Word embeddings"
