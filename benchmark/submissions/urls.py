from __future__ import annotations

from django.urls import path, re_path

from benchmark.submissions import submit_views, views

ACTIONS = "retry|cancel|withdraw|undo|rank|rank-all|adopt|language"

app_name = "submissions"
urlpatterns = [
    path("submit", submit_views.submit, name="submit"),
    path("submit/begin", submit_views.begin, name="begin"),
    path("submit/languages.json", submit_views.languages, name="languages"),
    path("mine", views.my_submissions, name="mine"),
    path("s/<slug:submission_id>", views.status, name="status"),
    path("s/<slug:submission_id>/progress", views.progress, name="progress"),
    path("s/<slug:submission_id>/owner/<str:token>", views.owner, name="owner"),
    path("s/<slug:submission_id>/edit", views.edit, name="edit"),
    path("s/<slug:submission_id>/delete", views.delete, name="delete"),
    path("s/<slug:submission_id>/deleted", views.deleted, name="deleted"),
    path("s/<slug:submission_id>/vectors", views.vectors, name="vectors"),
    path("s/<slug:submission_id>/upload", submit_views.piece, name="upload"),
    path("s/<slug:submission_id>/upload/finish", submit_views.finish, name="upload-finish"),
    re_path(rf"^s/(?P<submission_id>[a-z0-9]+)/(?P<action>{ACTIONS})$", views.steer, name="steer"),
]
