from __future__ import annotations

from benchmark.features import Feature, Link


class AssociationsConfig(Feature):
    name = "benchmark.associations"
    header = (Link("Associations", "associations:page", here=("associations",)),)
