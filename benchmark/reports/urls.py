from __future__ import annotations

from django.urls import path, re_path

from benchmark.reports import downloads, views

app_name = "reports"
_ID = r"(?P<submission_id>[-\w]+)"
urlpatterns = [
    path("r/<slug:submission_id>", views.current_report, name="report"),
    path("r/<slug:submission_id>/v<int:version>", views.report_version, name="report-version"),
    path("r/<slug:submission_id>/v<int:version>/charts/<slug:name>.<slug:kind>", downloads.chart, name="chart"),
    path("r/<slug:submission_id>/v<int:version>/table.<slug:extension>", downloads.table, name="table"),
    re_path(
        rf"^r/{_ID}/outcomes/(?P<task>[\w-]+)\.(?P<mode>fixed|fine-tuned)\.(?P<extension>csv|npz)$",
        downloads.outcomes,
        name="outcomes",
    ),
    re_path(
        rf"^r/{_ID}/outcomes/(?P<task>[\w-]+)\.(?P<extension>csv|npz)$",
        downloads.outcomes,
        {"mode": ""},
        name="word-outcomes",
    ),
]
