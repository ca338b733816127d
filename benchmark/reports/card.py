"""The picture that links to a report are shown with: 1200 × 630 pixels, as sites that show previews take them."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from benchmark.reports.summary import Headline
from benchmark.templatetags.figures import signed_percent
from tasks.suite import Suite

WIDTH, HEIGHT = 1200, 630
PAPER, INK, MUTED, ACCENT = "#fbfaf7", "#1c1b19", "#5b5852", "#0a5583"
_FONTS = Path(__file__).parent / "fonts"
"""Inter, which ships with the site: a server may have no fonts at all. Latin, Greek and Cyrillic letters."""
TOLD = "Relative error reduction against the SVD-PPMI baseline, per cent"
TOLD_OF_DEMO = "Relative error reduction, per cent. Demo: not comparable with other results."
_LEFT, _COLUMN = 72, 360
_NO_LETTER = "\U0010ffff"
"""No font has this one, so it looks like any letter that a font lacks."""


@dataclass(frozen=True)
class Card:
    """All that the picture tells; two reports that tell the same have the same picture."""

    name: str
    suite: str
    figures: tuple[tuple[str, str, str], ...]
    """Title, value and place of each mean."""
    comparable: bool
    width = WIDTH
    height = HEIGHT

    @property
    def in_words(self) -> str:
        """What the picture shows, for people who cannot see it."""
        figures = (f"{title} {value}{f' (rank {place})' if place else ''}" for title, value, place in self.figures)
        return f"{self.name} on {self.suite}: relative error reduction in per cent, {', '.join(figures)}."


def card_of(name: str, suite: Suite, version: int, headlines: list[Headline]) -> Card:
    figures = tuple((mean.title, signed_percent(mean.value), mean.place) for mean in headlines)
    return Card(name, f"{suite.title} version {version}", figures, suite.comparable)


@lru_cache(maxsize=128)
def png(card: Card) -> bytes:
    """The picture itself."""
    picture = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, WIDTH, 13), fill=ACCENT)
    _write(draw, 120, f"Vecboard · {card.suite}", 34, MUTED)
    name = _writable(card.name)
    size = next((size for size in (64, 52) if _font(True, size).getlength(name) <= WIDTH - 2 * _LEFT), 44)
    _write(draw, 215, name, size, INK, bold=True)
    for column, (title, value, place) in enumerate(card.figures):
        left = _LEFT + column * _COLUMN
        _write(draw, 350, title, 34, MUTED, left=left)
        _write(draw, 430, value, 64, INK, bold=True, left=left)
        _write(draw, 482, f"rank {place}" if place else "", 30, INK, left=left)
    _write(draw, 575, TOLD if card.comparable else TOLD_OF_DEMO, 28, MUTED)
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def _write(
    draw: ImageDraw.ImageDraw, y: int, text: str, size: int, colour: str, *, bold: bool = False, left: int = _LEFT
) -> None:
    """One line on its base line; what does not fit ends in an ellipsis."""
    font, room = _font(bold, size), WIDTH - _LEFT - left
    if font.getlength(text) > room:
        while text and font.getlength(f"{text}…") > room:
            text = text[:-1].rstrip()
        text += "…"
    draw.text((left, y), text, font=font, fill=colour, anchor="ls")


@lru_cache(maxsize=16)
def _font(bold: bool, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(_FONTS / f"Inter-{'SemiBold' if bold else 'Regular'}.woff2", size)


def _writable(name: str) -> str:
    """A name as far as the font has its letters; a row of empty boxes would say nothing."""
    font = _font(True, 64)
    lacking = bytes(font.getmask(_NO_LETTER))
    words = " ".join(name.split())
    kept = "".join(char for char in words if char.isprintable() and bytes(font.getmask(char)) != lacking)
    return " ".join(kept.split()) or "Word embeddings"
