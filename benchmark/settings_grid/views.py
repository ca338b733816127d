"""The page of settings: what window and dimensions cost and give, from the entries at hand."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchmark.leaderboard.models import Entry
from benchmark.settings_grid.grids import grids_of, members_of
from benchmark.suites import suite_or_404


@require_safe
def settings_grid(request: HttpRequest) -> HttpResponse:
    """Grids of all listed entries of a suite."""
    suite = suite_or_404(request.GET.get("suite"))
    entries = Entry.objects.of(suite.id, suite.version).listed().select_related("submission", "submission__owner")
    members = members_of(entries)
    return render(request, "settings_grid/settings_grid.html", {"suite": suite, "grids": grids_of(members)})
