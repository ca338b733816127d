from __future__ import annotations

from benchmark.features import Belongings, Feature, Link


class PeopleConfig(Feature):
    name = "benchmark.people"
    jobs = "lists"
    header = (Link("People", "people:index", here=("people",)),)

    def tidy(self) -> None:
        from benchmark.people.retention import forget_due

        forget_due()

    def belongings(self) -> Belongings:
        from benchmark.people.models import Study
        from benchmark.people.retention import erase_study

        return Belongings(
            name="studies",
            rows=Study.objects.all(),
            erase=erase_study,
            one="study with people",
            many="studies with people",
            kept="only the owner link then controls them",
            deleted="with all answers",
        )
