"""An entry's deviation from people's lists, stored for later requests."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmark.compare.models import ListDeviation, is_due
from benchmark.operations.models import Job
from tasks.base import Progress
from tasks.errors import VecboardError
from tasks.political.human import human_deviation
from workers.kinds import Kind, Store
from workers.pairs import FAILED, REST_SECONDS, opened

NONE: dict[str, Any] = {"full": None, "within": None, "cues": {}}
UNKNOWN = "These vectors know none of the cues together with a word of its list."


def deviate(job: Job, _: Progress) -> Store:
    """Compute one entry's deviation, and delete the lists."""
    row = ListDeviation.objects.select_related("submission").get(pk=job.subject)
    try:
        found = human_deviation(opened(row.submission), row.words)
        figures = found.as_dict() | {"reason": "" if found.full else UNKNOWN}
    except VecboardError as error:
        figures = NONE | {"reason": str(error)}
    return partial(_store, row.pk, figures)


def is_wanted(job: Job) -> bool:
    """Whether the figures are still to be computed."""
    row = ListDeviation.objects.filter(pk=job.subject, words__isnull=False).first()
    return row is not None and is_due(row.figures)


def give_up(job: Job, reason: str) -> None:
    """Store why there are no figures, and delete the lists."""
    _store(int(job.subject), NONE | {"reason": FAILED.format(reason=reason), "tries": job.tries})


def _store(pk: int, figures: dict[str, Any]) -> None:
    ListDeviation.objects.filter(pk=pk).update(figures=figures, words=None)


DEVIATE = Kind(deviate, give_up, is_wanted, rest_seconds=REST_SECONDS)
