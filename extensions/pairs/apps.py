from __future__ import annotations

from benchmark.features import Extension, Link


class PairsConfig(Extension):
    name = "extensions.pairs"
    urls = "views"
    jobs = "jobs"
    comparison = "views"
    part_of = (("pairs", "compare:compare"),)
    links = (
        Link("Word neighbourhoods of up to thirty entries, as a heat map", "pairs:heat", "compare"),
        Link("Two entries word by word", "pairs:pair", "compare"),
    )

    def tidy(self) -> None:
        from extensions.pairs.models import PairCorrelation
        from extensions.shared.requested import forget_old

        forget_old(PairCorrelation, ("correlate", "compare"))
