from __future__ import annotations

from benchmark.features import Extension


class ClaimConfig(Extension):
    name = "extensions.claim"
    requires = ("extensions.associations",)
    urls = ""
    questions = "claim/_questions.html"
