from __future__ import annotations

from benchmark.features import Extension, Link


class PracticeConfig(Extension):
    name = "extensions.practice"
    urls = "views"
    part_of = (("practice", "compare:compare"),)
    links = (
        Link("Which word score predicts practice?", "practice:practice", "Results"),
        Link("Which word score predicts practice?", "practice:practice", "scores"),
    )
