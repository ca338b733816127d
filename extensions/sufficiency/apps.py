from __future__ import annotations

from benchmark.features import Belongings, Extension, Link, Upload


class SufficiencyConfig(Extension):
    name = "extensions.sufficiency"
    requires = ("extensions.texts", "extensions.associations", "extensions.training")
    urls = "views"
    api = "api"
    jobs = "jobs"
    questions = "sufficiency/_questions.html"
    part_of = (("sufficiency", "find:find"),)
    links = (
        Link("Does a pre-trained set suffice for your own corpus?", "sufficiency:ask", "compare"),
        Link("A corpus of my own", "sufficiency:ask", "find", detail="Would training my own vectors pay off? An hour"),
    )
    uploads = (Upload(("/find/suffices", "/api/v1/suffices"), "VECBOARD_MAX_CORPUS_BYTES", job="suffices"),)
    folders = ("corpora",)

    def tidy(self) -> None:
        from extensions.sufficiency.models import CorpusReport

        CorpusReport.tidy()

    def belongings(self) -> Belongings:
        from extensions.sufficiency.models import CorpusReport

        return Belongings(
            name="corpora",
            rows=CorpusReport.objects.all(),
            erase=CorpusReport.erase,
            singular="report on a corpus",
            plural="reports on corpora",
            if_kept="only their owner links then control them",
            if_deleted="with their corpora",
        )
