from __future__ import annotations

from benchmark.features import Extension


class TextsConfig(Extension):
    name = "extensions.texts"
    urls = ""
