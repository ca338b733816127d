from __future__ import annotations

from benchmark.features import Extension, Link


class StudyConfig(Extension):
    name = "extensions.study"
    urls = "views"
    links = (Link("Study texts", "study:study", "main", turn=1),)
