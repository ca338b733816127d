"""The chosen entries and cues of a comparison."""

from __future__ import annotations

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from django.http import Http404, HttpRequest

from benchmark.data import suite_or_404
from benchmark.inputs import Parameters
from benchmark.leaderboard.board import Board, board_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.leaderboard.ranking_data import RankingData, ranking_data_of
from benchmark.shipped.vectors import rebuilding
from benchmark.submissions.access import Access, own_unlisted
from benchmark.submissions.models import Submission, with_contents
from benchmark.submissions.vectors import Place, has_whole_vectors, known_words, place_of, prepared_directory
from benchmark.submissions.visibility import SubmissionQuerySet
from tasks.datasets import data_directory
from tasks.errors import InputError, VecboardError
from tasks.languages import ENGLISH, LANGUAGES, language_name
from tasks.political.cues import CUE_LISTS, RANDOM_CUES, CueList, cue_forms, operator_lists, parse_cues, political_cues
from tasks.results import Report
from tasks.text import LeftOut

log = logging.getLogger(__name__)
LEAST, MOST = 2, 8
CHOICE = ("e", "q", "language")
"""Parameters of every page with a choice of entries."""
RANKING = (*CHOICE, "cues", "set")
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
        candidates.append(FoundEntry(entry.id, entry.name, about, has, place_of(row), obstacle, rebuilding=request))
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


MOST_CUES = 50
LONGEST = 2000
TYPED = "typed"


@dataclass(frozen=True)
class Cues:
    """A chosen set of cues; ``words`` is None, and ``language`` empty, if they depend on the two vocabularies."""

    id: str
    title: str
    words: tuple[str, ...] | None = None
    language: str = ""

    @property
    def stored(self) -> list[str] | str:
        """The form stored with a pair: the words, or the name of a set without words of its own."""
        return self.id if self.words is None else list(self.words)

    @property
    def key(self) -> str:
        """Hash of the words, independent of the list's name."""
        return hashlib.sha256(json.dumps(self.stored, ensure_ascii=False).encode()).hexdigest()

    @property
    def typed(self) -> str:
        """Content of the field for the visitor's own cues."""
        return ", ".join(self.words or ()) if self.id == TYPED else ""

    @property
    def query(self) -> dict[str, str]:
        """Query parameters of these cues."""
        return {"cues": self.typed} if self.id == TYPED else {"set": self.id}


RANDOM = Cues("random", f"{RANDOM_CUES} random words in both vocabularies")
EVERY = Cues("every", "Every word in both vocabularies")
DRIFT = Cues("drift", "Words that moved, after alignment and by neighbours")
"""Not a set of cues: requests the words that changed most."""


def offered() -> list[Cues]:
    """Sets to choose from: the political lists, the operator's, random words."""
    return [*(Cues(cues.id, cues.title, cues.words, cues.language) for cues in _lists().values()), RANDOM]


@dataclass(frozen=True)
class CueOffer:
    """A set of cues on offer; ``note`` says what the entries lack for it, ``is_empty`` that they have none of them."""

    cues: Cues
    note: str = ""
    is_empty: bool = False


def cue_offers(entries: Sequence[Marked]) -> list[CueOffer]:
    """The sets, with how many of their cues two of the entries have in common, if not all.

    Without the vectors of all entries on this machine, only the languages are compared.
    """
    sets = offered()
    listed = [cues.words for cues in sets if cues.words]
    directories = [prepared_directory(entry.submission) for entry in entries]
    try:
        vocabularies = [
            known_words(path, tuple(dict.fromkeys(chain(*listed))), cue_forms) for path in directories if path
        ]
    except VecboardError:
        vocabularies = []
    if len(vocabularies) == len(entries):
        common = {word for word, count in Counter(chain(*vocabularies)).items() if count >= LEAST}
        return [_counted_offer(cues, common) for cues in sets]
    languages = {entry.submission.language for entry in entries}
    names = " and ".join(language_name(code) for code in sorted(languages))
    return [
        CueOffer(cues, "" if not cues.language or cues.language in languages else f"the entries are in {names}")
        for cues in sets
    ]


def _counted_offer(cues: Cues, common: Collection[str]) -> CueOffer:
    count = sum(word in common for word in cues.words or ())
    if cues.words is None or count == len(cues.words):
        return CueOffer(cues)
    return CueOffer(cues, f"{count} of {len(cues.words)} words known", is_empty=not count)


def chosen(query: Mapping[str, str], language: str) -> Cues:
    """The typed cues, the chosen set, or by default the political list of a language or, without one, random words.

    Parameters
    ----------
    query : ``cues`` and ``set`` of a URL or a form.

    Raises
    ------
    InputError
        the set does not exist, or the typed list is too long.
    """
    typed = query.get("cues", "")[:LONGEST]
    if typed.strip():
        words = parse_cues(typed)
        if len(words) > MOST_CUES:
            message = f"The list has {len(words)} cues; the limit is {MOST_CUES}."
            raise InputError("too-many-cues", message, field="cues")
        return Cues(TYPED, "Your own cues", tuple(words))
    name = query.get("set", "")
    if not name:
        political = political_cues(language)
        return Cues(political.id, political.title, political.words, political.language) if political else RANDOM
    cue_set = next((cues for cues in offered() if cues.id == name), None)
    if cue_set is None:
        ids = ", ".join(cues.id for cues in offered())
        raise InputError("no-cue-set", f"Unknown set of cues “{name[:60]}”; the sets are {ids}.", field="set")
    return cue_set


def _lists() -> dict[str, CueList]:
    """Built-in lists and the operator's; unreadable ones are logged and left out."""
    left_out = LeftOut()
    lists = CUE_LISTS | operator_lists(data_directory() / "cue-lists", left_out)
    if left_out.count:
        log.error(left_out.sentence("Cue lists of the operator"))
    return lists
