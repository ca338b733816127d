from __future__ import annotations

from benchmark.features import Feature, Link


class CompareConfig(Feature):
    name = "benchmark.compare"
    urls = "views"
    jobs = "jobs"
    header = (Link("Compare", "compare:compare", here=("compare", "people:beside")),)

    def tidy(self) -> None:
        from benchmark.compare.models import forget_old

        forget_old()
