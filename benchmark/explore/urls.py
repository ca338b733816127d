from __future__ import annotations

from django.urls import path

from benchmark.explore import views

app_name = "explore"
urlpatterns = [
    path("entries/<slug:submission_id>/dimensions", views.dimensions, name="dimensions"),
    path("entries/<slug:submission_id>/map", views.word_map, name="map"),
    path("entries/<slug:submission_id>/neighbours", views.neighbours, name="neighbours"),
    path("entries/<slug:submission_id>/prepare", views.prepare, name="prepare"),
]
