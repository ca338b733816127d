from __future__ import annotations

from django.urls import path

from benchmark.settings_grid.views import settings_grid

app_name = "settings_grid"
urlpatterns = [path("settings", settings_grid, name="settings")]
