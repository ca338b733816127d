from __future__ import annotations

from benchmark.features import Extension


class OperatorConfig(Extension):
    name = "extensions.operator"
    prefix = "operator/"
    urls = "views"
