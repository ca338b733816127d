from __future__ import annotations

from benchmark.features import Extension


class DifferConfig(Extension):
    name = "extensions.differ"
    urls = "views"
    comparison = "views"
    part_of = (("differ", "compare:compare"),)
