"""Pages that explore a measured entry: the table of its dimensions, its map of words, the neighbours of a word.

Look-ups need prepared vectors, or an excerpt; a job prepares them on this machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from benchmark.data import current_suite
from benchmark.inputs import Parameters, takes
from benchmark.operations import quotas
from benchmark.operations.models import Job
from benchmark.responses import kept_if_open
from benchmark.submissions import vectors as near
from benchmark.submissions.access import access_of
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from tasks.political.cues import political_cues
from tasks.results import Report
from tasks.secondary import AlignedDimension, MapFigures, QvecFigures
from tasks.text import split_words

MOST_SEARCHED = 50
"""Entries of which :func:`words` looks for vectors."""
PREPARING = "A worker is preparing the vectors for the look-up."


@dataclass(frozen=True)
class MeasuredEntry:
    """A measured submission that this visitor may see."""

    submission: Submission
    report: Report

    def reason_without(self, task: str) -> str:
        """Reason why the report has no result of a task."""
        return self.report.reason_without(task) or "This report's suite version does not include it yet."


def measured_entry(request: HttpRequest, submission_id: str) -> MeasuredEntry:
    """The entry with its report.

    Raises
    ------
    Http404
        it does not exist, is hidden from this visitor, or has no report yet.
    """
    submission = access_of(request, submission_id).submission
    stored = getattr(submission, "report", None)
    if submission.state != State.DONE or stored is None:
        raise Http404("This submission has no report yet.")
    return MeasuredEntry(submission, stored.measured)


SIZE = 1000
MARGIN = 24
COLOURS = 6
"""Number of supersenses with a colour of their own; the rest share one."""
_LETTER, _LINE = 8.4, 16.0
_MOST_LABELS = 90


@dataclass(frozen=True)
class Dot:
    """A word on the map; ``colour`` 0 is shared by all supersenses without their own."""

    word: str
    sense: str
    x: float
    y: float
    colour: int
    faded: bool = False


@dataclass(frozen=True)
class Label:
    word: str
    x: float
    y: float


@dataclass(frozen=True)
class WordMap:
    """Content of the map; ``marked`` is the searched word, if it is on the map."""

    dots: tuple[Dot, ...]
    labels: tuple[Label, ...]
    colours: tuple[tuple[int, str, int], ...]
    senses: tuple[tuple[str, int], ...]
    width: float
    height: float
    trust: float
    placed: int
    word: str
    sense: str
    marked: Dot | None

    @property
    def marked_at_the_right(self) -> bool:
        return self.marked is not None and self.marked.x > self.width * 0.75


def map_of(entry: MeasuredEntry, parameters: Parameters) -> WordMap | None:
    """The map of an entry, if it has one, with a word marked and a supersense highlighted."""
    result = entry.report.result("map")
    if result is None:
        return None
    stored = result.figures(MapFigures)
    senses = [name or "" for name in stored["supersenses"]]
    counts = Counter(name for name in senses if name)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    colour = {name: i for i, (name, _) in enumerate(ordered[:COLOURS], 1)}
    word, sense = next(iter(split_words(parameters.text("word", 100))), ""), parameters.one_of("sense", counts)
    scale = SIZE - 2 * MARGIN
    dots = [
        Dot(
            written,
            name,
            round(MARGIN + x * scale, 1),
            round(MARGIN + y * scale, 1),
            colour.get(name, 0),
            bool(sense) and name != sense,
        )
        for written, name, x, y in zip(stored["words"], senses, stored["x"], stored["y"], strict=True)
    ]
    marked = next((dot for dot in dots if word and dot.word.lower() == word.lower()), None)
    shown = [dot for dot in dots if not dot.faded]
    return WordMap(
        dots=tuple(sorted(dots, key=lambda dot: not dot.faded)),
        labels=tuple(labels_of(([marked] if marked else []) + shown, keep_clear=marked)),
        colours=tuple((number, name, counts[name]) for name, number in colour.items()),
        senses=tuple(sorted(counts.items())),
        width=max(dot.x for dot in dots) + MARGIN + 40,
        height=max(dot.y for dot in dots) + MARGIN,
        trust=result.score,
        placed=result.n,
        word=word,
        sense=sense,
        marked=marked,
    )


def labels_of(dots: Iterable[Dot], keep_clear: Dot | None = None) -> Iterable[Label]:
    """Labels for as many words as fit, in the given order; ``keep_clear`` has a larger label of its own."""
    boxes: list[tuple[float, float, float, float]] = []
    written = 0
    for dot in dots:
        box = (dot.x + 6, dot.y - _LINE / 2, dot.x + 6 + _LETTER * len(dot.word), dot.y + _LINE / 2)
        if any(box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3] for other in boxes):
            continue
        boxes.append(box)
        if dot is keep_clear:
            continue
        written += 1
        yield Label(dot.word, dot.x + 6, dot.y + 4)
        if written == _MOST_LABELS:
            return


ORACLES = {
    "qvec-en": "Supersenses",
    "qvec-ptb": "Penn Treebank tags",
    "qvec-da": "Danish supersenses",
    "qvec-it": "Italian supersenses",
}
ORDERS = {"r": "by strength of the correlation", "dimension": "by number", "property": "by property"}


@dataclass(frozen=True)
class Dimension:
    """A dimension and its property; ``width`` is 100 |r|, for a bar."""

    number: int
    property: str
    r: float
    words: tuple[str, ...]

    @cached_property  # a field is named property
    def width(self) -> int:
        return round(100 * min(abs(self.r), 1.0))


@dataclass(frozen=True)
class DimensionTable:
    """A query and the matching dimensions; ``read`` are its words, ``unknown`` those that match no dimension."""

    task: str
    title: str
    oracles: tuple[tuple[str, str], ...]
    query: str
    order: str
    rows: tuple[Dimension, ...]
    of: int
    read: tuple[str, ...]
    unknown: tuple[str, ...]


def table_of(entry: MeasuredEntry, parameters: Parameters) -> DimensionTable | None:
    """Dimensions whose property or top words match one of the query's words; None if the entry has no such table."""
    oracles = tuple((id, title) for id, title in ORACLES.items() if _stored(entry, id))
    if not oracles:
        return None
    task = parameters.one_of("oracle", dict(oracles), oracles[0][0])
    order, query = parameters.one_of("sort", ORDERS, "r"), parameters.text("q", 100)
    rows = [
        Dimension(
            row["dimension"],
            (row["property"] or "").removeprefix("semcor.").removeprefix("ptb."),
            row["r"],
            tuple(row["words"]),
        )
        for row in _stored(entry, task)
    ]
    words = split_words(query.lower())
    matches = sorted((row for row in rows if _matches(row, words)), key=lambda row: _key(row, order))
    unknown = tuple(word for word in words if not any(_matches(row, [word]) for row in rows))
    return DimensionTable(
        task, ORACLES[task], oracles, query, order, tuple(matches), len(rows), read=tuple(words), unknown=unknown
    )


def _stored(entry: MeasuredEntry, task: str) -> Sequence[AlignedDimension]:
    figures = entry.report.figures(task, QvecFigures)
    return figures.get("dimensions", ()) if figures else ()


def _matches(row: Dimension, words: Sequence[str]) -> bool:
    whole = {str(row.number), *(word.lower() for word in row.words)}
    return not words or any(word in whole or word in row.property.lower() for word in words)


def _key(row: Dimension, order: str) -> tuple[str | float, ...]:
    if order == "property":
        return row.property, -abs(row.r)
    return (row.number,) if order == "dimension" else (-abs(row.r), row.number)


@takes("oracle", "q", "sort")
@require_safe
def dimensions(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Properties of the dimensions: ``?oracle=``, ``?q=`` (property, word or number), ``?sort=``."""
    entry = measured_entry(request, submission_id)
    parameters = Parameters(request.GET)
    table = table_of(entry, parameters)
    reason = entry.reason_without("qvec-en")
    context = {"table": table, "orders": ORDERS, "reason": reason, "ignored": parameters.ignored}
    return _page(request, entry, "dimensions", context)


@takes("word", "sense")
@require_safe
def word_map(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The map: ``?word=`` marks a word, ``?sense=`` highlights a supersense."""
    entry = measured_entry(request, submission_id)
    parameters = Parameters(request.GET)
    shown = map_of(entry, parameters)
    context = {"map": shown, "reason": entry.reason_without("map"), "ignored": parameters.ignored}
    return _page(request, entry, "map", context)


@takes("word")
@require_safe
def words(request: HttpRequest) -> HttpResponse:
    """Look up ``?word=`` in the best entry with vectors or an excerpt on this machine; without one, in the best."""
    entries = Submission.objects.on_board(current_suite().id).filter(state=State.DONE)
    best = list(entries.order_by(F("overall").desc(nulls_last=True), "pk")[:MOST_SEARCHED])
    if not best:
        raise Http404("There is no entry with vectors here yet. Submit some first.")
    entry = next((entry for entry in best if near.place_of(entry) in (near.Place.HERE, near.Place.EXCERPT)), best[0])
    return redirect(f"{reverse('explore:neighbours', args=[entry.pk])}?{request.GET.urlencode()}")


@takes("word")
@require_safe
def neighbours(request: HttpRequest, submission_id: str) -> HttpResponse:
    """The nearest words of ``?word=``."""
    entry = measured_entry(request, submission_id)
    answer = near.ask(entry.submission, request.GET.get("word", ""))
    cues = political_cues(entry.submission.language)
    prepared = answer.code != "not-prepared"
    usable = near.that_can_be_looked_up(cues.words, [entry.submission]) if cues else []
    context = {
        "answer": answer,
        "cues": usable,
        "unknown": [word for word in cues.words if word not in usable] if cues else [],
        "prepared": prepared,
        "is_preparing": not prepared and Job.objects.filter(kind=near.PREPARE, subject=entry.submission.pk).exists(),
        "preparing": PREPARING if entry.submission.file_key else near.reason_without(entry.submission),
        "place": near.place_of(entry.submission).name,
        "why_without": near.reason_without(entry.submission),
    }
    return _page(request, entry, "neighbours", context)


@require_POST
def prepare(request: HttpRequest, submission_id: str) -> HttpResponse:
    """Request the preparation of an entry's vectors for look-ups; the page then waits for it and looks up the word."""
    submission = measured_entry(request, submission_id).submission
    if near.can_be_looked_up(submission) and near.ask(submission, "").code == "not-prepared":
        quotas.ask(near.PREPARE, [submission.pk])
    word = request.POST.get("word", "")[: near.LONGEST_WORD]
    query = f"?{urlencode({'word': word})}" if word else ""
    return redirect(reverse("explore:neighbours", args=[submission_id]) + query)


def _page(request: HttpRequest, entry: MeasuredEntry, name: str, shown: Mapping[str, object]) -> HttpResponse:
    about = {"submission": entry.submission, "report": entry.report, "here": name}
    has_words = near.can_be_looked_up(entry.submission)
    excerpt = near.stand_in(entry.submission)
    context = {**about, "has_words": has_words, "excerpt": excerpt, "prepared": True, **shown}
    page = render(request, f"explore/{name}.html", context)
    return kept_if_open(request, page, is_open=bool(context["prepared"]) and entry.submission.is_open_to_all)


app_name = "explore"
urlpatterns = [
    path("words", words, name="words"),
    path("entries/<slug:submission_id>/dimensions", dimensions, name="dimensions"),
    path("entries/<slug:submission_id>/map", word_map, name="map"),
    path("entries/<slug:submission_id>/neighbours", neighbours, name="neighbours"),
    path("entries/<slug:submission_id>/prepare", prepare, name="prepare"),
]
