from __future__ import annotations

from benchmark.features import Feature, Link


class CompareConfig(Feature):
    name = "benchmark.compare"
    header = (Link("Compare", "compare:compare", here=("compare", "people:beside")),)
