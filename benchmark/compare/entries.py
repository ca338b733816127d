"""The chosen entries of a comparison."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.http import Http404, HttpRequest

from benchmark.data import suite_or_404
from benchmark.inputs import Parameters
from benchmark.leaderboard.board import Board, board_of
from benchmark.leaderboard.first_screen import name_without_size
from benchmark.leaderboard.query import BoardQuery
from benchmark.leaderboard.ranking_data import RankingData, ranking_data_of
from benchmark.shipped.vectors import rebuilding
from benchmark.submissions.access import Access, own_unlisted
from benchmark.submissions.models import Submission, with_contents
from benchmark.submissions.vectors import Place, has_whole_vectors, place_of
from benchmark.submissions.visibility import SubmissionQuerySet
from tasks.languages import ENGLISH, LANGUAGES, language_name
from tasks.results import Report

log = logging.getLogger(__name__)
LEAST, MOST = 2, 8
CHOICE = ("e", "q", "language")
"""Parameters of every page with a choice of entries."""
FOUND = 20
"""Search results shown when adding an entry."""
LETTERS = "ABCDEFGH"
LONGEST_ID = 60
"""Characters of an unknown id that a message repeats."""
NO_FILE = "This site does not keep the vectors of {name}."


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
    """An entry with its report and ranking data; None until a worker has written these."""

    report: Report
    ranking: RankingData | None = field(repr=False)

    @property
    def report_id(self) -> int:
        assert self.submission.report_id is not None
        return self.submission.report_id


def asked_for(request: HttpRequest) -> list[str]:
    """Distinct ids of ``?e=…&e=…``; an empty one is the mark of a form."""
    return list(filter(None, dict.fromkeys(request.GET.getlist("e") or request.POST.getlist("e"))))


def marked(request: HttpRequest, most: int = MOST, *, token: str | None = None) -> list[Marked]:
    """The first ``most`` entries of ``?e=…&e=…``, marked with letters or, if there are too many, with numbers.

    Parameters
    ----------
    token : the secret that counts for all of them; None: the cookies of pages, which the API ignores.

    Raises
    ------
    Http404
        one of them does not exist or may not be seen.
    """
    ids = asked_for(request)[:most]
    submissions_by_id = Submission.objects.select_related("report", "owner").in_bulk(ids)
    submissions = []
    for pk in ids:
        secret = Submission.secret_in(request, pk) if token is None else token
        if pk not in submissions_by_id or not Access(submissions_by_id[pk], secret, request.user).may_see:
            raise Http404(f"There is no entry “{pk[:LONGEST_ID]}” here, or it is private; check its id.")
        submissions.append(submissions_by_id[pk])
    marks = LETTERS if len(submissions) <= len(LETTERS) else [str(number) for number in range(1, len(submissions) + 1)]
    return [Marked(mark, submission) for mark, submission in zip(marks, submissions, strict=False)]


def picked(request: HttpRequest, *, token: str | None = None) -> list[Picked]:
    """At most eight entries with their reports, all of the first one's suite; ``token`` as in :func:`marked`.

    Raises
    ------
    Http404
        one of them does not exist, may not be seen, or has no report.
    """
    entries = marked(request, token=token)
    for entry in entries:
        if entry.submission.report is None:
            raise Http404(f"{entry.name} has no report yet.")
        if entry.submission.suite != entries[0].submission.suite:
            raise Http404("Entries of different suites have no scores in common.")
    reports = list(with_contents(entry.submission.report for entry in entries if entry.submission.report is not None))
    ranking = ranking_data_of([report.pk for report in reports])
    return [
        Picked(entry.letter, entry.submission, report.measured, ranking.get(report.pk))
        for entry, report in zip(entries, reports, strict=True)
    ]


def page_is_open(entries: Sequence[Marked], context: Mapping[str, object]) -> bool:
    """Whether caches may store a page of entries: neither they nor those on offer are for this visitor alone."""
    return is_open(entries) and not context["offers_own"]


def is_open(entries: Sequence[Marked]) -> bool:
    """Whether caches may store the page."""
    return all(entry.submission.is_open_to_all for entry in entries)


def address_of(entries: Sequence[Marked], **more: object) -> list[tuple[str, object]]:
    """Query parameters that show these entries."""
    return [*(("e", entry.submission.pk) for entry in entries), *more.items()]


@dataclass(frozen=True)
class FoundEntry:
    """An entry to choose from; ``has_vectors`` as far as the page needs them, ``obstacle`` if it cannot be chosen.

    ``place`` says where its vectors are, and ``rebuilding`` describes a request to rebuild them.
    """

    id: str
    name: str
    facts: str
    has_vectors: bool
    place: Place = Place.GONE
    obstacle: str = ""
    is_ticked: bool = False
    rebuilding: str = ""

    @property
    def note(self) -> str:
        """What a picker adds about its vectors; empty if they are as the heading of the list says."""
        return self.rebuilding or NOTES.get(self.place, "")


def has_vectors_of(submission: Submission) -> bool:
    """Whether a worker can load the vectors."""
    return submission.has_vectors


NOTES = {
    Place.TRAINABLE: "made when first needed",
    Place.EXCERPT: "made when first needed",
}
Usable = Callable[[Submission], bool]


def choice(
    request: HttpRequest,
    entries: Sequence[Marked],
    most: int,
    *,
    least: int = LEAST,
    usable: Usable | None = None,
    equal_dimensions: bool = False,
    unlisted: SubmissionQuerySet | None = None,
) -> dict[str, object]:
    """Context for choosing entries, on every page that compares some.

    Parameters
    ----------
    least : number of entries that the page needs.
    usable : whether an entry has the vectors that the page needs; None if scores suffice.
    equal_dimensions : only entries of as many dimensions as the first one can be added.
    unlisted : entries offered besides the board's; None: all of the visitor's that aren't public.
    """
    board = _board(request, entries, most)
    offered = _newest(own_unlisted(request) if unlisted is None else unlisted, board) if board else []
    candidates = _candidates(board, offered, entries, max(FOUND, most), usable, equal_dimensions) if board else []
    if usable is not None and not request.GET.get("q"):
        candidates = _ticked(candidates, 1 if equal_dimensions else least - len(entries))
    return {
        "entries": entries,
        "ignored": board.query.ignored if board else (),
        "asked": len(asked_for(request)),
        "least": least,
        "most": most,
        "needs_vectors": usable is not None,
        "found": [entry for entry in candidates if usable is None or entry.has_vectors],
        "lacking": usable is not None
        and not request.GET.get("q")  # a search may find a single entry
        and len(entries) + sum(not entry.obstacle for entry in candidates if entry.has_vectors) < least,
        "without_vectors": [entry for entry in candidates if usable is not None and not entry.has_vectors],
        "some_trainable": any(entry.place in NOTES for entry in candidates),
        "ticked_none": _ticked_none(request),
        "offers_own": bool(offered),
        "languages": [(code, language_name(code)) for code in (board.languages if board else ())],
        "language": board.query.language if board else ENGLISH,
        "here": request.path,
    }


def _newest(unlisted: SubmissionQuerySet, board: Board) -> list[Submission]:
    """The newest of these entries in the board's language that match its search."""
    of_board = unlisted.filter(suite=board.suite.id, language=board.query.language)
    return list(of_board.filter(name__icontains=board.query.text).order_by("-created_at")[:FOUND])


def _candidates(
    board: Board,
    unlisted: Sequence[Submission],
    entries: Sequence[Marked],
    most: int,
    usable: Usable | None,
    equal_dimensions: bool,
) -> list[FoundEntry]:
    """The board's best that are not chosen yet, then the visitor's own.

    Where vectors are needed, also the newest others with a file.
    """
    held = {entry.submission.pk for entry in entries}
    facts = [row.facts for row in board.rows if row.facts.id not in held][:most]
    rows = Submission.objects.in_bulk([entry.id for entry in facts])
    unlisted_by_id = {row.pk: row for row in unlisted if row.pk not in held}
    facts += [row.facts for row in unlisted_by_id.values()]
    rows |= unlisted_by_id
    if usable is not None:
        others = Submission.objects.on_board(board.suite.id).filter(board.query.condition()).exclude(file_key="")
        lower = others.exclude(pk__in=[*held, *rows]).select_related("owner").order_by("-finished_at")[:most]
        rows |= {row.pk: row for row in lower}
        facts += [row.facts for row in lower]
    requested = rebuilding(rows) if usable is not None else {}
    dimensions = entries[0].submission.dimensions if entries and equal_dimensions else None
    candidates = []
    for entry in facts:
        row = rows.get(entry.id)
        if row is None:  # erased since the board was computed
            continue
        differs = dimensions is not None and row.dimensions != dimensions
        obstacle = f"not {dimensions} dimensions, so it cannot be aligned" if differs else ""
        if usable is None and row.report_id is None:
            obstacle = "no report yet"
        has = (usable or has_whole_vectors)(row)
        about = f"{row.dimensions} d · {row.language}"
        if row.pk in unlisted_by_id:
            about += f" · yours, {row.visibility_in_words}"
        request = requested.get(entry.id, "")
        name = name_without_size(entry.name, row.dimensions)
        candidates.append(FoundEntry(entry.id, name, about, has, place_of(row), obstacle, rebuilding=request))
    return candidates


def _ticked(candidates: Sequence[FoundEntry], count: int) -> list[FoundEntry]:
    """The first entries that can be chosen, ticked, as many as are still missing; those with vectors here first."""
    usable = [entry for entry in candidates if entry.has_vectors and not entry.obstacle]
    able = [entry.id for entry in sorted(usable, key=lambda entry: entry.place in NOTES)][: max(count, 0)]
    return [replace(entry, is_ticked=entry.id in able) for entry in candidates]


def _ticked_none(request: HttpRequest) -> bool:
    """Whether a form of entries was sent without a tick: it has an empty ``e`` before its boxes."""
    ids = request.GET.getlist("e")
    return bool(ids) and not ids[-1]


def _board(request: HttpRequest, entries: Sequence[Marked], most: int) -> Board | None:
    """Entries that match ``?q=`` in a language, best first; None if no more can be added or nothing is searched."""
    if len(entries) >= most or (len(entries) >= LEAST and not request.GET.get("q")):
        return None
    suite = suite_or_404(entries[0].submission.suite if entries else None)
    before = entries[-1].submission.language if entries else ENGLISH
    parameters = Parameters(request.GET)
    language = parameters.one_of("language", LANGUAGES, before)
    query = BoardQuery(
        text=parameters.text("q", 200), columns=("overall",), language=language, ignored=tuple(parameters.ignored)
    )
    return board_of(suite, query, size=FOUND + most)
