from __future__ import annotations

from benchmark.features import Extension, Link


class FrontConfig(Extension):
    name = "extensions.front"
    requires = ("extensions.find",)
    urls = ""
    links = (Link("Vectors that are too large", "front.html", "find", detail="How small can they get? A command"),)
