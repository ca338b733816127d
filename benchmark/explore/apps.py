from __future__ import annotations

from django.apps import AppConfig


class ExploreConfig(AppConfig):
    name = "benchmark.explore"
