from __future__ import annotations

from benchmark.features import Extension


class ExportsConfig(Extension):
    name = "extensions.exports"
    urls = ""
    api = "api"
    sections = "sections"
