from __future__ import annotations

from django.urls import path

from benchmark.associations import views

app_name = "associations"
urlpatterns = [
    path("associations", views.page, name="page"),
    path("associations/axes", views.axes, name="axes"),
    path("associations/prepare", views.prepare, name="prepare"),
    *(path(f"associations.{form}", views.download, {"form": form}, name=form) for form in ("csv", "json", "tex")),
]
