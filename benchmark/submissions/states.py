"""States of a submission, with every allowed move, its actors and the times that it records."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db import models


class State(models.TextChoices):
    RECEIVING = "receiving"
    UPLOADED = "uploaded"
    CHECKING = "checking"
    REJECTED = "rejected"
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Actor(models.TextChoices):
    SITE = "site"  # the web process, or the job that fetches a file
    WORKER = "worker"  # jobs and the sweeper
    OWNER = "owner"  # anyone with the secret link
    OPERATOR = "operator"  # anyone with a shell on the machine


UNDO_MINUTES = 10
UNDO = timedelta(minutes=UNDO_MINUTES)
"""Time in which an owner can undo a withdrawal or a deletion; a cancellation can be undone at any time."""

OPEN = (State.RECEIVING, State.UPLOADED, State.CHECKING, State.QUEUED, State.RUNNING)
AT_WORK = (State.QUEUED, State.RUNNING)
LANGUAGE_OPEN = (State.UPLOADED, *AT_WORK, State.DONE, State.FAILED)
"""States in which the owner can correct the language: the file is kept and is not being checked."""
FINAL = (State.REJECTED, State.DONE, State.FAILED, State.CANCELLED)

_WORKER = frozenset({Actor.WORKER})
_PEOPLE = frozenset({Actor.OWNER, Actor.OPERATOR})
_AGAIN = {"started_at": False, "finished_at": False}


@dataclass(frozen=True)
class Move:
    """``times``: columns that the move sets to now (True) or empties (False)."""

    by: frozenset[Actor]
    times: dict[str, bool]


MOVES: dict[tuple[State, State], Move] = {
    (State.RECEIVING, State.UPLOADED): Move(frozenset({Actor.SITE}), {"uploaded_at": True}),
    (State.RECEIVING, State.REJECTED): Move(_WORKER, {"finished_at": True}),  # a URL that the site does not fetch
    (State.UPLOADED, State.CHECKING): Move(_WORKER, {}),
    (State.CHECKING, State.REJECTED): Move(_WORKER, {"checked_at": True, "finished_at": True}),
    (State.CHECKING, State.QUEUED): Move(_WORKER, {"checked_at": True, "queued_at": True}),
    (State.QUEUED, State.RUNNING): Move(_WORKER, {"started_at": True}),
    (State.RUNNING, State.DONE): Move(_WORKER, {"finished_at": True}),
    (State.FAILED, State.QUEUED): Move(_PEOPLE, {"queued_at": True} | _AGAIN),
    # By a worker, for cells whose data set has arrived since.
    (State.DONE, State.QUEUED): Move(_PEOPLE | _WORKER, {"queued_at": True} | _AGAIN),
    (State.CANCELLED, State.QUEUED): Move(_PEOPLE, {"queued_at": True} | _AGAIN),
    # A check or a fetch that failed through no fault of the file starts again.
    (State.FAILED, State.UPLOADED): Move(_PEOPLE, _AGAIN),
    (State.FAILED, State.RECEIVING): Move(_PEOPLE, _AGAIN),
    (State.CANCELLED, State.UPLOADED): Move(_PEOPLE, _AGAIN),
}
# Our own faults can end any step, and owner and operator can cancel it.
for _state in OPEN:
    MOVES[_state, State.FAILED] = Move(_WORKER, {"finished_at": True})
    MOVES[_state, State.CANCELLED] = Move(_PEOPLE, {"finished_at": True})


class IllegalMove(Exception):
    """The state machine does not allow this move, or not for this actor."""

    def __init__(self, current: State, to: State, by: Actor) -> None:
        self.current, self.to, self.by = current, to, by
        super().__init__(f"A submission that is {current.value} cannot be changed to {to.value} by the {by.value}.")


def may_move(current: str, to: str, by: str) -> bool:
    move_ = MOVES.get((State(current), State(to)))
    return move_ is not None and Actor(by) in move_.by
