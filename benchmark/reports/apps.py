from __future__ import annotations

from benchmark.features import Feature


class ReportsConfig(Feature):
    name = "benchmark.reports"
