from __future__ import annotations

from benchmark.features import Belongings, Extension, Link


class PeopleConfig(Extension):
    name = "extensions.people"
    urls = "study_pages"
    jobs = "lists"
    unlimited = ("/rate/",)  # a class of raters may share an address
    questions = "people/_questions.html"
    part_of = (("people:beside", "compare:compare"), ("people", "study:study"))
    links = (
        Link("Studies with people", "people:index", "Take part"),
        Link("Compare entries with people's lists", "people:beside", "compare"),
        Link("Compare with lists collected on this site, or with your own", "people:beside", "report_rankings"),
    )

    def tidy(self) -> None:
        from extensions.people.models import ListDeviation
        from extensions.people.retention import forget_due
        from extensions.shared.requested import forget_old

        forget_due()
        forget_old(ListDeviation, ("deviate",))

    def due(self) -> list[str]:
        from extensions.people.retention import due

        return [f"Raters to be forgotten in {study}: {study.known_raters().count()}." for study in due()]

    def belongings(self) -> Belongings:
        from extensions.people.models import Study
        from extensions.people.retention import erase_study

        return Belongings(
            name="studies",
            rows=Study.objects.all(),
            erase=erase_study,
            singular="study with people",
            plural="studies with people",
            if_kept="only the owner link then controls them",
            if_deleted="with all answers",
        )
