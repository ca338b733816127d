from __future__ import annotations

from benchmark.features import Extension


class ExploreConfig(Extension):
    name = "extensions.explore"
    part_of = (("explore", "leaderboard:board"),)
    urls = "views"
    api = "api"
    sections = "sections"
    questions = "explore/_questions.html"
