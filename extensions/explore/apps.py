from __future__ import annotations

from benchmark.features import Extension, Link


class ExploreConfig(Extension):
    name = "extensions.explore"
    part_of = (("explore", "leaderboard:board"),)
    links = (Link("Request them", "explore:neighbours", "look_up"),)
    urls = "views"
    api = "api"
    sections = "sections"
    questions = "explore/_questions.html"
