from __future__ import annotations

from django.urls import path, re_path

from benchmark.submissions import own, sending, views

ACTIONS = "retry|cancel|withdraw|undo|rank|rank-all|adopt|language"

app_name = "submissions"
urlpatterns = [
    path("submit", views.submit, name="submit"),
    path("submit/begin", sending.begin, name="begin"),
    path("submit/languages.json", views.languages, name="languages"),
    path("mine", own.mine, name="mine"),
    path("s/<slug:submission_id>", views.status, name="status"),
    path("s/<slug:submission_id>/progress", views.progress, name="progress"),
    path("s/<slug:submission_id>/owner/<str:token>", views.owner, name="owner"),
    path("s/<slug:submission_id>/edit", own.edit, name="edit"),
    path("s/<slug:submission_id>/delete", own.delete, name="delete"),
    path("s/<slug:submission_id>/deleted", own.deleted, name="deleted"),
    path("s/<slug:submission_id>/vectors", own.vectors, name="vectors"),
    path("s/<slug:submission_id>/upload", sending.piece, name="upload"),
    path("s/<slug:submission_id>/upload/place", sending.place, name="upload-place"),
    path("s/<slug:submission_id>/upload/finish", sending.finish, name="upload-finish"),
    re_path(rf"^s/(?P<submission_id>[a-z0-9]+)/(?P<action>{ACTIONS})$", views.steer, name="steer"),
]
