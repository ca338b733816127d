"""The endpoint that compares measured entries, and what all endpoints about entries share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from ninja import Router

from benchmark.api.schema import parameter
from benchmark.api.submissions import RETRY_AFTER_SECONDS
from benchmark.compare.entries import LEAST, MOST, Picked, address_of, asked_for, is_open, picked
from benchmark.compare.parts import parts
from benchmark.compare.scores import ScoreDifferences, SharedWordsRow, score_differences, shared_words
from benchmark.compare.verdict import short_names, verdict_on
from benchmark.data import suite_or_404
from benchmark.inputs import Parameters, refuse
from benchmark.leaderboard.columns import NOT_MEASURED, scores_of
from benchmark.operations import quotas
from benchmark.responses import kept_if_open, unstored
from benchmark.submissions.access import bearer_token
from benchmark.submissions.models import Submission
from benchmark.submissions.vectors import PREPARE
from tasks.answers import (
    ComparisonAnswer,
    CorrelationOfEntry,
    DifferenceOfEntries,
    ErrorAnswer,
    Preparing,
    ScoreOfEntry,
)
from tasks.errors import InputError

PREPARING = "A worker prepares the vectors of {names}; this takes seconds to minutes. Repeat the request."
REFUSED = dict.fromkeys((400, 404, 409, 429), ErrorAnswer)

PARTS = parts()
router = Router()


def entries_parameter(least: int) -> dict[str, object]:
    """``e=ID&e=ID``, as on pages."""
    items = {"type": "array", "items": {"type": "string"}, "minItems": least, "maxItems": MOST}
    return parameter("e", "id of an entry; repeat it for several: `e=ID&e=ID`", required=True, **items)


def enough(request: HttpRequest, least: int) -> None:
    """
    Raises
    ------
    InputError
        the request names too few entries, or more than a page shows.
    """
    ids = asked_for(request)
    if not least <= len(ids) <= MOST:
        message = f"Name {least} to {MOST} different entries, as e=ID&e=ID; the request has {len(ids)}."
        raise InputError("number-of-entries", message, field="e")


def accepted(body: object) -> HttpResponse:
    """202, as a worker prepares something; the header says when to ask again."""
    response = unstored(body, 202)
    response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def preparation(submissions: Sequence[Submission]) -> HttpResponse:
    """Queue the preparation of their vectors.

    Raises
    ------
    TooMuch
        this person already has too many open requests.
    """
    quotas.ask(PREPARE, [entry.pk for entry in submissions])
    body: Preparing = {"preparing": PREPARING.format(names=", ".join(entry.display_name for entry in submissions))}
    return accepted(body)


@router.get(
    "/compare",
    response={200: ComparisonAnswer, 202: ComparisonAnswer} | REFUSED,
    url_name="compare",
    openapi_extra={
        "parameters": [
            entries_parameter(LEAST),
            parameter("ref", "entry to compare with: A for the first of the request, B for the second, …; default: A"),
            *(parameter for part in PARTS for parameter in part.in_api),
        ]
    },
)
def compare(request: HttpRequest) -> HttpResponse:
    """Verdict, differences with intervals and corrected p, and correlations with people, for two to eight entries.

    With ``pairs=yes``, 202 while a worker compares the rankings of words; all other figures are there at once.
    """
    enough(request, LEAST)
    entries = picked(request, token=bearer_token(request))
    parameters = Parameters(request.GET)
    by_letter = {entry.letter: entry for entry in entries}
    reference = by_letter[parameters.one_of("ref", by_letter, entries[0].letter)]
    refuse(parameters.ignored)
    body = comparison(request, entries, reference)
    is_waiting = [part.complete(request, entries, body) for part in PARTS]
    if any(is_waiting):
        return accepted(body)
    return kept_if_open(request, JsonResponse(body), is_open=is_open(entries))


def comparison(request: HttpRequest, entries: Sequence[Picked], reference: Picked) -> ComparisonAnswer:
    """The page's figures, without pairs."""
    suite = suite_or_404(entries[0].submission.suite)
    tested = score_differences(entries, suite)
    rows = shared_words(entries, reference, suite).correlations
    said = verdict_on(tested, rows, reference.letter)
    verdict = said.named(short_names(entries)) if said else None
    ids = {entry.letter: entry.submission.pk for entry in entries}
    page = f"{reverse('compare:compare')}?{urlencode(address_of(entries))}"
    return {
        "address": request.build_absolute_uri(page),
        "suite": suite.id,
        "reference": reference.submission.pk,
        "entries": [
            {
                "letter": entry.letter,
                "id": entry.submission.pk,
                "name": entry.name,
                "suite_version": entry.report.suite["version"],
            }
            for entry in entries
        ],
        "verdict": None
        if verdict is None
        else {"title": verdict.title, "details": list(verdict.details), "note": verdict.note},
        "columns": [
            {"key": column.key, "title": column.title, "group": column.group, "is_mean": column not in tested.tasks}
            for column in tested.columns
        ],
        "scores": scores(entries, tested),
        "differences": differences(tested, reference.letter, ids),
        "correlations": correlations(entries, rows, reference),
        "pairs": None,
    }


def scores(entries: Sequence[Picked], tested: ScoreDifferences) -> list[ScoreOfEntry]:
    """Every entry's own score in every column."""
    rows: list[ScoreOfEntry] = []
    for entry in entries:
        figures, reasons = scores_of(entry.report)
        for key in (column.key for column in tested.columns):
            value, low, high = figures[key][:3] if key in figures else (None, None, None)
            interval = [low, high] if low is not None and high is not None else None
            reason = "" if key in figures else reasons.get(key, NOT_MEASURED)
            about = {"entry": entry.submission.pk, "column": key}
            rows.append(cast("ScoreOfEntry", {**about, "score": value, "interval": interval, "reason": reason}))
    return rows


def differences(tested: ScoreDifferences, reference: str, ids: Mapping[str, str]) -> list[DifferenceOfEntries]:
    """Every pair in every column, those with the reference against it."""
    pairs = [(second, first) if first == reference else (first, second) for first, second in tested.pairs]
    return [
        {
            "entry": ids[first],
            "against": ids[second],
            "column": key,
            "difference": difference.value,
            "interval": None if difference.interval is None else list(difference.interval),
            "p": difference.p,
            "p_corrected": difference.adjusted,
            "significant": difference.clear,
            "tests": difference.tests,
            "detectable": difference.detectable(),
            "detectable_corrected": difference.detectable(difference.tests),
            "reason": difference.reason,
        }
        for first, second in pairs
        for key, difference in tested.between(first, second).items()
    ]


def correlations(
    entries: Sequence[Picked], rows: Sequence[SharedWordsRow], reference: Picked
) -> list[CorrelationOfEntry]:
    """Every entry's correlation with people in every task that can be compared."""
    return [
        {
            "entry": entry.submission.pk,
            "task": row.task,
            "title": row.title,
            "pairs": row.examples,
            "common_pairs": row.common,
            "correlation": cell.value,
            "correlation_of_own_pairs": cell.full,
            "p": cell.p,
            "p_corrected": cell.adjusted,
            "p_of_williams": cell.williams,
            "significant": entry is not reference and cell.clear,
        }
        for row in rows
        for entry, cell in zip(entries, row.cells, strict=True)
    ]
