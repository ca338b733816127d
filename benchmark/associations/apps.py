from __future__ import annotations

from benchmark.features import Feature, Link


class AssociationsConfig(Feature):
    name = "benchmark.associations"
    urls = "views"
    links = (Link("Associations", "associations:page", "Results", here=("associations",)),)
