from __future__ import annotations

from benchmark.features import Feature, Link


class CompareConfig(Feature):
    name = "benchmark.compare"
    urls = "views"
    jobs = "jobs"
    links = (Link("Compare", "compare:compare", "main", here=("compare",), turn=1),)

    def tidy(self) -> None:
        from benchmark.compare.models import PairCorrelation
        from benchmark.requested import forget_old

        forget_old(PairCorrelation, ("correlate", "compare"))
