from __future__ import annotations

from benchmark.features import Extension, Link


class ChooseConfig(Extension):
    name = "benchmark.choose"
    urls = "views"
    links = (
        Link("Find vectors", "choose:choose", "main", here=("choose",)),
        Link("Cost against score", "choose:cost", "Results"),
    )
