from __future__ import annotations

from benchmark.features import Extension


class TrainingConfig(Extension):
    name = "extensions.training"
    urls = ""
