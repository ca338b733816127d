from __future__ import annotations

from benchmark.features import Belongings, Extension, Link, Upload


class OwnConfig(Extension):
    name = "extensions.own"
    requires = ("extensions.texts",)
    urls = "views"
    api = "api"
    jobs = "jobs"
    part_of = (("own", "find:find"),)
    links = (
        Link("Which vectors serve your own labelled texts or search?", "own:ask", "compare"),
        Link("Labelled texts, or a search", "own:ask", "find", detail="Measure up to 5 sets on your data: minutes"),
    )
    out_of_backups = ("own.OwnTexts",)
    uploads = (Upload(("/find/own", "/api/v1/own"), "VECBOARD_MAX_OWN_BYTES", job="own"),)
    folders = ("own",)

    def tidy(self) -> None:
        from extensions.own.models import OwnTexts

        OwnTexts.tidy()

    def belongings(self) -> Belongings:
        from extensions.own.models import OwnTexts

        return Belongings(
            name="own_texts",
            rows=OwnTexts.objects.all(),
            erase=OwnTexts.erase,
            singular="report on own data",
            plural="reports on own data",
            if_kept="only their owner links then open and control them",
            if_deleted="with their texts",
        )
