"""Rankings compared: a heat map of up to thirty entries, two in detail, and a part of every comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from benchmark.api.schema import listed, parameter
from benchmark.compare.entries import (
    LEAST,
    MOST,
    Marked,
    Picked,
    address_of,
    choice,
    has_vectors_of,
    marked,
    page_is_open,
)
from benchmark.compare.parts import Part
from benchmark.compare.verdict import named
from benchmark.inputs import Parameters, refuse, takes
from benchmark.responses import guarded
from extensions.pairs.cues import LONGEST, RANKING, TYPED, Cues, chosen
from extensions.pairs.rankings import HeatMap, PairCell, closely, heat_map, ranking_part, request_details, request_pairs
from tasks.answers import ComparisonAnswer, PairOfEntries, RankingPairs
from tasks.errors import InputError

MOST_ON_MAP = 30
PAGES = {"compare": ("compare:compare", "#ranking"), "heat": ("pairs:heat", "#map"), "pair": ("pairs:pair", "")}


@takes(*RANKING)
@require_safe
def heat(request: HttpRequest) -> HttpResponse:
    """Every pair of up to thirty entries; with fewer than two, a form to choose them."""
    entries = marked(request, MOST_ON_MAP)
    context = choice(request, entries, MOST_ON_MAP, usable=has_vectors_of) | ranking_part(request, entries)
    context["fits_beside"] = len(entries) <= MOST
    return guarded(render(request, "pairs/heat.html", context), is_open=page_is_open(entries, context))


@takes(*RANKING)
@require_safe
def pair(request: HttpRequest) -> HttpResponse:
    """Two entries in detail; with fewer, a form to choose them."""
    entries = marked(request, LEAST)
    context: dict[str, Any] = choice(request, entries, LEAST, usable=has_vectors_of) | ranking_part(request, entries)
    context["named"] = named(entries) if len(entries) == LEAST else []
    if len(entries) == LEAST and context["cues"] is not None:
        context["closely"] = closely(entries[0].submission, entries[1].submission, context["cues"])
    return guarded(render(request, "pairs/pair.html", context), is_open=page_is_open(entries, context))


@require_POST
def correlate(request: HttpRequest) -> HttpResponse:
    """Request the ranking correlations of the chosen entries, then redirect to the page that asked."""
    page = request.POST.get("page", "compare")
    view, anchor = PAGES.get(page, PAGES["compare"])
    entries = marked(request, MOST_ON_MAP)
    typed = {name: request.POST[name][:2000] for name in ("cues", "set") if request.POST.get(name)}
    if typed.get("set") == TYPED:
        del typed["set"]
    elif request.POST.get("was") == TYPED:  # another set was selected above the cues of the last comparison
        typed.pop("cues", None)
    try:
        cues: Cues | None = chosen(typed, entries[0].submission.language) if len(entries) >= LEAST else None
    except InputError:
        cues = None  # the page shows the reason
    if cues is not None and page == "pair":
        request_details(entries[0].submission, entries[1].submission, cues)
    elif cues is not None:
        request_pairs(entries, cues)
    return redirect(f"{reverse(view)}?{urlencode(address_of(entries, **(cues.query if cues else typed)))}{anchor}")


def complete(request: HttpRequest, entries: Sequence[Picked], body: ComparisonAnswer) -> bool:
    """Add the ranking correlations to an answer with ``pairs=yes``, and request those that are missing.

    Raises
    ------
    TooMuch
        this person already has too many open requests.
    """
    parameters = Parameters(request.GET)
    wants_pairs = parameters.one_of("pairs", ("yes", "no"), "no") == "yes"
    refuse(parameters.ignored)
    cues = requested_cues(request, entries[0].submission.language, wants_pairs=wants_pairs)
    if cues is None:
        return False
    request_pairs(entries, cues)
    heat = heat_map(entries, cues)
    body["pairs"] = ranking(heat, cues)
    return heat.is_waiting


def requested_cues(request: HttpRequest, language: str, *, wants_pairs: bool) -> Cues | None:
    """The cues of ``cues=a,b`` or ``set=NAME``; None without pairs.

    Raises
    ------
    InputError
        they are given without pairs or twice, are too many, or the set does not exist.
    """
    names = [name for name in ("cues", "set") if name in request.GET]
    if names and not wants_pairs:
        raise InputError("unused", f"“{names[0]}” has a meaning only with pairs=yes.", field=names[0])
    if len(names) > 1:
        raise InputError("two-sets", "Give either “cues” or “set”, not both.", field="set")
    if len(request.GET.get("cues", "")) > LONGEST:
        raise InputError("too-many-cues", f"“cues” has more than {LONGEST:,} characters; give fewer.", field="cues")
    return chosen(request.GET, language) if wants_pairs else None


def ranking(heat: HeatMap, cues: Cues) -> RankingPairs:
    """The heat map's pairs, each once."""
    above = [(a, cell) for row, (a, cells) in enumerate(heat.rows) for cell in cells[row + 1 :]]
    words = None if cues.words is None else list(cues.words)
    return {"set": cues.id, "cues": words, "pairs": [_pair(a, cell) for a, cell in above]}


def _pair(entry: Marked, cell: PairCell) -> PairOfEntries:
    figures: Mapping[str, Any] = cell.figures or {}
    return {
        "entry": entry.submission.pk,
        "against": cell.other.submission.pk,
        "state": cast(Literal["known", "waiting", "impossible", "same"], cell.state),
        "correlation": cell.mean,
        "standard_error": figures.get("se"),
        "cues": figures.get("n", 0),
        "reason": cell.reason,
    }


PARTS = (
    Part(
        "pairs/_part.html",
        ranking_part,
        ("cues", "set"),
        (
            parameter("pairs", "whether to add the ranking correlations", type="string", enum=["yes", "no"]),
            listed("cues", "with pairs: words around which rankings are compared, at most 50"),
            parameter("set", "with pairs, instead of cues: name of a set of cues; by default that of the language"),
        ),
        complete=complete,
    ),
)
app_name = "pairs"
urlpatterns = [
    path("compare/heat", heat, name="heat"),
    path("compare/pair", pair, name="pair"),
    path("compare/correlate", correlate, name="correlate"),
]
