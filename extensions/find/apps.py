from __future__ import annotations

from benchmark.features import Extension, Link


class FindConfig(Extension):
    name = "extensions.find"
    urls = "views"
    links = (Link("Find vectors", "find:find", "main"),)
