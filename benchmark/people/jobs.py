"""Job of studies: lists and ranks from the vectors of entries."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from benchmark.operations.kinds import JobContext, JobKind, in_tries
from benchmark.operations.models import Job
from benchmark.people.lists import make_lists
from benchmark.people.models import Study

GIVEN_UP = (
    "A worker failed to compute this {tries} ({reason}). Request it again later; if that fails too, contact "
    "the operators of this site."
)


def make(job: Job, context: JobContext) -> None:
    """Make the lists of a study."""
    make_lists(Study.objects.get(pk=job.subject), context.open_vectors)


def is_wanted(job: Job) -> bool:
    """Whether the study still exists."""
    return Study.objects.filter(pk=job.subject).exists()


def give_up(job: Job, reason: str) -> None:
    """Store the reason with all missing lists and ranks."""
    study = Study.objects.get(pk=job.subject)
    text = GIVEN_UP.format(tries=in_tries(job), reason=reason)[:300]
    with transaction.atomic():
        study.comparisons.filter(prepared_at=None).update(reason=text, prepared_at=timezone.now())
        if not study.asks_triads:
            study.sources.filter(ranks__isnull=True).update(reason=text)


KINDS = {"make_lists": JobKind(make, give_up, is_wanted, about="study")}
