from __future__ import annotations

from benchmark.features import Feature, Link


class SubmissionsConfig(Feature):
    name = "benchmark.submissions"
    jobs = "vectors"
    links = (
        Link("Submit vectors", "submissions:submit", "submit"),
        Link("My submissions", "submissions:mine", "account", ("submissions",), visitors=("account", "submissions")),
    )
