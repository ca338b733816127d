from __future__ import annotations

from django.urls import path

from benchmark.compare import practice_pages, ranking_pages, views

app_name = "compare"
urlpatterns = [
    path("compare", views.compare, name="compare"),
    path("compare/heat", ranking_pages.heat, name="heat"),
    path("compare/pair", ranking_pages.pair, name="pair"),
    path("compare/correlate", ranking_pages.correlate, name="correlate"),
    path("practice", practice_pages.practice, name="practice"),
]
