"""A rater's session: start, progress, and answers, which are recorded once even if they are sent repeatedly.

Progress follows from the stored rows alone, so that sessions resume after lost connections.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Literal

import numpy as np
from django.db import IntegrityError, transaction
from django.utils import timezone

from benchmark.people.models import Choice, FreeAssociation, Rater, RaterState, Study, move_to
from tasks.people.free_associations import Refusal, as_written, normalise, refusal
from tasks.people.triads import Item, session

Place = Literal["instructions", "triad", "associations", "questions", "end"]
Barrier = Literal["not_open", "closed", "full", "other_task", "taken"]
SIDES = ("left", "right")


class Barred(Exception):
    """This person cannot take part; ``reason`` is a key of the rater's texts."""

    def __init__(self, reason: Barrier) -> None:
        self.reason: Barrier = reason
        super().__init__(reason)


@dataclass(frozen=True)
class SessionStep:
    """Current step of a session; ``done`` of ``total`` items are answered."""

    place: Place
    done: int = 0
    total: int = 0
    item: Item | None = None
    cue: str = ""


def begin(study: Study, browser_hash: str = "", participant_hash: str = "") -> Rater:
    """A new session in the comparison with the fewest raters, or the one that this browser has begun.

    If the response with the cookie was lost, sending the form again finds the session by the browser's secret, together
    with the participant id if there is one.

    Raises
    ------
    Barred
        the study is not open or full, or this browser or participant id has taken part. As others may know the
        participant id, it alone doesn't resume a session.
    """
    with transaction.atomic():
        # One at a time, so that comparisons stay even
        row = Study.objects.select_for_update().filter(pk=study.pk).first()
        if row is None:  # deleted meanwhile
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
            # It may exceed its number of raters, as running sessions can always finish.
            rater.comparison = study.comparisons.least_judged(study.raters_wanted)
            if rater.comparison is None:
                raise Barred("full")
            checks = study.practice_items, study.screener_items
            rater.plan = [asdict(item) for item in session(rater.comparison.lists_by_cue, *checks, seed=rater.seed)]
        else:
            if study.raters.counted().count() >= study.raters_wanted:
                raise Barred("full")
            rater.plan = [str(cue) for cue in np.random.default_rng(rater.seed).permutation(study.cues)]
        rater.save(force_insert=True)
        return rater


def step_of(rater: Rater) -> SessionStep:
    """The next step."""
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
    """Number of answered items, in the order of the plan."""
    if rater.study.asks_triads:
        return rater.choices.count()
    return rater.associations.values("cue").distinct().count()


def instructed(rater: Rater) -> None:
    """Record that the rater has read the instructions."""
    Rater.objects.filter(pk=rater.pk, instructed_at=None).update(instructed_at=timezone.now())


def choose(rater: Rater, place: int, side: str, milliseconds: int | None = None) -> bool:
    """Record the answer to the triad at this place; a repeated or late one changes nothing.

    Returns
    -------
    bool
        False if the practice item was answered wrongly, which isn't recorded: it is shown again.
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
                move_to(rater, RaterState.SCREENED_OUT)
            elif step.done + 1 == step.total:
                _finish_unless_asked(rater)
    except IntegrityError:
        pass  # the same answer was sent twice at once; the first one counts
    return True


def associate(
    rater: Rater, cue: str, written: Sequence[str], milliseconds: int | None = None
) -> dict[int, Refusal] | None:
    """Record the context words of a cue, all or none.

    Returns
    -------
    dict or None
        reason of refusal by field number (from 0); None if the words are recorded, now or before.
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
        FreeAssociation(rater=rater, cue=cue, place=nth, word=word, written=as_written(given), milliseconds=time)
        for nth, (word, given) in enumerate(zip(words, written, strict=True), start=1)
    ]
    try:
        with transaction.atomic():
            FreeAssociation.objects.bulk_create(rows)
            if step.done + 1 == step.total:
                _finish_unless_asked(rater)
    except IntegrityError:
        pass  # the same page was sent twice at once; the first one counts
    return None


def _finish_unless_asked(rater: Rater) -> None:
    if not rater.study.questions:
        move_to(rater, RaterState.DONE)


def reply(rater: Rater, replies: dict[str, str]) -> None:
    """Record the replies to the owner's questions and end the session."""
    if step_of(rater).place == "questions":
        Rater.objects.filter(pk=rater.pk, state=RaterState.RUNNING).update(replies=replies)
        rater.replies = replies
        move_to(rater, RaterState.DONE)


def _time_taken(rater: Rater, reported: int | None) -> int:
    """Milliseconds since the last answer or as measured by the page, whichever is less, as breaks don't count."""
    answers = rater.choices if rater.study.asks_triads else rater.associations
    last: datetime | None = answers.order_by("-created_at").values_list("created_at", flat=True).first()
    passed = int((timezone.now() - (last or rater.instructed_at or rater.started_at)).total_seconds() * 1000)
    return min(passed, reported) if reported is not None and reported > 0 else passed
