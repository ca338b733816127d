"""A rater's session: start, progress, and answers that count once however often they are sent.

A session's progress is read from its rows alone, so that it resumes wherever the connection broke.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np
from django.db import IntegrityError, transaction
from django.utils import timezone

from benchmark.people.models import Association, Choice, Comparison, Rater, Study
from benchmark.people.states import RaterState, move_rater
from tasks.people.free_associations import Refusal, as_written, normalise, refusal
from tasks.people.triads import Item, session

Place = Literal["instructions", "triad", "associations", "questions", "end"]
Barrier = Literal["not_open", "closed", "full", "other_task", "taken"]
SIDES = ("left", "right")


class Barred(Exception):
    """This person cannot begin; ``reason`` is a key of the rater's texts."""

    def __init__(self, reason: Barrier) -> None:
        self.reason: Barrier = reason
        super().__init__(reason)


@dataclass(frozen=True)
class SessionStep:
    """Where a session stands: ``done`` of ``total`` items are answered."""

    place: Place
    done: int = 0
    total: int = 0
    item: Item | None = None
    cue: str = ""


def begin(study: Study, browser_hash: str = "", participant_hash: str = "") -> Rater:
    """A new session, in the comparison that has the fewest raters so far; or the one that this browser has begun.

    The answer that began it may have been lost on the way, with its cookie and the rater id: the same form, sent again,
    finds it. Only the browser's secret does, with the participant id if one was given.

    Raises
    ------
    Barred
        the study is not open, has all its raters, or this person has taken part: known by the browser, or by the
        participant id, which others may know, so that it says no more than that and resumes no session.
    """
    with transaction.atomic():
        row = Study.objects.select_for_update().filter(pk=study.pk).first()  # one at a time: comparisons stay even
        if row is None:  # deleted at this moment
            raise Barred("closed")
        study = row
        if not study.is_open:
            raise Barred("closed" if study.is_closed else "not_open")
        own = study.raters.filter(browser_hash=browser_hash, participant_hash=participant_hash).first()
        if browser_hash and own is not None:
            return own
        others = Rater.objects.filter(study__in=study.relatives())
        if browser_hash and others.filter(browser_hash=browser_hash).exists():
            raise Barred("other_task")
        if participant_hash and (others | study.raters.all()).filter(participant_hash=participant_hash).exists():
            raise Barred("taken")
        rater = Rater(study=study, browser_hash=browser_hash, participant_hash=participant_hash)
        if study.asks_triads:
            rater.comparison = _next_comparison(study)
            checks = study.practice_items, study.screener_items
            rater.plan = [item.as_dict() for item in session(rater.comparison.lists_by_cue, *checks, seed=rater.seed)]
        else:
            if study.raters.counted().count() >= study.raters_wanted:
                raise Barred("full")
            rater.plan = [str(cue) for cue in np.random.default_rng(rater.seed).permutation(study.cues)]
        rater.save(force_insert=True)
        return rater


def _next_comparison(study: Study) -> Comparison:
    """Those who are still answering may bring a comparison above its number: nobody is sent away in the middle."""
    comparison: Comparison | None = study.comparisons.least_judged(study.raters_wanted)
    if comparison is None:
        raise Barred("full")
    return comparison


def step_of(rater: Rater) -> SessionStep:
    """What comes next."""
    if rater.state != RaterState.RUNNING:
        return SessionStep("end")
    if rater.instructed_at is None:
        return SessionStep("instructions", total=len(rater.plan))
    done = _answered(rater)
    if done == len(rater.plan):
        return SessionStep("questions", done, done)
    if rater.study.asks_triads:
        return SessionStep("triad", done, len(rater.plan), item=rater.items[done])
    return SessionStep("associations", done, len(rater.plan), cue=rater.plan[done])


def _answered(rater: Rater) -> int:
    """Items answered; they are answered in the order of the plan."""
    if rater.study.asks_triads:
        return rater.choices.count()
    return rater.associations.values("cue").distinct().count()


def instructed(rater: Rater) -> None:
    """The rater has read what to do."""
    Rater.objects.filter(pk=rater.pk, instructed_at=None).update(instructed_at=timezone.now())


def choose(rater: Rater, place: int, side: str, milliseconds: int | None = None) -> bool:
    """Record the answer to the triad at this place; a repeated or late one changes nothing.

    Returns
    -------
    bool
        False where the practice item was answered wrongly: it is shown again, and nothing was recorded.
    """
    step = step_of(rater)
    if step.item is None or place != step.done or side not in SIDES:
        return True
    right = step.item.correct in (None, side)
    if step.item.kind == "practice" and not right:
        return False
    time = _time_taken(rater, milliseconds)
    try:
        with transaction.atomic():
            Choice.objects.create(rater=rater, place=place, side=side, milliseconds=time)
            if not right:
                move_rater(rater, RaterState.SCREENED_OUT)
            elif step.done + 1 == step.total:
                _finish_unless_asked(rater)
    except IntegrityError:
        pass  # the same answer came twice at once; the first one counts
    return True


def associate(
    rater: Rater, cue: str, written: Sequence[str], milliseconds: int | None = None
) -> dict[int, Refusal] | None:
    """Record the context words of a cue, all or none.

    Returns
    -------
    dict or None
        field number (from 0) → why it does not count; None where they were recorded, now or before.
    """
    step = step_of(rater)
    if step.place != "associations" or cue != step.cue:
        return None
    words = [normalise(word) for word in written]
    refused = {nth: why for nth, word in enumerate(words) if (why := refusal(word, cue, words[:nth]))}
    if refused:
        return refused
    time = _time_taken(rater, milliseconds)
    rows = [
        Association(rater=rater, cue=cue, place=nth, word=word, written=as_written(given), milliseconds=time)
        for nth, (word, given) in enumerate(zip(words, written, strict=True), start=1)
    ]
    try:
        with transaction.atomic():
            Association.objects.bulk_create(rows)
            if step.done + 1 == step.total:
                _finish_unless_asked(rater)
    except IntegrityError:
        pass  # the same page came twice at once; the first one counts
    return None


def _finish_unless_asked(rater: Rater) -> None:
    if not rater.study.questions:
        move_rater(rater, RaterState.DONE)


def reply(rater: Rater, replies: dict[str, str]) -> None:
    """Record the rater's replies to the owner's questions, and end the session."""
    if step_of(rater).place == "questions":
        Rater.objects.filter(pk=rater.pk, state=RaterState.RUNNING).update(replies=replies)
        rater.replies = replies
        move_rater(rater, RaterState.DONE)


def _time_taken(rater: Rater, reported: int | None) -> int:
    """Milliseconds since the last answer, or what the page measured if that is less: breaks do not count."""
    passed = int((timezone.now() - _last_sign(rater)).total_seconds() * 1000)
    return min(passed, reported) if reported is not None and reported > 0 else passed


def _last_sign(rater: Rater) -> datetime:
    answers = rater.choices if rater.study.asks_triads else rater.associations
    last: datetime | None = answers.order_by("-created_at").values_list("created_at", flat=True).first()
    return last or rater.instructed_at or rater.started_at
