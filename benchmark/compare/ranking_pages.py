"""Pages of ranking correlations: up to thirty entries as a heat map, two entries closely; asking a worker for them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from benchmark.compare import asking
from benchmark.compare.closely import closely
from benchmark.compare.cues import Cues, chosen
from benchmark.compare.picked import LEAST, MOST, address_of, choice, marked, private_if_needed
from benchmark.compare.ranking import ranking_part
from tasks.errors import InputError

MOST_ON_MAP = 30
PAGES = {"compare": ("compare:compare", "#ranking"), "heat": ("compare:heat", "#map"), "pair": ("compare:pair", "")}


@require_safe
def heat(request: HttpRequest) -> HttpResponse:
    """Every pair of up to thirty entries; with fewer than two, a place to choose them."""
    entries = marked(request, MOST_ON_MAP)
    context = choice(request, entries, MOST_ON_MAP) | ranking_part(request, entries)
    context["fits_beside"] = len(entries) <= MOST
    return private_if_needed(render(request, "compare/heat.html", context), entries)


@require_safe
def pair(request: HttpRequest) -> HttpResponse:
    """Two entries closely; with fewer, a place to choose them."""
    entries = marked(request, LEAST)
    context: dict[str, Any] = choice(request, entries, LEAST) | ranking_part(request, entries)
    if len(entries) == LEAST and context["cues"] is not None:
        context["closely"] = closely(entries[0].submission, entries[1].submission, context["cues"])
    return private_if_needed(render(request, "compare/pair.html", context), entries)


@require_POST
def correlate(request: HttpRequest) -> HttpResponse:
    """Ask the workers for the ranking correlations of the chosen entries; then back to where one came from."""
    page = request.POST.get("page", "compare")
    view, anchor = PAGES.get(page, PAGES["compare"])
    entries = marked(request, MOST_ON_MAP)
    typed = {name: request.POST[name][:2000] for name in ("cues", "set") if request.POST.get(name)}
    try:
        cues: Cues | None = chosen(typed, entries[0].submission.language) if len(entries) >= LEAST else None
    except InputError:
        cues = None  # the page says why
    if cues is not None and page == "pair":
        asking.ask_closely(entries[0].submission, entries[1].submission, cues)
    elif cues is not None:
        asking.ask(entries, cues)
    return redirect(f"{reverse(view)}?{urlencode(address_of(entries, **(cues.query if cues else typed)))}{anchor}")
