from __future__ import annotations

from benchmark.features import Feature, Link


class AssociationsConfig(Feature):
    name = "benchmark.associations"
    urls = "views"
    links = (Link("Study texts", "associations:page", "main", here=("associations",)),)
