from __future__ import annotations

from django.urls import path

from benchmark.choose import views

app_name = "choose"
urlpatterns = [path("choose", views.choose, name="choose"), path("cost", views.cost, name="cost")]
