from __future__ import annotations

from django.urls import path, re_path

from benchmark.submissions import views

app_name = "submissions"
urlpatterns = [
    path("submit", views.submit, name="submit"),
    path("s/<slug:submission_id>", views.status, name="status"),
    path("s/<slug:submission_id>/progress", views.progress, name="progress"),
    path("s/<slug:submission_id>/owner/<str:token>", views.owner, name="owner"),
    re_path(r"^s/(?P<submission_id>[a-z0-9]+)/(?P<action>retry|cancel|withdraw)$", views.steer, name="steer"),
]
