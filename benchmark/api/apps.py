from __future__ import annotations

from benchmark.features import Feature, Link


class ApiConfig(Feature):
    name = "benchmark.api"
    urls = "api"
    prefix = "api"
    links = (Link("API", "about-api", "Take part"),)
