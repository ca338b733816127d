from __future__ import annotations

from django.urls import path

from benchmark.compare import views

app_name = "compare"
urlpatterns = [
    path("compare", views.compare, name="compare"),
    path("compare/heat", views.heat, name="heat"),
    path("compare/pair", views.pair, name="pair"),
    path("compare/correlate", views.correlate, name="correlate"),
    path("practice", views.practice, name="practice"),
]
