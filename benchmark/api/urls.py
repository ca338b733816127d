from __future__ import annotations

from django.urls import path

from benchmark.api.api import about, api

urlpatterns = [path("", about, name="about-api"), path("/v1/", api.urls)]
