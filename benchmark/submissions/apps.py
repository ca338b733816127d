from __future__ import annotations

from benchmark.features import Feature, Link


class SubmissionsConfig(Feature):
    name = "benchmark.submissions"
    links = (
        Link("Submit", "submissions:submit", "submit"),
        Link("My submissions", "submissions:mine", "account", ("submissions",), visitors=("account", "submissions")),
    )

    def ready(self) -> None:
        from benchmark.submissions.models import ended
        from benchmark.submissions.progress import forget_pace

        ended.connect(forget_pace, dispatch_uid="submissions-pace")
