"""What pages ask of the workers: each thing once, within a bound for one person, and behind the files people send."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from benchmark.locks import one_at_a_time
from benchmark.operations import fair_queue, quotas
from benchmark.operations.counting import current_payer
from benchmark.operations.models import Job
from workers import queue

FEW = 28
"""The pairs of eight entries. People who requested more wait behind all who requested less."""


@contextmanager
def asking() -> Iterator[None]:
    """A transaction in which nobody else asks: what is written for a request goes if the request is refused."""
    with one_at_a_time("page-jobs"):
        yield


def ask(kind: str, subjects: Collection[int | str], *, again: bool = False) -> None:
    """Let a worker do this for every subject not requested yet.

    With ``again``, those that were requested get a new set of tries, or are done again if a worker has begun.

    Raises
    ------
    TooMuch
        this person already has too many open requests; then none of this request is queued.
    """
    payer = current_payer.get()
    wanted = [str(subject) for subject in subjects]
    with asking():
        waiting = set(Job.objects.filter(kind=kind, subject__in=wanted).values_list("subject", flat=True))
        new = [subject for subject in dict.fromkeys(wanted) if subject not in waiting]
        before = quotas.authorize_page_jobs(payer, len(new))
        level = fair_queue.ASKED if before + len(new) <= FEW else fair_queue.LAST
        rows = [Job(kind=kind, subject=subject, payer=payer, level=level) for subject in new]
        for row in Job.objects.bulk_create(rows):
            queue.send_job(row)
        for subject in waiting if again else ():
            queue.enqueue(kind, subject, level=level)
