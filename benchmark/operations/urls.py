from __future__ import annotations

from django.urls import path

from benchmark.operations import views

app_name = "operations"
urlpatterns = [
    path("readyz", views.readyz, name="readyz"),
    path("data-arrival", views.data_arrival, name="data"),
    path("metrics", views.metrics, name="metrics"),
]
