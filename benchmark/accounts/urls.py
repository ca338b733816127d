from __future__ import annotations

from django.urls import path

from benchmark.accounts import views

app_name = "accounts"
urlpatterns = [
    path("", views.home, name="home"),
    path("mail", views.mail, name="mail"),
    path("delete", views.delete, name="delete"),
    path("tokens", views.tokens, name="tokens"),
    path("github/login/", views.github),
    path("github/login/callback/", views.back_from_github),
    path("tokens/<int:token_id>/revoke", views.revoke, name="revoke"),
]
