"""The entries to compare, and their choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control

from benchmark.data import suite_or_404
from benchmark.inputs import Parameters
from benchmark.leaderboard.board import Board, board_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.leaderboard.ranking_data import resamples_of
from benchmark.submissions.access import Access, cookie_token
from benchmark.submissions.models import Submission
from tasks.languages import ENGLISH, LANGUAGES, language_name
from tasks.results import Report
from tasks.statistics.bootstrap import Draws

LEAST, MOST = 2, 8
FOUND = 20
"""Search results shown when adding an entry."""
LETTERS = "ABCDEFGH"


@dataclass(frozen=True)
class Marked:
    """An entry with the letter or number that represents it in charts and tables."""

    letter: str
    submission: Submission

    @property
    def name(self) -> str:
        return self.submission.display_name

    @property
    def colour(self) -> str:
        """CSS class of its data colour: grey for the baseline, none for numbers."""
        if self.submission.is_baseline:
            return "baseline"
        return f"c{LETTERS.index(self.letter)}" if self.letter in LETTERS else ""


@dataclass(frozen=True)
class Picked(Marked):
    """An entry with its report and resampled scores."""

    report: Report
    resamples: Mapping[str, Draws] = field(repr=False)


def asked_for(request: HttpRequest) -> list[str]:
    """Distinct ids of ``?e=…&e=…``."""
    return list(dict.fromkeys(request.GET.getlist("e") or request.POST.getlist("e")))


def marked(request: HttpRequest, most: int = MOST) -> list[Marked]:
    """The first ``most`` entries of ``?e=…&e=…``, marked with letters or, if there are too many, with numbers.

    Raises
    ------
    Http404
        one of them does not exist or may not be seen.
    """
    ids = asked_for(request)[:most]
    found = Submission.objects.select_related("report", "owner").in_bulk(ids)
    submissions = [
        found[pk] for pk in ids if pk in found and Access(found[pk], cookie_token(request, pk), request.user).may_see
    ]
    if len(submissions) < len(ids):
        raise Http404("One of these entries does not exist.")
    marks = LETTERS if len(submissions) <= len(LETTERS) else [str(nth) for nth in range(1, len(submissions) + 1)]
    return [Marked(mark, submission) for mark, submission in zip(marks, submissions, strict=False)]


def picked(request: HttpRequest) -> list[Picked]:
    """At most eight entries with their reports, all of the first one's suite.

    Raises
    ------
    Http404
        one of them does not exist, may not be seen, or has no report.
    """
    entries = marked(request)
    for entry in entries:
        if entry.submission.report is None:
            raise Http404(f"{entry.name} has no report yet.")
        if entry.submission.suite != entries[0].submission.suite:
            raise Http404("Entries of different suites have no scores in common.")
    reports = [entry.submission.report for entry in entries if entry.submission.report is not None]
    resamples = resamples_of([report.pk for report in reports])
    return [
        Picked(entry.letter, entry.submission, report.measured, resamples.get(report.pk, {}))
        for entry, report in zip(entries, reports, strict=True)
    ]


def pairs(entries: Sequence[Marked]) -> list[tuple[Marked, Marked]]:
    return list(combinations(entries, 2))


def is_open(entries: Sequence[Marked]) -> bool:
    """Whether caches may store the page."""
    return all(entry.submission.is_open_to_all for entry in entries)


def address_of(entries: Sequence[Marked], **more: object) -> list[tuple[str, object]]:
    """Query parameters that show these entries."""
    return [*(("e", entry.submission.pk) for entry in entries), *more.items()]


def private_if_needed(response: HttpResponse, entries: Sequence[Marked]) -> HttpResponse:
    """Prevent caches from storing pages with private entries."""
    patch_cache_control(response, **({"no_cache": True} if is_open(entries) else {"private": True, "no_store": True}))
    return response


def choice(request: HttpRequest, entries: Sequence[Marked], most: int) -> dict[str, object]:
    """Context for choosing entries, on every page that compares some."""
    board = _board(request, entries, most)
    held = {entry.submission.pk for entry in entries}
    rows = [(row.facts.id, row.facts.name) for row in (board.rows if board else ()) if row.facts.id not in held]
    return {
        "entries": entries,
        "ignored": board.query.ignored if board else (),
        "asked": len(asked_for(request)),
        "least": LEAST,
        "most": most,
        "found": rows[: max(FOUND, most)],
        "languages": [(code, language_name(code)) for code in (board.languages if board else ())],
        "language": board.query.language if board else ENGLISH,
        "here": request.path,
    }


def _board(request: HttpRequest, entries: Sequence[Marked], most: int) -> Board | None:
    """Entries that match ``?q=`` in a language, best first; None if no more can be added or nothing is searched."""
    if len(entries) >= most or (len(entries) >= LEAST and not request.GET.get("q")):
        return None
    suite = suite_or_404(entries[0].submission.suite if entries else None)
    before = entries[-1].submission.language if entries else ENGLISH
    asked = Parameters(request.GET)
    language = asked.one_of("language", LANGUAGES, before)
    query = BoardQuery(text=asked.text("q", 200), columns=("overall",), language=language, ignored=tuple(asked.ignored))
    return board_of(suite, query, size=FOUND + most)
