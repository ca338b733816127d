from __future__ import annotations

from django.urls import path

from benchmark.translate import pages

app_name = "translate"
urlpatterns = [path("compare/translate", pages.page, name="page")]
