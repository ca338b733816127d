from __future__ import annotations

from benchmark.features import Feature, Link


class SettingsGridConfig(Feature):
    name = "benchmark.settings_grid"
    footer = (Link("Training settings", "settings_grid:settings"),)
