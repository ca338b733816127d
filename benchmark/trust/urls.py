from __future__ import annotations

from django.urls import path

from benchmark.trust import views

app_name = "trust"
urlpatterns = [path("trust", views.trust, name="trust")]
