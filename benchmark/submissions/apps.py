from __future__ import annotations

from benchmark.features import Feature, Link


class SubmissionsConfig(Feature):
    name = "benchmark.submissions"
    header = (
        Link("Submit vectors", "submissions:submit", is_button=True),
        Link("My submissions", "submissions:mine"),
    )

    def ready(self) -> None:
        from benchmark.submissions.models import ended
        from benchmark.submissions.progress import forget_pace

        ended.connect(forget_pace, dispatch_uid="submissions-pace")
