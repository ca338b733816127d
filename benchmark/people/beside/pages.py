"""Up to thirty entries beside people's lists: the authors', those collected on this site, or a visitor's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_http_methods

from benchmark.compare.entries import Marked, address_of, choice, marked
from benchmark.compare.views import MOST_ON_MAP
from benchmark.inputs import pasted_text
from benchmark.operations.counting import TooMuch, spend
from benchmark.people import limits
from benchmark.people.beside import lists
from benchmark.people.beside.deviations import ask, beside
from benchmark.people.uploads import read_lists, uploaded_text
from tasks.errors import InputError
from tasks.left_out import LeftOut

MOST_BYTES = 200_000


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    """GET shows what is known; POST takes a choice of lists, or lists of one's own, and asks a worker."""
    entries = marked(request, MOST_ON_MAP)
    if request.method == "POST":
        return _take(request, entries)
    return _shown(request, entries, request.GET.get("lists", ""))


def _take(request: HttpRequest, entries: list[Marked]) -> HttpResponse:
    try:
        text = uploaded_text(request, MOST_BYTES, field="given") or pasted_text(request, "given", MOST_BYTES).strip()
        left_out = LeftOut()
        given = read_lists(text, left_out) if text else None
        with transaction.atomic():  # lists for which nothing may be asked are not kept
            id = request.POST.get("lists", "") if given is None else _kept(request, given)
            ask(entries, lists.find(request, id))
    except TooMuch:
        raise
    except InputError as error:
        return _shown(request, entries, "", error)
    if left_out.count:
        messages.warning(request, left_out.sentence("Words"))
    return redirect(f"{reverse('people:beside')}?{urlencode(address_of(entries, lists=id))}")


def _kept(request: HttpRequest, given: Mapping[str, Sequence[str]]) -> str:
    if not spend(limits.GIVEN_LISTS, limits.address_of(request)):
        most = limits.GIVEN_LISTS.most
        raise TooMuch("too-many-lists", f"You entered more than {most} lists within an hour; try again later.")
    return lists.keep(request.POST.get("title", ""), given)


def _shown(request: HttpRequest, entries: list[Marked], id: str, problem: InputError | None = None) -> HttpResponse:
    chosen = None
    if id and problem is None:
        try:
            chosen = lists.find(request, id)
        except InputError as error:
            problem = error
    offered = lists.offered(request)
    context = {
        **choice(request, entries, MOST_ON_MAP),
        "kept": {"lists": id} if id else {},
        "offered": offered if chosen is None or chosen.id in dict(offered) else [(chosen.id, chosen.title), *offered],
        "chosen": chosen,
        "beside": beside(entries, chosen) if chosen and entries else None,
        "problem": problem,
        "title": request.POST.get("title", ""),
        "given": request.POST.get("given", ""),
    }
    response = render(request, "people/beside.html", context, status=400 if problem and request.POST else 200)
    # What is offered depends on whose studies the browser holds.
    patch_cache_control(response, private=True, no_store=True)
    return response
