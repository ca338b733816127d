"""SVG as PNG, with the fonts in this folder: a server may have none."""

from __future__ import annotations

from pathlib import Path

import resvg_py

from plots.chart import PAPER, Chart

SCALE = 2
"""Pixels per unit of a chart: sharp in print and on high-resolution screens."""
FAMILY = "Inter"
_FONTS = [str(Path(__file__).parent / "fonts" / f"Inter-{weight}.ttf") for weight in ("Regular", "SemiBold")]
"""They cover Latin, Greek and Cyrillic; other letters become boxes."""


def chart_png(chart: Chart) -> bytes:
    """A chart with its title, in the colours of the pages in light mode."""
    return png(chart.file(title_above=True, fixed=True), SCALE)


def png(svg: str, scale: float = 1.0) -> bytes:
    """A PNG of an SVG that uses neither CSS variables nor media queries.

    Raises
    ------
    ValueError
        it isn't well-formed.
    """
    return resvg_py.svg_to_bytes(
        svg_string=svg,
        background=PAPER,
        zoom=scale,
        skip_system_fonts=True,
        font_files=_FONTS,
        font_family=FAMILY,
        sans_serif_family=FAMILY,
    )
