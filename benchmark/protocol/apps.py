from __future__ import annotations

from benchmark.features import Feature, Link


class ProtocolConfig(Feature):
    name = "benchmark.protocol"
    urls = "views"
    jobs = "views"
    links = (
        Link("Suite and tasks", "protocol:suite", "Method", of_suite=True),
        Link("Prescribed corpus", "protocol:corpus", "Method", here=("protocol:corpus-of",)),
    )
