from __future__ import annotations

from django.urls import path

from benchmark.api.api import api
from benchmark.api.page import about

urlpatterns = [path("", about, name="about-api"), path("/v1/", api.urls)]
