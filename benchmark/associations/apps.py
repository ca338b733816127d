from __future__ import annotations

from benchmark.features import Extension, Link


class AssociationsConfig(Extension):
    name = "benchmark.associations"
    urls = "views"
    api = "api"
    links = (
        Link("Study texts", "associations:page", "main", here=("associations",)),
        Link("Test other lists, or your own", "associations:page", "report_associations"),
    )
