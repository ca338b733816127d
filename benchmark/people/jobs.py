"""Job of studies: lists and ranks from the vectors of entries."""

from __future__ import annotations

from benchmark.operations.kinds import JobContext, JobKind, in_tries
from benchmark.operations.models import Job
from benchmark.people.lists import give_up_lists, make_lists
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
    """Store the reason with every missing list."""
    study = Study.objects.get(pk=job.subject)
    give_up_lists(study, GIVEN_UP.format(tries=in_tries(job), reason=reason))


KINDS = {"make_lists": JobKind(make, give_up, is_wanted, about="study")}
