from __future__ import annotations

from benchmark.features import Feature


class ExploreConfig(Feature):
    name = "benchmark.explore"
    urls = "views"
