from __future__ import annotations

from django.urls import path

from benchmark.reports import views

app_name = "reports"
urlpatterns = [
    path("r/<slug:submission_id>", views.report, name="report"),
    path("r/<slug:submission_id>/v<int:version>", views.report, name="report-version"),
]
