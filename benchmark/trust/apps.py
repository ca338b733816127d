from __future__ import annotations

from benchmark.features import Feature, Link


class TrustConfig(Feature):
    name = "benchmark.trust"
    footer = (Link("Why trust these numbers?", "trust:trust"),)
