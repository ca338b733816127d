from __future__ import annotations

from benchmark.features import Extension, Link


class PicturesConfig(Extension):
    name = "extensions.pictures"
    urls = "views"
    sections = "views"
    links = (
        Link("image as SVG", "pictures:svg", "take"),
        Link("as PDF", "pictures:pdf", "take"),
        Link("as PNG", "pictures:png", "take"),
        Link("page for an iframe", "pictures:embed", "take"),
    )
