from __future__ import annotations

from benchmark.features import Extension, Link


class StudyConfig(Extension):
    name = "benchmark.study"
    urls = "views"
    links = (Link("Study texts", "study:study", "main"),)
