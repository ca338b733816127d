"""People's lists of context words: the authors', those collected on this site, and what a visitor gives."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from benchmark.compare.models import GivenLists
from benchmark.inputs import one_line
from benchmark.people.access import owned_studies, studies_with_lists
from benchmark.people.lists import mentions_of
from benchmark.people.models import Kind, Study
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, InputError
from tasks.political.human import published_lists

AUTHORS = "authors"
_STUDY = "study-"
MOST_CUES = 50
KEPT = timedelta(days=180)  # given lists, after somebody looked at them for the last time


@dataclass(frozen=True)
class OfferedLists:
    """``id`` is what an address takes; ``where`` is the address of the study that they come from."""

    id: str
    title: str
    words: Mapping[str, Sequence[str]]
    licence: str = ""
    where: str = ""

    @property
    def key(self) -> str:
        """Equal for equal lists, no matter who collected them."""
        return key_of(self.words)


def key_of(words: Mapping[str, Sequence[str]]) -> str:
    text = json.dumps([[cue, list(own)] for cue, own in words.items()], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def offered(request: HttpRequest) -> list[tuple[str, str]]:
    """Ids and titles that the visitor may choose: the authors' lists, published ones, and those of own studies."""
    found = studies_with_lists(request)
    studies = [(f"{_STUDY}{study.pk}", f"{study.title} ({study.language})") for study in found]
    there = DataStore.default().status("political-neighbours").available
    return [*([(AUTHORS, "Rodriguez & Spirling's raters, English political cues")] if there else []), *studies]


def find(request: HttpRequest, id: str) -> OfferedLists:
    """The lists of this id, if the visitor may see them.

    Raises
    ------
    InputError
        there are none, or they are empty.
    """
    if id == AUTHORS:
        return _authors()
    if id.startswith(_STUDY):
        study = _visible(request, id.removeprefix(_STUDY))
        words = {
            cue: [mention.word for mention in mentions] for cue, mentions in mentions_of(study).items() if mentions
        }
        if not words:
            raise InputError("no-lists", f"“{study.title}” has no lists yet: no rater has finished.", field="lists")
        return OfferedLists(id, study.title, words, study.licence, reverse("people:results", args=[study.pk]))
    given = GivenLists.objects.filter(key=id).first()
    if given is None:
        raise InputError("no-lists", "These lists do not exist or have expired; enter them again.", field="lists")
    GivenLists.objects.filter(key=id, looked_at__lt=timezone.now() - KEPT / 10).update(looked_at=timezone.now())
    return OfferedLists(id, given.title, given.words)


def keep(title: str, words: Mapping[str, Sequence[str]]) -> str:
    """Keep lists that a visitor gave; their id. Those at which nobody looks any more are forgotten.

    Raises
    ------
    InputError
        they have more cues than a page shows.
    """
    if len(words) > MOST_CUES:
        message = f"The lists have {len(words)} cues; the limit is {MOST_CUES}."
        raise InputError("too-many-cues", message, field="given")
    GivenLists.objects.filter(looked_at__lt=timezone.now() - KEPT).delete()
    title = one_line(title[:60]) or "Your own lists"
    GivenLists.objects.get_or_create(key=key_of(words), defaults={"title": title, "words": dict(words)})
    return key_of(words)


def _authors() -> OfferedLists:
    try:
        words = published_lists(DataStore.default())
    except DataUnavailable as error:
        raise InputError("no-lists", f"The authors' lists are not on this site: {error}", field="lists") from error
    return OfferedLists(AUTHORS, "Rodriguez & Spirling's raters", words, "MIT")


def _visible(request: HttpRequest, id: str) -> Study:
    """A published association study, or one of the visitor's own."""
    found = Study.objects.with_public_lists().filter(pk=id).first()
    own = found or next((s for s in owned_studies(request) if s.pk == id and s.kind == Kind.ASSOCIATIONS), None)
    if own is None:
        raise InputError("no-lists", "There is no such study, or its lists are not published.", field="lists")
    return own
