"""Moves of a submission from one state to another; nothing else changes a state."""

from __future__ import annotations

from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone

from benchmark.submissions.models import Submission, TaskRun
from benchmark.submissions.states import FINAL, MOVES, Actor, IllegalMove, State, may_move

ended = Signal()
"""Sent with ``submission_id`` after the commit in which a worker ended a submission."""
figures_gone = Signal()
"""Sent with ``submission_id`` when an entry's scores become invalid; lists omit them until the next report."""


def move(submission: Submission | str, to: State | str, by: Actor | str, **changes: object) -> Submission:
    """Make one move under the row's lock and return the fresh row.

    Parameters
    ----------
    submission : the object (it is refreshed too) or its id.
    changes : other columns that must change together with the state (``error=...``).

    Raises
    ------
    IllegalMove
        this actor cannot make the move from the row's state; nothing was changed.
    """
    to, by = State(to), Actor(by)
    key = submission if isinstance(submission, str) else submission.pk
    with transaction.atomic():
        row = Submission.objects.select_for_update().get(pk=key)
        current = State(row.state)
        if not may_move(current, to, by):
            raise IllegalMove(current, to, by)
        now = timezone.now()
        times = {column: now if set_ else None for column, set_ in MOVES[current, to].times.items()}
        # SQLite has no row locks: the condition on the state makes a second writer's update match nothing.
        changed = Submission.objects.filter(pk=key, state=current).update(state=to, **times, **changes)
        if not changed:
            raise IllegalMove(State(Submission.objects.values_list("state", flat=True).get(pk=key)), to, by)
        if to == State.CANCELLED:
            # Without its row, a waiting job does nothing, and a running one stops at its next heartbeat.
            row.jobs.all().delete()
            row.runs.running().update(state=TaskRun.State.WAITING)
        if by == Actor.WORKER and to in FINAL and not row.background:
            transaction.on_commit(lambda: ended.send_robust(Submission, submission_id=key))
    row.refresh_from_db()
    if not isinstance(submission, str):
        submission.refresh_from_db()
    return row
