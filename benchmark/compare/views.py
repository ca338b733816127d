"""The page of two to eight compared entries, and its tables as files."""

from __future__ import annotations

from itertools import combinations
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from benchmark.compare.entries import CHOICE, LEAST, MOST, address_of, choice, is_open, page_is_open, picked
from benchmark.compare.parts import parts, task_address
from benchmark.compare.scores import score_differences, shared_words
from benchmark.compare.tables import TABLES
from benchmark.compare.verdict import chart_of, colours_of, named, short_names, verdict_on
from benchmark.data import suite_or_404
from benchmark.inputs import Parameters, takes
from benchmark.leaderboard.board import cells_of
from benchmark.paper import FORMS, as_file
from benchmark.responses import guarded
from benchmark.submissions.vectors import ask, can_be_looked_up, that_can_be_looked_up
from tasks.political.cues import political_cues

PARTS = parts()


@takes(*CHOICE, "word", *(name for part in PARTS for name in part.parameters))
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
    word, cues = parameters.text("word", 200), political_cues(entries[0].submission.language)
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
        "parts": [part for part in PARTS if part.template],
        "task_address": task_address(entries) if len(entries) == LEAST else "",
        **{name: value for part in PARTS for name, value in part.context(request, entries).items()},
        "look_ups": that_can_be_looked_up(cues.words if cues else (), [entry.submission for entry in entries]),
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


app_name = "compare"
urlpatterns = [
    path("compare", compare, name="compare"),
    *(path(f"compare/{name}.<slug:extension>", table, {"name": name}, name="table") for name in TABLES),
]
