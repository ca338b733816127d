from __future__ import annotations

from benchmark.features import Upload
from extensions.texts.apps import Measures


class ClaimConfig(Measures):
    name = "extensions.claim"
    requires = ("extensions.texts", "extensions.associations")
    questions = "claim/_questions.html"
    part_of = (("claim", "study:study"),)
    out_of_backups = ("claim.MeasuredClaim",)
    uploads = (Upload(("/find/claim", "/api/v1/claim"), "VECBOARD_MAX_CORPUS_BYTES", job="claim"),)
    folders = ("claims",)
    plural = "reports on claims"
