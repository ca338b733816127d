from __future__ import annotations

from benchmark.features import Extension, Link

MOST_ROWS = 25
"""Rows of a board in its image and its frame."""


class PicturesConfig(Extension):
    name = "extensions.pictures"
    urls = "views"
    sections = "views"
    links = (
        Link(f"the first {MOST_ROWS} as an SVG image", "pictures:svg", "take"),
        Link("as PDF", "pictures:pdf", "take"),
        Link("as PNG", "pictures:png", "take"),
        Link("page for an iframe", "pictures:embed", "take"),
    )
