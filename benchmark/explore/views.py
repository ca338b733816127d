"""Pages that explore an entry: its dimensions, its map, the neighbours of a word."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST, require_safe

from benchmark.explore import neighbours as near
from benchmark.explore.measured import ORDERS, MeasuredEntry, map_of, measured_entry, table_of
from benchmark.inputs import Parameters
from benchmark.operations import quotas
from benchmark.responses import kept_if_open
from benchmark.shipped.vectors import why_without
from tasks.political.cues import political_cues


@require_safe
def dimensions(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Properties of the dimensions: ``?oracle=``, ``?q=`` (property, word or number), ``?sort=``."""
    entry = measured_entry(request, submission_id)
    asked = Parameters(request.GET)
    table = table_of(entry, asked)
    reason = entry.reason_without("qvec-en")
    context = {"table": table, "orders": ORDERS, "reason": reason, "ignored": asked.ignored}
    return _page(request, entry, "dimensions", context)


@require_safe
def word_map(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The map: ``?word=`` marks a word, ``?sense=`` highlights a supersense."""
    entry = measured_entry(request, submission_id)
    asked = Parameters(request.GET)
    shown = map_of(entry, asked)
    context = {"map": shown, "reason": entry.reason_without("map"), "ignored": asked.ignored}
    return _page(request, entry, "map", context)


@require_safe
def neighbours(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The ten nearest words of ``?word=``, as a page or (``Accept: application/json``) as JSON."""
    entry = measured_entry(request, submission_id)
    answer = near.ask(entry.submission, request.GET.get("word", ""))
    if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        response: HttpResponse = JsonResponse(answer.as_dict(entry.submission), status=answer.status)
        return _kept(request, response, entry)
    cues = political_cues(entry.submission.language)
    prepared = answer.code != "not-prepared"
    why = "" if prepared and answer.excerpt is None else why_without(entry.submission)
    context = {"answer": answer, "cues": cues.words if cues else (), "prepared": prepared, "why_without": why}
    return _page(request, entry, "neighbours", context)


@require_POST
def prepare(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Request the preparation of an entry's vectors for look-ups."""
    submission = measured_entry(request, submission_id).submission
    if near.can_be_looked_up(submission) and near.ask(submission, "").code == "not-prepared":
        quotas.ask("prepare_vectors", [submission.pk])
    return redirect("explore:neighbours", submission_id)


def _page(request: HttpRequest, entry: MeasuredEntry, name: str, shown: Mapping[str, object]) -> HttpResponse:
    about = {"submission": entry.submission, "report": entry.report, "here": name}
    has_words = near.can_be_looked_up(entry.submission)
    excerpt = near.stand_in(entry.submission)
    context = {**about, "has_words": has_words, "excerpt": excerpt, "prepared": True, **shown}
    page = render(request, f"explore/{name}.html", context)
    return _kept(request, page, entry, lasting=bool(context["prepared"]))


def _kept(request: HttpRequest, response: HttpResponse, entry: MeasuredEntry, *, lasting: bool = True) -> HttpResponse:
    """Let caches store public pages, with revalidation, and no others."""
    patch_vary_headers(response, ["Accept"])
    is_open = lasting and entry.submission.is_open_to_all and response.status_code == 200
    return kept_if_open(request, response, is_open=is_open)
