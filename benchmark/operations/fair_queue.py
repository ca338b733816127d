"""The order of submissions' jobs, and the amount of waiting work.

A payer's file gets the level after the highest of their queued files, and the broker hands out jobs of lower levels
first. So everybody's first file is measured before anybody's second, and a person's own files in order. Within a level,
first come is first served. Work that pages request comes after every file; re-measurements come last.
"""

from __future__ import annotations

import time
from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, Max, Min, OuterRef, Q
from django.utils import timezone

from benchmark.data import installation
from benchmark.operations.models import Job, Ticket, WorkerBeat
from benchmark.submissions.models import Submission, SubmissionCell
from benchmark.submissions.states import AT_WORK, State

AT_ONCE = 0
"""Checks, planning and reports: jobs of seconds that a person waits for."""
FIRST, LAST = 1, 9
ASKED = LAST - 1
"""Work requested on pages: comparisons, lists, vectors for word look-ups."""


def take(submission: Submission) -> int:
    """Assign a queued submission's level; the same at every call until it is queued again."""
    ticket, _ = Ticket.objects.get_or_create(submission=submission)
    if ticket.level is None or ticket.queued_at != submission.queued_at:
        ticket.level = _next_level(submission, ticket.payer)
        ticket.queued_at = submission.queued_at
        ticket.save(update_fields=["level", "queued_at"])
    return ticket.level


def _next_level(submission: Submission, payer: str) -> int:
    if submission.background:
        return LAST
    if not payer:
        return FIRST
    others = Ticket.objects.filter(payer=payer, submission__state__in=AT_WORK, level__lt=LAST)
    highest = others.exclude(submission=submission).aggregate(level=Max("level"))["level"]
    return FIRST if highest is None else min(highest + 1, ASKED - 1)


def level_of(submission: Submission) -> int:
    """The level of its jobs, or the one that they would get now."""
    ticket = Ticket.objects.filter(submission=submission).first()
    if ticket is not None and ticket.level is not None:
        return ticket.level
    return _next_level(submission, ticket.payer if ticket else "")


def ahead_of(submission: Submission) -> int:
    """Number of submissions ahead of this one; 0 once all its jobs are taken, or when it is finished."""
    waiting = SubmissionCell.objects.filter(submission=OuterRef("pk")).unfinished()
    in_line = Submission.objects.filter(state__in=AT_WORK).exclude(pk=submission.pk).filter(Exists(waiting))
    if submission.state in (State.UPLOADED, State.CHECKING):
        checks = Submission.objects.filter(state__in=(State.UPLOADED, State.CHECKING))
        earlier = checks.exclude(pk=submission.pk).filter(uploaded_at__lt=submission.uploaded_at)
        return earlier.count() + in_line.filter(_served_up_to(level_of(submission))).count()
    if submission.state not in AT_WORK or not submission.cells.waiting().exists():
        return 0
    level = level_of(submission)
    moment = submission.queued_at or submission.created_at
    same_level = Q(ticket__level=level, queued_at__lt=moment) | Q(ticket=None, queued_at__lt=moment)
    return in_line.filter(_served_up_to(level - 1) | same_level).count()


def _served_up_to(level: int) -> Q:
    return Q(ticket__level__lte=level) | (Q(ticket=None) if level >= FIRST else Q(pk__in=()))


START_PATIENCE = timedelta(minutes=10)
"""Time for workers on demand to start: a machine may have to be found and an image fetched."""
LAUNCH_PATIENCE = timedelta(minutes=2)
"""Time for the workers of ``manage.py up`` to start, which load torch while the first pages are served."""
LAUNCHED = "up.lock"
"""File in ``VECBOARD_VAR`` that ``manage.py up`` writes at its start."""


def count() -> int:
    """Number of waiting and running jobs; ``deploy/kubernetes/scaling.yaml`` counts the same rows in SQL."""
    return Job.objects.count()


def is_worker_missing() -> bool:
    """Whether no worker is there for present or new work, nor about to start."""
    if WorkerBeat.objects.alive().exists() or installation() == "running" or _was_just_launched():
        return False
    if not settings.VECBOARD_WORKERS_ON_DEMAND:
        return True
    first = Job.objects.aggregate(first=Min("asked_at"))["first"]
    return first is not None and first < timezone.now() - START_PATIENCE


def _was_just_launched() -> bool:
    try:
        launched = (settings.VECBOARD_VAR / LAUNCHED).stat().st_mtime
    except FileNotFoundError:
        return False
    return time.time() - launched < LAUNCH_PATIENCE.total_seconds()
