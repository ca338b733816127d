"""Association tests with published, political or own lists, for up to eight entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmark.compare.entries import CHOICE, MOST, FoundEntry, Marked, address_of, choice, marked, page_is_open
from benchmark.inputs import takes
from benchmark.operations import quotas
from benchmark.responses import guarded
from benchmark.submissions.vectors import PREPARE, Place, can_be_prepared, has_whole_vectors
from extensions.associations import lists
from extensions.associations.answers import (
    answers,
    as_csv,
    axis_chart,
    missing_vectors,
    places,
    verdict_on,
    words_chart,
)
from extensions.associations.lists import RequestedTest
from tasks.associations.weat import CAUTION
from tasks.errors import InputError

AT_ONCE, MOST_AT_ONCE = (Place.HERE, Place.EXCERPT), 3
"""Of the entries that can answer now, the best ones answer a test for which none is chosen."""


@takes(*CHOICE, "test", "lists")
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    """GET shows the test of the link; POST redirects to the link of a visitor's lists. Nothing is stored."""
    entries = marked(request)
    if request.method == "POST":
        try:
            return redirect(address_of_test(entries, lists.entered_test(request.POST)))
        except InputError as error:
            return _shown(request, entries, None, error)
    try:
        test = lists.requested_test(request.GET)
    except InputError as error:
        return _shown(request, entries, None, error)
    return _shown(request, entries, test)


@takes("e", "test", "lists")
@require_safe
def download(request: HttpRequest) -> HttpResponse:
    """The answers as CSV; the API has them as JSON."""
    try:
        test = lists.requested_test(request.GET)
    except InputError as error:
        raise Http404(error.message) from error
    entries = marked(request)
    if test is None or not entries:
        raise Http404("Choose entries and lists first.")
    address = request.build_absolute_uri(address_of_test(entries, test))
    response = HttpResponse(
        as_csv(test, answers(request, entries, test), address), content_type="text/csv; charset=utf-8"
    )
    response["Content-Disposition"] = 'attachment; filename="vecboard-association.csv"'
    return _guarded(response, entries, {"offers_own": False}, is_own=_is_own(test))


@takes(*CHOICE, *lists.AXIS_FIELDS)
@require_safe
def axes(request: HttpRequest) -> HttpResponse:
    """Words on an axis between two poles, and the neighbours of a word formula, for the entries of the link."""
    entries = marked(request)
    try:
        axis, problem = lists.requested_axis(request.GET), None
    except InputError as error:
        axis, problem = None, error
    placed = places(request, entries, axis) if axis else []
    context = {
        **choice(request, entries, MOST, least=1, usable=has_whole_vectors),
        "asked": axis,
        "typed": {name: request.GET.get(name, "")[:most] for name, most in lists.AXIS_FIELDS.items()},
        "kept": axis.query if axis else {},
        "problem": problem,
        "placed": placed,
        "without": missing_vectors(entries),
        "source": _axes_address(entries, {}),
        "unknown": [row for row in placed if row.projection and (row.projection.missing or row.projection.reason)],
        "chart": axis_chart(axis, placed) if axis and axis.has_axis else None,
        "most_words": lists.MOST_WORDS,
    }
    response = render(request, "associations/axes.html", context, status=400 if problem else 200)
    return _guarded(response, entries, context, is_own=axis is not None or problem is not None)


@require_POST
def prepare(request: HttpRequest) -> HttpResponse:
    """Request the preparation of missing vectors from a worker."""
    entries = marked(request)
    without = [entry for entry, _ in missing_vectors(entries).reasons]
    quotas.ask(PREPARE, [entry.submission.pk for entry in without if can_be_prepared(entry.submission)])
    if request.POST.get("page") == "axes":
        return redirect(_axes_address(entries, request.POST))
    try:
        return redirect(address_of_test(entries, lists.requested_test(request.POST)))
    except InputError:
        return redirect(address_of_test(entries, None))


def address_of_test(entries: Sequence[Marked], test: RequestedTest | None) -> str:
    """URL of the page that shows the test on these entries."""
    return f"{reverse('associations:page')}?{urlencode(address_of(entries, **(test.query if test else {})))}"


def _axes_address(entries: Sequence[Marked], query: Mapping[str, str]) -> str:
    fields = {name: query[name][:most] for name, most in lists.AXIS_FIELDS.items() if query.get(name)}
    return f"{reverse('associations:axes')}?{urlencode(address_of(entries, **fields))}"


def _shown(
    request: HttpRequest, entries: Sequence[Marked], test: RequestedTest | None, problem: InputError | None = None
) -> HttpResponse:
    answered = answers(request, entries, test) if test else []
    chosen = choice(request, entries, MOST, least=1, usable=has_whole_vectors)
    offered = [("e", entry.id) for entry in cast("list[FoundEntry]", chosen["found"]) if entry.place in AT_ONCE]
    if test and not entries and offered:
        return redirect(f"{request.path}?{urlencode([*offered[:MOST_AT_ONCE], *test.query.items()])}")
    context = {
        **chosen,
        "offered": lists.offered(),
        "asked": test,
        "kept": test.query if test else {},
        "fields": test.fields if test else _typed(request),
        "problem": problem,
        "answered": answered,
        "verdict": verdict_on(test, answered) if test else "",
        "chart": words_chart(test, answered) if test else None,
        "without": missing_vectors([of.entry for of in answered if of.answer is None] if test else entries),
        "excerpted": missing_vectors([of.entry for of in answered if of.excerpt]),
        "source": address_of_test(entries, None),
        "query": urlencode(address_of(entries, **(test.query if test else {}))),
        "caution": CAUTION,
        "most_words": lists.MOST_WORDS,
        "is_private": _is_own(test),
    }
    response = render(request, "associations/page.html", context, status=400 if problem else 200)
    return _guarded(response, entries, context, is_own=_is_own(test) or problem is not None)


def _typed(request: HttpRequest) -> list[tuple[str, str, str]]:
    """Names and words of a refused form, or empty ones."""
    return [
        (side, request.POST.get(f"name_{side}", "")[:200], request.POST.get(f"words_{side}", "")[:20_000])
        for side in lists.SIDES
    ]


def _is_own(test: RequestedTest | None) -> bool:
    return test is not None and not test.id


def _guarded(
    response: HttpResponse, entries: Sequence[Marked], context: Mapping[str, object], *, is_own: bool
) -> HttpResponse:
    """Keep private entries and a visitor's words out of caches, and the words out of search engines."""
    return guarded(response, is_open=not is_own and page_is_open(entries, context), is_listed=not is_own)


app_name = "associations"
urlpatterns = [
    path("associations", page, name="page"),
    path("associations/axes", axes, name="axes"),
    path("associations/prepare", prepare, name="prepare"),
    path("associations.csv", download, name="csv"),
]
