from __future__ import annotations

from benchmark.features import Feature, Link


class ProtocolConfig(Feature):
    name = "benchmark.protocol"
    urls = "views"
    jobs = "views"
    header = (Link("Suite", "protocol:suite", of_suite=True), Link("Corpus", "protocol:corpus"))
