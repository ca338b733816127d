from __future__ import annotations

from benchmark.features import Feature, Link


class CompareConfig(Feature):
    name = "benchmark.compare"
    urls = "views"
    links = (Link("Compare", "compare:compare", "main", here=("compare",), turn=1),)
