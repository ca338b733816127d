"""Entries compared."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchmark.compare.correlations import correlation_rows
from benchmark.compare.differences import difference_rows, value_rows
from benchmark.compare.overlay import overlays
from benchmark.compare.picked import LEAST, MOST, address_of, choice, picked, private_if_needed
from benchmark.compare.ranking import ranking_part
from benchmark.explore.neighbours import ask, can_be_looked_up
from benchmark.inputs import Parameters
from benchmark.suites import suite_or_404


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Two to eight entries; with fewer, a place to choose them."""
    entries = picked(request)
    if len(entries) < LEAST:
        return render(request, "compare/choose.html", choice(request, entries, MOST))
    suite = suite_or_404(entries[0].submission.suite)
    asked = Parameters(request.GET)
    by_letter = {entry.letter: entry for entry in entries}
    reference = by_letter[asked.one_of("ref", by_letter, entries[0].letter)]
    word = asked.text("word", 200)
    context = {
        **choice(request, entries, MOST),
        "ignored": asked.ignored,
        "others": [entry for entry in entries if entry is not reference],
        "reference": reference,
        "suite": suite,
        "versions": {entry.report.suite["version"] for entry in entries},
        "mixed_vocabularies": len({entry.submission.open_vocabulary for entry in entries}) > 1,
        "overlays": overlays(entries, suite),
        "values": value_rows(entries, suite),
        "differences": difference_rows(entries, reference, suite),
        "correlations": correlation_rows(entries, reference, suite),
        "word": word,
        "some_have_words": any(can_be_looked_up(entry.submission) for entry in entries),
        "lists": [(entry, ask(entry.submission, word)) for entry in entries] if word else [],
        "address": f"{request.path}?{urlencode(address_of(entries))}",
        **ranking_part(request, entries),
    }
    return private_if_needed(render(request, "compare/compare.html", context), entries)
