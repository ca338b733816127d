from __future__ import annotations

from benchmark.features import Extension


class VerifyConfig(Extension):
    name = "extensions.verify"
    urls = "views"
    api = "api"
    sections = "sections"
