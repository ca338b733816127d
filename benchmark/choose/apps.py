from __future__ import annotations

from benchmark.features import Feature, Link


class ChooseConfig(Feature):
    name = "benchmark.choose"
    urls = "views"
    footer = (Link("Which vectors should I use?", "choose:choose"),)
