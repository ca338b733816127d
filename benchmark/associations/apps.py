from __future__ import annotations

from benchmark.features import Feature, Link


class AssociationsConfig(Feature):
    name = "benchmark.associations"
    urls = "views"
    header = (Link("Associations", "associations:page", here=("associations",)),)
