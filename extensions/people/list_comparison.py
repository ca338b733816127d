"""Entries compared with lists from people: the authors', those collected on this site, or a visitor's own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

import numpy as np
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from benchmark.compare.entries import CHOICE, NO_FILE, Marked, address_of, choice, has_vectors_of, marked
from benchmark.inputs import one_line, takes
from benchmark.operations import quotas
from benchmark.operations.counting import Limit, TooMuch, spend
from benchmark.responses import guarded
from extensions.people.access import network_hash, owned_studies, studies_with_lists
from extensions.people.forms import read_lists, uploaded_text
from extensions.people.lists import mentions_of, without_lists
from extensions.people.models import GivenLists, Kind, ListDeviation, Study
from extensions.people.results import Deviation, deviation_chart, deviation_of, nearest_first
from extensions.shared.inputs import pasted_text
from extensions.shared.requested import request_figures
from plots.chart import Chart
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, InputError
from tasks.languages import ENGLISH, language_name
from tasks.political.human import published_lists
from tasks.political.secondary import CueDeviation
from tasks.text import LeftOut

GIVEN_LISTS = Limit("given-lists", 60, 3600)  # sixty an hour from one address: each is up to 200 kB, stored for months
AUTHORS = "authors"
_STUDY = "study-"
MOST_CUES, MOST_ENTRIES = 50, 30
KEPT = timedelta(days=180)  # a visitor's own lists, after the last view


@dataclass(frozen=True)
class OfferedLists:
    """Lists to compare with; ``id`` as in the URL, ``where`` the URL of their study."""

    id: str
    title: str
    words: Mapping[str, Sequence[str]]
    licence: str = ""
    where: str = ""

    @property
    def key(self) -> str:
        """Hash of the lists."""
        return key_of(self.words)


def key_of(words: Mapping[str, Sequence[str]]) -> str:
    text = json.dumps([[cue, list(listed)] for cue, listed in words.items()], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class ListOffer:
    """Lists on offer; ``note`` says what they or the entries lack, ``is_empty`` that there are no words yet."""

    id: str
    title: str
    note: str = ""
    is_empty: bool = False


def offered_lists(request: HttpRequest, entries: Sequence[Marked]) -> list[ListOffer]:
    """Those to choose from: the authors' lists, public ones, and those of own studies."""
    with_lists, codes = studies_with_lists(request), sorted({entry.submission.language for entry in entries})
    empty, of_entries = without_lists(with_lists), " and ".join(map(language_name, codes))

    def note(language: str) -> str:
        return (
            "" if language in codes or not codes else f"in {language_name(language)}; the entries are in {of_entries}"
        )

    studies = [
        ListOffer(
            f"{_STUDY}{study.pk}",
            f"{study.title} ({study.language})",
            "no lists yet" if study.pk in empty else note(study.language),
            study.pk in empty,
        )
        for study in with_lists
    ]
    has_authors = DataStore.default().status("political-neighbours").available
    authors = ListOffer(AUTHORS, "Rodriguez & Spirling's raters, English political cues", note(ENGLISH))
    return [*([authors] if has_authors else []), *studies]


def find_lists(request: HttpRequest, id: str) -> OfferedLists:
    """The lists with this id, if the visitor may see them.

    Raises
    ------
    InputError
        they do not exist or are empty.
    """
    if id == AUTHORS:
        try:
            words = published_lists(DataStore.default())
        except DataUnavailable as error:
            raise InputError("no-lists", f"The authors' lists are not on this site: {error}", field="lists") from error
        return OfferedLists(AUTHORS, "Rodriguez & Spirling's raters", words, "MIT")
    if id.startswith(_STUDY):
        study = _visible(request, id.removeprefix(_STUDY))
        words = {
            cue: [mention.word for mention in mentions] for cue, mentions in mentions_of(study).items() if mentions
        }
        if not words:
            raise InputError("no-lists", f"“{study.title}” has no lists yet: no rater has finished.", field="lists")
        return OfferedLists(id, study.title, words, study.licence, reverse("people:results", args=[study.pk]))
    entered = GivenLists.objects.filter(key=id).first()
    if entered is None:
        raise InputError("no-lists", "These lists do not exist or have expired; enter them again.", field="lists")
    GivenLists.objects.filter(key=id, looked_at__lt=timezone.now() - KEPT / 10).update(looked_at=timezone.now())
    return OfferedLists(id, entered.title, entered.words)


def keep_lists(title: str, words: Mapping[str, Sequence[str]]) -> str:
    """Store a visitor's own lists and return their id; delete expired ones.

    Raises
    ------
    InputError
        they have too many cues.
    """
    if len(words) > MOST_CUES:
        message = f"The lists have {len(words)} cues; the limit is {MOST_CUES}."
        raise InputError("too-many-cues", message, field="given")
    GivenLists.objects.filter(looked_at__lt=timezone.now() - KEPT).delete()
    title = one_line(title[:60]) or "Your own lists"
    GivenLists.objects.get_or_create(key=key_of(words), defaults={"title": title, "words": dict(words)})
    return key_of(words)


def _visible(request: HttpRequest, id: str) -> Study:
    """A study of free associations that is public or the visitor's own."""
    owned = owned_studies(request).filter(kind=Kind.FREE_ASSOCIATIONS)
    study = Study.objects.with_public_lists().filter(pk=id).first() or owned.filter(pk=id).first()
    if study is None:
        raise InputError("no-lists", "There is no such study, or its lists are not published.", field="lists")
    return study


WAITING, OPEN = "A worker is computing it.", "Not requested yet."


@dataclass(frozen=True)
class ListComparison:
    """Deviations of entries from one set of lists, the smallest first; ``cues`` are table rows by cue."""

    rows: tuple[Deviation, ...]
    chart: Chart | None
    cues: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    is_waiting: bool
    is_open: bool


def compared_with(entries: Sequence[Marked], lists: OfferedLists) -> ListComparison:
    """Stored deviations of the entries, in one query."""
    hashes = [entry.submission.vectors_sha256 for entry in entries]
    rows = ListDeviation.objects.filter(lists_key=lists.key, vectors_sha256__in=hashes)
    stored = {row.vectors_sha256: row for row in rows}
    by_entry = [(entry, stored.get(entry.submission.vectors_sha256)) for entry in entries]
    mentioned = sum(len(words) for words in lists.words.values())
    deviations = nearest_first(_list_deviation(entry, row, mentioned) for entry, row in by_entry)
    reasons = {deviation.reason for deviation in deviations}
    return ListComparison(
        tuple(deviations),
        deviation_chart(lists.key[:12], deviations) if any(d.relative is not None for d in deviations) else None,
        tuple((cue, tuple(_cell(row, cue) for _, row in by_entry)) for cue in lists.words),
        WAITING in reasons,
        OPEN in reasons,
    )


def request_deviations(entries: Sequence[Marked], lists: OfferedLists) -> None:
    """Request missing deviations from a worker.

    Raises
    ------
    TooMuch
        this person already has too many open requests.
    """
    words = {cue: list(listed) for cue, listed in lists.words.items()}
    with quotas.asking():
        rows = [
            ListDeviation.objects.get_or_create(
                vectors_sha256=submission.vectors_sha256, lists_key=lists.key, defaults={"submission": submission}
            )[0]
            for submission in (entry.submission for entry in entries if entry.submission.has_vectors)
        ]
        due = request_figures("deviate", ListDeviation, rows)
        ListDeviation.objects.filter(pk__in=due).update(words=words)


def _list_deviation(entry: Marked, row: ListDeviation | None, mentioned: int) -> Deviation:
    figures = row.figures if row is not None else None
    if figures is None:
        reason = (OPEN if row is None else WAITING) if entry.submission.has_vectors else NO_FILE.format(name=entry.name)
        return Deviation(entry.name, mentioned, reason)
    cues = [cue for cue in figures["cues"].values() if cue]
    if figures["relative"] is None:
        return Deviation(entry.name, mentioned, figures["reason"])
    relative, within, full = (
        np.array([cue[name] for cue in cues if cue[name] is not None]) for name in ("relative", "within", "full")
    )
    ranks = [range(1, cue["known"] + 1) for cue in cues]
    return deviation_of(entry.name, mentioned, ranks, relative, within, full)


def _cell(row: ListDeviation | None, cue: str) -> tuple[str, str]:
    """Deviation for one cue and its number of known words, as text."""
    figures: CueDeviation | None = (row.figures or {}).get("cues", {}).get(cue) if row is not None else None
    if not figures:
        return "–", ""
    coverage = f"{figures['known']} of {figures['mentioned']}"
    return ("–" if figures["relative"] is None else f"{figures['relative']:.2f}"), coverage


MOST_BYTES = 200_000


@takes(*CHOICE, "lists")
@require_http_methods(["GET", "HEAD", "POST"])
def list_comparison(request: HttpRequest) -> HttpResponse:
    """GET shows stored deviations; POST takes lists, chosen or the visitor's own, and requests them."""
    entries = marked(request, MOST_ENTRIES)
    if request.method == "POST":
        return _take(request, entries)
    return _shown(request, entries, request.GET.get("lists", ""))


def _take(request: HttpRequest, entries: list[Marked]) -> HttpResponse:
    try:
        text = uploaded_text(request, MOST_BYTES, field="given") or pasted_text(request, "given", MOST_BYTES).strip()
        left_out = LeftOut()
        words = read_lists(text, left_out) if text else None
        with transaction.atomic():  # lists are not stored if the request is refused
            id = request.POST.get("lists", "") if words is None else _stored_key(request, words)
            request_deviations(entries, find_lists(request, id))
    except TooMuch:
        raise
    except InputError as error:
        return _shown(request, entries, "", error)
    if left_out.count:
        messages.warning(request, left_out.sentence("Words"))
    return redirect(f"{reverse('people:beside')}?{urlencode(address_of(entries, lists=id))}")


def _stored_key(request: HttpRequest, words: Mapping[str, Sequence[str]]) -> str:
    if not spend(GIVEN_LISTS, network_hash(request)):
        message = f"You entered more than {GIVEN_LISTS.most} lists within an hour; try again later."
        raise TooMuch("too-many-lists", message)
    return keep_lists(request.POST.get("title", ""), words)


def _shown(request: HttpRequest, entries: list[Marked], id: str, problem: InputError | None = None) -> HttpResponse:
    chosen = None
    if id and problem is None:
        try:
            chosen = find_lists(request, id)
        except InputError as error:
            problem = error
    offered = offered_lists(request, entries)
    context = {
        **choice(request, entries, MOST_ENTRIES, least=1, usable=has_vectors_of),
        "kept": {"lists": id} if id else {},
        "offered": offered
        if chosen is None or chosen.id in {offer.id for offer in offered}
        else [ListOffer(chosen.id, chosen.title), *offered],
        "chosen": chosen,
        "beside": compared_with(entries, chosen) if chosen and entries else None,
        "problem": problem,
        "title": request.POST.get("title", ""),
        "given": request.POST.get("given", ""),
    }
    # The lists on offer depend on the studies of this browser.
    return guarded(render(request, "people/beside.html", context, status=400 if problem and request.POST else 200))
