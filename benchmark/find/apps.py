from __future__ import annotations

from benchmark.features import Feature, Link


class FindConfig(Feature):
    name = "benchmark.find"
    urls = "views"
    links = (Link("Find vectors", "find:find", "main", here=("find", "own", "sufficiency")),)
