"""A kind of job: a function and a declaration of how it is claimed, retried and given up.

Workers have the kinds of a submission. An app adds its own in a module ``jobs`` with ``KINDS``, by the name of the job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from tasks.processes import Progress
from tasks.vectors import Embedding

Store = Callable[[], None]
"""Writes a job's result. It runs in one transaction with the end of the job, so a result is never written twice."""
OpenVectors = Callable[[Submission], Embedding]


@dataclass(frozen=True)
class JobContext:
    """What a worker gives to a job that it runs."""

    progress: Progress
    open_vectors: OpenVectors
    """An entry's vectors, memory-mapped; prepared first if the machine does not have them."""
    run_directories: Callable[[Submission, int], Sequence[Path]]
    """Prepared forms of this many of the entry's other runs, the first ones, likewise."""


class NotNow(Exception):
    """The job cannot be done by this worker now; it returns to the queue for a few seconds, without using up a try."""


def in_tries(job: Job) -> str:
    """“in 1 try”, “in 3 tries”: for messages about a job that was given up."""
    return "in 1 try" if job.tries == 1 else f"in {job.tries} tries"


def most_tries() -> int:
    """A job that failed or crashed its worker this many times is given up."""
    return int(settings.VECBOARD_MOST_TRIES)


@dataclass(frozen=True)
class JobKind:
    """What a worker does for one kind of job.

    Faults of the file or the vectors are results: ``do`` returns what stores them. Any other exception is our fault.
    Rows of the database are always locked in this order: the submission, other rows, the job.
    """

    do: Callable[[Job, JobContext], Store | None]
    give_up: Callable[[Job, str], None]
    """Stores that there is no result, with a reason for people; runs in one transaction with the end of the job."""
    begin: Callable[[Job], bool] = lambda _: True
    """Marks the subject as being worked on; False if the job is no longer wanted. ``tries`` counts this try already."""
    rest: Callable[[Job], None] = lambda _: None
    """Marks the subject as waiting, when the job returns to the queue."""
    owed: Callable[[], Iterable[str]] = tuple
    """Subjects that need this job by their own rows; the sweeper queues those that have no job."""
    enqueue: Callable[[str], None] | None = None
    """Queues the job of an owed subject."""
    tries: Callable[[], int] = most_tries
    about: str = "submission"
    """What its subject is, in log lines."""
    rest_seconds: float = 5
    """Delay before the first retry; each later one is longer by as much."""
