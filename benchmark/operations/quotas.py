"""Limits on one person's uploads, and on the jobs that one person requests from pages.

Files that were rejected, or failed through our fault, don't count. Exceptions are rejected files whose reading used up
the time or memory of a file, or crashed the reader, and vectors refused after the search for smaller ones had begun:
they cost as much as others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import Q, QuerySet, Sum
from django.db.models.functions import Greatest
from django.utils import timezone

from benchmark.features import uploads
from benchmark.fields import one_at_a_time
from benchmark.operations import fair_queue
from benchmark.operations.counting import Limit, TooMuch, count, current_payer, spend
from benchmark.operations.models import Job, Ticket
from benchmark.submissions.states import OPEN, State
from benchmark.templatetags.figures import size
from workers import queue

if TYPE_CHECKING:
    from benchmark.submissions.models import Submission

DAY = timedelta(days=1)
COSTLY = ("too-slow", "too-much-memory", "crashes-the-reader", "budget", "no-comparison")


def is_costly(error: Mapping[str, str | int] | None) -> bool:
    """Whether a file was refused for what its reading or measurement took."""
    return error is not None and error["code"] in COSTLY


def give_ticket(instance: Submission, created: bool, raw: bool = False, **_signal: object) -> None:
    """Create the ticket of a new submission."""
    if created and not raw:
        payer = f"user:{instance.owner_id}" if instance.owner_id else current_payer.get()
        Ticket.objects.create(submission=instance, payer=payer)


def keep_ticket(instance: Submission, **_signal: object) -> None:
    """Keep a deleted submission's ticket for the day, with its last state."""
    Ticket.objects.filter(submission=instance).update(left_as="" if is_costly(instance.error) else instance.state)


def authorize_submission(payer: str, announced_bytes: int = 0, files: int = 1) -> None:
    """Check that this person may submit this many files now.

    Raises
    ------
    TooMuch
        too many files today, too many under way, or too many bytes today; the message says when to try again.
    """
    tickets = Ticket.objects.filter(payer=payer)
    _authorize_open(tickets)
    today = tickets.filter(created_at__gt=timezone.now() - DAY)
    costly = Q(submission__state=State.REJECTED, submission__error__code__in=COSTLY)
    counted = today.filter(~_ended_as(State.FAILED, State.REJECTED) | costly)
    per_day = settings.VECBOARD_UPLOADS_PER_DAY
    brought = counted.aggregate(sum=Sum("files"))["sum"] or 0
    if per_day and brought + files > per_day:
        raise TooMuch(
            "too-many-today",
            f"You sent {brought} files within a day, counting each run, and this would add {files}; "
            f"the limit is {per_day}.",
            retry_after=_wait(counted),
        )
    authorize_bytes(payer, announced_bytes)


def authorize_restart(submission: Submission) -> None:
    """Check and count a restart of a submission by its owner.

    Raises
    ------
    TooMuch
        too many other files under way, or as many restarts today as files may be sent.
    """
    payer = sender_of(submission)
    _authorize_open(Ticket.objects.filter(payer=payer).exclude(submission=submission))
    per_day = settings.VECBOARD_UPLOADS_PER_DAY
    if not spend(Limit("restarts", per_day, int(DAY.total_seconds())), payer):
        raise TooMuch(
            "too-many-restarts",
            f"You continued submissions or corrected their language {per_day} times today, the limit; "
            "try again tomorrow.",
        )


def _authorize_open(tickets: QuerySet[Ticket]) -> None:
    under_way = tickets.filter(submission__state__in=OPEN).count()
    most = settings.VECBOARD_OPEN_UPLOADS
    if most and under_way >= most:
        raise TooMuch(
            "too-many-open",
            f"{under_way} of your files are queued or being evaluated, the maximum at once. "
            "Wait until one is done, or cancel one.",
            retry_after=600,
        )


def sender_of(submission: Submission) -> str:
    """The payer of a submission."""
    return Ticket.objects.filter(submission=submission).values_list("payer", flat=True).first() or ""


def authorize_bytes(payer: str, announced: int) -> None:
    """Check that this person may send this many more bytes today.

    Raises
    ------
    TooMuch
        too many bytes within a day.
    """
    most = settings.VECBOARD_BYTES_PER_DAY
    today = Ticket.objects.filter(payer=payer, created_at__gt=timezone.now() - DAY)
    counted = today.exclude(_ended_as(State.FAILED))
    sent = counted.aggregate(sum=Sum("bytes"))["sum"] or 0
    if most and sent + announced > most:
        raise TooMuch(
            "too-many-bytes",
            f"You sent or announced {size(sent)} within a day; the limit is {size(most)}.",
            retry_after=_wait(counted),
        )


def _ended_as(*states: State) -> Q:
    """Tickets of submissions in one of these states, now or when they were deleted."""
    return Q(submission__isnull=False, submission__state__in=states) | Q(left_as__in=states)


def charge(submission: Submission, files: int, sent: int) -> None:
    """Record the files and bytes of a submission. They never decrease: cancelled uploads count too."""
    tickets = Ticket.objects.filter(submission=submission)
    tickets.update(files=Greatest("files", files), bytes=Greatest("bytes", sent))


def lock_of(payer: str) -> str:
    """The name of the lock under which this person's use is checked and recorded."""
    return f"use of {payer}"


def authorize_page_jobs(payer: str, more: int) -> int:
    """Check that this person may request this many more jobs; return the number of their unfinished jobs.

    Raises
    ------
    TooMuch
        too many of their jobs are unfinished.
    """
    waiting = Job.objects.filter(payer=payer).count() if payer else 0
    most = settings.VECBOARD_OPEN_PAGE_JOBS
    if payer and most and more and waiting + more > most:
        raise TooMuch(
            "too-many-page-jobs",
            f"{waiting} of the comparisons, lists and look-ups you requested are not done yet, and this would add "
            f"{more}; the limit is {most} at once. Try again when some are done, or choose fewer entries.",
            retry_after=600,
        )
    return waiting


def _wait(counted: object) -> int:
    """Seconds until the oldest of a day's tickets is a day old."""
    oldest = counted.order_by("created_at").values_list("created_at", flat=True).first()  # type: ignore[attr-defined]
    left = (oldest + DAY - timezone.now()).total_seconds() if oldest else 3600
    return max(60, int(left))


TEXT_JOBS = tuple(upload.job for upload in uploads())
"""The kinds of the jobs that measure a visitor's texts, which share their limits."""


def texts_a_day() -> Limit:
    return Limit("corpora", settings.VECBOARD_CORPORA_PER_DAY, int(DAY.total_seconds()))


def authorize_texts(payer: str) -> None:
    """Check that this person may ask for a measurement of texts or vectors now.

    Raises
    ------
    TooMuch
        too many of their measurements are waiting or running, or they asked for too many today.
    """
    under_way, most = Job.objects.filter(kind__in=TEXT_JOBS, payer=payer).count(), settings.VECBOARD_OPEN_CORPORA
    if payer and most and under_way >= most:
        rows = "One of your measurements is" if under_way == 1 else f"{under_way} of your measurements are"
        message = f"{rows} waiting or running, the maximum at once. Wait for the report, or cancel it."
        raise TooMuch("too-many-open", message, retry_after=600)
    day = texts_a_day()
    if day.most and count(f"{day.name}:{payer}", day.seconds, 0) >= day.most:
        asked_for = f"{day.most} measurement{'s' * (day.most != 1)}"
        message = f"You asked for {asked_for} today, the limit; try again tomorrow, or use the command."
        raise TooMuch("too-many-today", message)


FEW = 28
"""The pairs of eight entries. Larger requests wait behind all smaller ones."""


def asking() -> AbstractContextManager[None]:
    """A transaction that excludes other requests for jobs, and is rolled back if the request is refused."""
    return one_at_a_time("page-jobs")


def ask(kind: str, subjects: Collection[int | str], *, again: bool = False) -> None:
    """Queue this job for every subject that hasn't been requested yet.

    With ``again``, requested jobs get a new set of tries, or are repeated if a worker has begun.

    Raises
    ------
    TooMuch
        this person has too many open jobs; none of this request is queued.
    """
    payer = current_payer.get()
    requested = [str(subject) for subject in subjects]
    with asking():
        waiting = set(Job.objects.filter(kind=kind, subject__in=requested).values_list("subject", flat=True))
        new = [subject for subject in dict.fromkeys(requested) if subject not in waiting]
        before = authorize_page_jobs(payer, len(new))
        level = fair_queue.ASKED if before + len(new) <= FEW else fair_queue.LAST
        rows = [Job(kind=kind, subject=subject, payer=payer, level=level) for subject in new]
        for row in Job.objects.bulk_create(rows):
            queue.send_job(row)
        for subject in waiting if again else ():
            queue.enqueue(kind, subject, level=level)
