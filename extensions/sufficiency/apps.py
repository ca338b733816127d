from __future__ import annotations

from benchmark.features import Link, Upload
from extensions.texts.apps import Measures


class SufficiencyConfig(Measures):
    name = "extensions.sufficiency"
    requires = ("extensions.texts", "extensions.associations", "extensions.training")
    questions = "sufficiency/_questions.html"
    part_of = (("sufficiency", "find:find"),)
    links = (
        Link("Does a pre-trained set suffice for your own corpus?", "sufficiency:ask", "compare"),
        Link("A corpus of my own", "sufficiency:ask", "find", detail="Would training my own pay off? · an hour"),
    )
    uploads = (Upload(("/find/suffices", "/api/v1/suffices"), "VECBOARD_MAX_CORPUS_BYTES", job="suffices"),)
    folders = ("corpora",)
    plural = "reports on corpora"
