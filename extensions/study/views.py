"""*Study texts*: the questions about texts that extensions answer, each with its ways in."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from benchmark.features import features


@require_safe
def study(request: HttpRequest) -> HttpResponse:
    """Every extension's questions."""
    questions = [feature.questions for feature in features() if feature.questions]
    return render(request, "study/study.html", {"questions": questions})


app_name = "study"
urlpatterns = [path("study", study, name="study")]
