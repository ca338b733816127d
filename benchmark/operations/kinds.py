"""A kind of job: a function and a declaration of how it is claimed, retried and given up.

Workers have the kinds of a submission; a feature names the module with its own (``Feature.jobs``).
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

Store = Callable[[], object]
"""Writes a job's result, in one transaction with the end of the job, so that no result is written twice."""
OpenVectors = Callable[[Submission], Embedding]


@dataclass(frozen=True)
class JobContext:
    """A worker's services to a running job."""

    progress: Progress
    open_vectors: OpenVectors
    """Opens an entry's memory-mapped vectors, and prepares or makes them first if the machine lacks them.

    Raises NotNow while another job makes them, and InputError if there are none.
    """
    run_directories: Callable[[Submission, int], Sequence[Path]]
    """Prepared forms of the first n further runs of an entry."""
    threads: int = 1
    """Processors that the job may use."""


class NotNow(Exception):
    """The worker cannot do the job now; it returns to the queue for a few seconds, without using a try.

    Its message, if any, is shown meanwhile.
    """


def in_tries(job: Job) -> str:
    """“in 1 try”, “in 3 tries”, for messages about jobs that were given up."""
    return "in 1 try" if job.tries == 1 else f"in {job.tries} tries"


def most_tries() -> int:
    """Number of failures or crashes after which a job is given up."""
    return int(settings.VECBOARD_MOST_TRIES)


@dataclass(frozen=True)
class JobKind:
    """One kind of job: its function, retries and bookkeeping.

    Faults of the file or the vectors are results, which ``do`` returns a function to store. Any other exception is our
    fault. Rows are always locked in this order: the submission, other rows, the job.
    """

    do: Callable[[Job, JobContext], Store | None]
    give_up: Callable[[Job, str], None]
    """Stores the reason for the missing result, in one transaction with the end of the job."""
    begin: Callable[[Job], bool] = lambda _: True
    """Marks the subject as in progress; False if the job is no longer needed. ``tries`` includes this try."""
    rest: Callable[[Job], None] = lambda _: None
    """Marks the subject as waiting when the job returns to the queue."""
    owed: Callable[[], Iterable[str]] = tuple
    """Subjects whose rows need this job; the sweeper queues those without one."""
    enqueue: Callable[[str], None] | None = None
    """Queues the job of an owed subject."""
    tries: Callable[[], int] = most_tries
    about: str = "submission"
    """The subject's name in log lines."""
    rest_seconds: float = 5
    """Delay before the first retry; each later delay grows by as much."""
