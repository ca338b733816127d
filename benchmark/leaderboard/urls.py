from __future__ import annotations

from django.urls import path, re_path

from benchmark.leaderboard import views

app_name = "leaderboard"
urlpatterns = [
    path("", views.leaderboard, name="board"),
    re_path(r"^board\.(?P<extension>csv|json|tex)$", views.export, name="export"),
    re_path(r"^board\.(?P<extension>svg|png)$", views.image, name="image"),
    path("board/freeze", views.freeze_view, name="freeze"),
    path("embed", views.embed, name="embed"),
    path("badge/<slug:submission_id>.svg", views.badge, name="badge"),
]
