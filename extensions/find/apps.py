from __future__ import annotations

from benchmark.features import Extension, Link


class FindConfig(Extension):
    name = "extensions.find"
    urls = "views"
    links = (
        Link("Find vectors", "find:find", "main"),
        Link("Find vectors for your purpose", "find:find", "board", detail="by task and size"),
        Link("Only a task in mind", "find:find", "find", detail="Answer from the leaderboard, at once"),
    )
