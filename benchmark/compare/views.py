"""Pages of compared entries: up to eight, a heat map of up to thirty, and two in detail."""

from __future__ import annotations

from itertools import combinations
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from benchmark.compare import differ
from benchmark.compare.entries import (
    LEAST,
    MOST,
    RANKING,
    TYPED,
    Cues,
    address_of,
    choice,
    chosen,
    has_vectors_of,
    is_open,
    marked,
    page_is_open,
    picked,
)
from benchmark.compare.pairs import closely, ranking_part, request_details, request_pairs
from benchmark.compare.parts import parts
from benchmark.compare.scores import score_differences, shared_words
from benchmark.compare.tables import TABLES
from benchmark.compare.verdict import chart_of, colours_of, named, short_names, verdict_on
from benchmark.data import suite_or_404
from benchmark.inputs import Parameters, takes
from benchmark.leaderboard.board import cells_of
from benchmark.paper import FORMS, as_file
from benchmark.responses import guarded
from benchmark.submissions.vectors import ask, can_be_looked_up, that_can_be_looked_up
from tasks.errors import InputError

PARTS = parts()


@takes(*RANKING, "word", *(name for part in PARTS for name in part.parameters))
@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Two to eight entries; with fewer, a form to choose them."""
    entries = picked(request)
    if len(entries) < LEAST:
        context = choice(request, entries, MOST)
        return guarded(render(request, "compare/choose.html", context), is_open=page_is_open(entries, context))
    suite = suite_or_404(entries[0].submission.suite)
    parameters = Parameters(request.GET)
    tested = score_differences(entries, suite)
    words = shared_words(entries, entries[0], suite)
    verdict = verdict_on(tested, words.correlations, entries[0].letter)
    names, colours = short_names(entries), colours_of(entries, verdict.best if verdict else "")
    of_two = next(iter(tested.pairs.values())) if len(entries) == LEAST else {}
    scores = [cells_of(entry.report, tested.columns) for entry in entries]
    word, ranking = parameters.text("word", 200), ranking_part(request, entries)
    cue_words = cues.words or () if isinstance(cues := ranking["cues"], Cues) else ()
    context = {
        **choice(request, entries, MOST),
        "ignored": parameters.ignored,
        "named": named(entries, verdict.best if verdict else ""),
        "suite": suite,
        "versions": {entry.report.suite["version"] for entry in entries},
        "mixed_vocabularies": len({entry.submission.open_vocabulary for entry in entries}) > 1,
        "verdict": verdict.coloured(names, colours) if verdict else None,
        "chart": chart_of(tested, entries, verdict.best) if verdict and tested.columns else None,
        "values": [
            (column, cells, of_two.get(column.key)) for column, *cells in zip(tested.columns, *scores, strict=True)
        ],
        "two": [(names[a.letter], names[b.letter], urlencode(address_of([a, b]))) for a, b in combinations(entries, 2)]
        if not of_two
        else [],
        "words": words,
        "reversals": [(row, [(names[a], names[b]) for a, b in row.reversals]) for row in words.rows if row.reversals],
        "word": word,
        "some_have_words": any(can_be_looked_up(entry.submission) for entry in entries),
        "lists": [(entry, ask(entry.submission, word)) for entry in entries] if word else [],
        "address": f"{request.path}?{urlencode(address_of(entries))}",
        "chosen": f"?{urlencode(address_of(entries))}",
        "forms": FORMS,
        **ranking,
        "parts": PARTS,
        **{name: value for part in PARTS for name, value in part.context(request, entries).items()},
        "look_ups": that_can_be_looked_up(cue_words, [entry.submission for entry in entries]),
    }
    return guarded(render(request, "compare/compare.html", context), is_open=page_is_open(entries, context))


@takes("e")
@require_safe
def table(request: HttpRequest, name: str, extension: str) -> HttpResponse:
    """A table of the page as a file for papers and programs.

    Raises
    ------
    Http404
        fewer than two entries are given, or the visitor may not see one.
    """
    entries = picked(request)
    if len(entries) < LEAST:
        raise Http404("Name two to eight entries, as e=ID&e=ID.")
    address = request.build_absolute_uri(f"{reverse('compare:compare')}?{urlencode(address_of(entries))}")
    today = timezone.now().date().isoformat()
    made = TABLES[name](entries, suite_or_404(entries[0].submission.suite), address, today)
    response = as_file(made, f"{name}-{'-'.join(entry.submission.pk for entry in entries)}", extension)
    return guarded(response, is_open=is_open(entries), is_listed=False)


MOST_ON_MAP = 30
PAGES = {"compare": ("compare:compare", "#ranking"), "heat": ("compare:heat", "#map"), "pair": ("compare:pair", "")}


@takes(*RANKING)
@require_safe
def heat(request: HttpRequest) -> HttpResponse:
    """Every pair of up to thirty entries; with fewer than two, a form to choose them."""
    entries = marked(request, MOST_ON_MAP)
    context = choice(request, entries, MOST_ON_MAP, usable=has_vectors_of) | ranking_part(request, entries)
    context["fits_beside"] = len(entries) <= MOST
    return guarded(render(request, "compare/heat.html", context), is_open=page_is_open(entries, context))


@takes(*RANKING)
@require_safe
def pair(request: HttpRequest) -> HttpResponse:
    """Two entries in detail; with fewer, a form to choose them."""
    entries = marked(request, LEAST)
    context: dict[str, Any] = choice(request, entries, LEAST, usable=has_vectors_of) | ranking_part(request, entries)
    context["named"] = named(entries) if len(entries) == LEAST else []
    if len(entries) == LEAST and context["cues"] is not None:
        context["closely"] = closely(entries[0].submission, entries[1].submission, context["cues"])
    return guarded(render(request, "compare/pair.html", context), is_open=page_is_open(entries, context))


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


app_name = "compare"
urlpatterns = [
    path("compare", compare, name="compare"),
    path("compare/heat", heat, name="heat"),
    path("compare/pair", pair, name="pair"),
    path("compare/differ", differ.page, name="differ"),
    path("compare/differ.csv", differ.download, {"extension": "csv"}, name="differ-csv"),
    path("compare/differ.json", differ.download, {"extension": "json"}, name="differ-json"),
    *(path(f"compare/{name}.<slug:extension>", table, {"name": name}, name="table") for name in TABLES),
    path("compare/correlate", correlate, name="correlate"),
]
