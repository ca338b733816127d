"""Studies in every state, their owners and raters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from benchmark.fields import token_hash
from extensions.people import lists, sessions
from extensions.people.models import Kind, Rater, Source, SourceKind, Study, StudyState, move_to
from extensions.people.sessions import session_cookie

Make = Callable[..., Study]
Browser = Callable[[Study], Client]
Begin = Callable[[Study], tuple[Client, Rater]]
TOKEN = "an-owner-secret-of-a-study-in-tests"
CUES = [f"cue{n}" for n in range(10)]
OURS = [f"a{n}" for n in range(7)] + ["s0", "s1", "s2"]
THEIRS = [f"b{n}" for n in range(7)] + ["s0", "s1", "s2"]
PRACTICE = [["kitchen", "oven", "comet"]]
SCREENERS = [["winter", "snow", "invoice"], ["ship", "harbour", "violin"]]


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()


@pytest.fixture
def study(db: None) -> Make:
    """Make a study; a triad study compares two uploaded lists that share three of ten words."""

    def make(kind: Kind = Kind.TRIADS, state: StudyState = StudyState.OPEN, **columns: Any) -> Study:
        defaults = {"title": "words", "cues": CUES, "practice": PRACTICE, "screeners": SCREENERS, "consent": "Fine?"}
        row = Study.objects.create(kind=kind, owner_token_hash=token_hash(TOKEN), **(defaults | columns))
        if kind == Kind.TRIADS:
            for position, (name, words) in enumerate((("people", THEIRS), ("model", OURS))):
                by_cue = dict.fromkeys(row.cues, words)
                Source.objects.create(
                    study=row,
                    kind=SourceKind.LIST,
                    name=name,
                    position=position,
                    is_baseline=not position,
                    words=by_cue,
                )
            lists.refresh(row)
        for to in (StudyState.OPEN, StudyState.CLOSED):
            if state in (to, StudyState.CLOSED):
                move_to(row, to)
        return row

    return make


@pytest.fixture
def owner() -> Browser:
    def browser(row: Study) -> Client:
        client = Client()
        client.cookies[row.cookie_name(row.pk)] = TOKEN
        return client

    return browser


@pytest.fixture
def answering() -> Begin:
    """A rater after consent and instructions, with a browser."""

    def begin(row: Study) -> tuple[Client, Rater]:
        client = Client()
        client.post(f"/rate/{row.link}")
        rater = Rater.objects.get(pk=client.cookies[session_cookie(row)].value)
        client.post(f"/rate/{row.link}/answer", {"page": "instructions"})
        rater.refresh_from_db()
        return client, rater

    return begin


def send(client: Client, row: Study, place: int, side: str, **more: Any) -> Any:
    return client.post(f"/rate/{row.link}/answer", {"page": "triad", "place": place, "side": side, **more})


def right_side(rater: Rater, place: int, prefer: str = "candidate") -> str:
    """The correct side of a check, or the side of the preferred source."""
    item = rater.items[place]
    if item.correct is not None:
        return item.correct
    assert item.candidate is not None
    return item.candidate if prefer == "candidate" else {"left": "right", "right": "left"}[item.candidate]


def finish(rater: Rater, prefer: str = "candidate") -> Rater:
    """Answer all remaining items attentively."""
    sessions.instructed(rater)
    rater.refresh_from_db()
    for place in range(len(rater.plan)):
        sessions.choose(rater, place, right_side(rater, place, prefer))
    rater.refresh_from_db()
    return rater


def words_for(cue: str, first: int = 0) -> list[str]:
    return [f"{cue} word {n}" for n in range(first, first + 10)]
