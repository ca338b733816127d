from __future__ import annotations

from benchmark.features import Link, Upload
from extensions.texts.apps import Measures


class OwnConfig(Measures):
    name = "extensions.own"
    part_of = (("own", "find:find"),)
    links = (
        Link("Which vectors serve your own labelled texts or search?", "own:ask", "compare"),
        Link("Labelled texts, or a search", "own:ask", "find", detail="Measure up to 5 sets on your data · minutes"),
    )
    out_of_backups = ("own.OwnTexts",)
    uploads = (Upload(("/find/own", "/api/v1/own"), "VECBOARD_MAX_OWN_BYTES", job="own"),)
    folders = ("own",)
    plural = "reports on own data"
