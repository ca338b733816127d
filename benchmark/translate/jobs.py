"""What the page of translations asks of the workers."""

from __future__ import annotations

from functools import partial

from benchmark.compare.jobs import FAILED, REST_SECONDS, opened
from benchmark.operations.kinds import JobContext, JobKind, Store
from benchmark.operations.models import Job
from benchmark.translate.models import KIND, WordTranslation
from tasks.errors import VecboardError
from tasks.suites import SUITES
from tasks.translation.dictionary import read_dictionary
from tasks.translation.measure import translate
from tasks.vectors import Embedding

MOST_WORDS = 50_000
MOST_NUMBERS = 20_000_000
"""Of a file's vectors: 80 MB of either side and 2 · 10¹² multiplications, half a minute of two cores."""


def translate_words(job: Job, context: JobContext) -> Store:
    """Align two entries and test the dictionary."""
    row = WordTranslation.objects.select_related("left", "right").get(pk=job.subject)
    figures: dict[str, object]
    try:
        left, right = opened(row.left, context), opened(row.right, context)
        dictionary = read_dictionary(row.dictionary.encode())
        look_up = SUITES[row.left.suite].look_up
        most = most_words(left)
        figures = translate(left, right, dictionary, look_up, most_words=most, progress=context.progress).as_dict()
    except VecboardError as error:
        figures = {"reason": str(error)}
    return partial(_keep, row.pk, figures)


def most_words(embedding: Embedding) -> int:
    """How many words of a file of these dimensions take part."""
    return min(MOST_WORDS, MOST_NUMBERS // embedding.dimensions)


def is_wanted(job: Job) -> bool:
    """Whether the figures are still to be computed."""
    row = WordTranslation.objects.filter(pk=job.subject).exclude(dictionary="").first()
    return row is not None and row.is_due


def give_up(job: Job, reason: str) -> None:
    """Store why there are no figures."""
    _keep(int(job.subject), {"reason": FAILED.format(reason=reason), "tries": job.tries})


def _keep(pk: int, figures: dict[str, object]) -> None:
    WordTranslation.objects.filter(pk=pk).update(figures=figures, dictionary="")


KINDS = {KIND: JobKind(translate_words, give_up, is_wanted, about="translation", rest_seconds=REST_SECONDS)}
