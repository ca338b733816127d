from __future__ import annotations

from benchmark.features import Extension, Link


class FindConfig(Extension):
    name = "benchmark.find"
    urls = "views"
    links = (Link("Find vectors", "find:find", "main"),)
