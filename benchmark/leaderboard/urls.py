from __future__ import annotations

from django.urls import path

from benchmark.leaderboard import views

app_name = "leaderboard"
urlpatterns = [path("", views.leaderboard, name="board")]
