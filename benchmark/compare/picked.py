"""The entries that a reader wants beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from django.http import Http404, HttpRequest

from benchmark.leaderboard import standing
from benchmark.submissions.access import Access, cookie_token
from benchmark.submissions.models import Submission
from tasks.ranking import Draws
from tasks.results import Report

LEAST, MOST = 2, 8
LETTERS = "ABCDEFGH"


@dataclass(frozen=True)
class Picked:
    """An entry with its letter: the mark that stands for it in every chart and table of the page."""

    letter: str
    submission: Submission
    report: Report
    draws: Mapping[str, Draws] = field(repr=False)

    @property
    def name(self) -> str:
        return self.submission.display_name

    @property
    def colour(self) -> str:
        """Class of its data colour; the baseline is always grey."""
        return "baseline" if self.submission.is_baseline else f"c{LETTERS.index(self.letter)}"


def picked(request: HttpRequest) -> list[Picked]:
    """The entries of ``?e=…&e=…``, in that order, at most eight; of one suite, that of the first.

    Raises
    ------
    Http404
        one of them does not exist, may not be seen, or has no report.
    """
    ids = list(dict.fromkeys(request.GET.getlist("e") or request.POST.getlist("e")))[:MOST]
    found = Submission.objects.select_related("report", "owner").in_bulk(ids)
    submissions = [found[pk] for pk in ids if pk in found and _may_see(request, found[pk])]
    if len(submissions) < len(ids):
        raise Http404("One of these entries does not exist.")
    for submission in submissions:
        if submission.report is None:
            raise Http404(f"{submission.display_name} has no report yet.")
        if submission.suite != submissions[0].suite:
            raise Http404("Entries of different suites have no figures in common.")
    reports = [submission.report for submission in submissions if submission.report is not None]
    draws = standing.draws_of([report.pk for report in reports])
    return [
        Picked(letter, submission, Report.from_json(report.body), draws.get(report.pk, {}))
        for letter, submission, report in zip(LETTERS, submissions, reports, strict=False)
    ]


def _may_see(request: HttpRequest, submission: Submission) -> bool:
    return Access(submission, cookie_token(request, submission.pk), request.user).may_see


def pairs(entries: Sequence[Picked]) -> list[tuple[Picked, Picked]]:
    return list(combinations(entries, 2))


def is_open(entries: Sequence[Picked]) -> bool:
    """Whether the page may be kept by caches."""
    return all(entry.submission.is_open_to_all for entry in entries)


def address_of(entries: Sequence[Picked], **more: Any) -> list[tuple[str, Any]]:
    """Pairs of a query string that shows these entries again."""
    return [*(("e", entry.submission.pk) for entry in entries), *more.items()]
