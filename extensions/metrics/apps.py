from __future__ import annotations

from benchmark.features import Extension


class MetricsConfig(Extension):
    name = "extensions.metrics"
    urls = "views"
