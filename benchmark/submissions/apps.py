from __future__ import annotations

from benchmark.features import Feature, Link


class SubmissionsConfig(Feature):
    name = "benchmark.submissions"
    jobs = "vectors"
    links = (
        Link("Submit vectors", "submissions:submit", "submit"),
        Link("My submissions", "submissions:mine", "account", ("submissions",), visitors=("account", "submissions")),
    )

    def tidy(self) -> None:
        """Let vectors that could not be made be requested again, and end embargoes."""
        from benchmark.submissions.steering import end_embargoes

        end_embargoes()
        self.get_model("Submission")._default_manager.exclude(vectors_problem="").update(vectors_problem="")
