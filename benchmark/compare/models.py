"""Figures that pages of comparisons request from workers, keyed by vectors and not by owner; and their deletion."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import CharField, Exists, OuterRef, Q
from django.db.models.functions import Cast
from django.utils import timezone

from benchmark.fields import OrderedJSONField
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission

if TYPE_CHECKING:
    from benchmark.fields import JsonOf


ASK_AGAIN = timedelta(minutes=10)
"""Time until figures can be requested again that failed through no fault of the vectors."""


class Requested(models.Model):
    """Figures that a worker computes on request; None until then."""

    figures = OrderedJSONField(null=True)
    asked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True

    @property
    def is_due(self) -> bool:
        """Whether figures are missing, or the last try failed through no fault of the vectors."""
        return self.figures is None or "tries" in self.figures

    @property
    def may_be_asked(self) -> bool:
        """Whether figures can be requested now: they are missing, or the last try failed some time ago."""
        return self.figures is None or (self.is_due and self.asked_at < timezone.now() - ASK_AGAIN)


class PairCorrelation(Requested):
    """Ranking correlation of two files of vectors, ``left_sha256`` being the smaller hash.

    ``cues`` are words, or the name of a set that depends on the two vocabularies (``random``, ``every``). ``figures``
    has ``closely``, with every cue's coefficients, overlap and distribution, once the details were requested.
    """

    left = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    right = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    left_sha256 = models.CharField(max_length=64)
    right_sha256 = models.CharField(max_length=64)
    cues: JsonOf[list[str] | str] = models.JSONField()
    cues_key = models.CharField(max_length=64)
    # figures: mean, se, n, common_words, unknown; or reason; closely

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["left_sha256", "right_sha256", "cues_key"], name="one_row_per_pair_and_cues"
            ),
        )

    def __str__(self) -> str:
        return f"{self.left_sha256[:8]} and {self.right_sha256[:8]} over {self.cues}"


class GivenLists(models.Model):
    """A visitor's lists of context words, found by their hash and deleted some months after the last view."""

    key = models.CharField(max_length=64, primary_key=True)
    title = models.CharField(max_length=60)
    words = OrderedJSONField()  # {cue: [word, best first]}
    looked_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.title


class ListDeviation(Requested):
    """Deviation of vectors from people's lists.

    ``words`` holds the lists only until the job is done, so that erasing a rater's answers erases them here as well.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    vectors_sha256 = models.CharField(max_length=64)
    lists_key = models.CharField(max_length=64)
    words = OrderedJSONField(null=True)
    # figures: full, within, relative, cues; or reason

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["vectors_sha256", "lists_key"], name="one_row_per_vectors_and_lists"),
        )

    def __str__(self) -> str:
        return f"{self.vectors_sha256[:8]} against {self.lists_key[:8]}"


class WordTranslation(Requested):
    """Word translation from ``left`` into ``right`` with a visitor's dictionary.

    The dictionary is stored only until the job is done. Its hash is part of the link, so that only people with the link
    see the figures.
    """

    left = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    right = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    left_sha256 = models.CharField(max_length=64)
    right_sha256 = models.CharField(max_length=64)
    dictionary_key = models.CharField(max_length=64)
    dictionary = models.TextField(blank=True)
    # figures: those of a tasks.translation.Translation; or reason

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["left_sha256", "right_sha256", "dictionary_key"], name="one_row_per_pair_and_dictionary"
            ),
        )

    def __str__(self) -> str:
        return f"{self.left_sha256[:8]} into {self.right_sha256[:8]} with {self.dictionary_key[:8]}"


NEVER_COMES = timedelta(days=1)
KINDS_OF_JOBS: dict[type[Requested], tuple[str, ...]] = {
    PairCorrelation: ("correlate", "compare"),
    ListDeviation: ("deviate",),
    WordTranslation: ("translate",),
}


def forget_old(now: datetime | None = None) -> int:
    """Delete rows that nobody requested in ``VECBOARD_KEEP_COMPARISONS_DAYS``; return their number.

    They can be recomputed. A row without figures whose job is no longer queued is deleted after a day.
    """
    now = now or timezone.now()
    days = settings.VECBOARD_KEEP_COMPARISONS_DAYS
    unwanted = Q(asked_at__lt=now - timedelta(days=days)) if days else Q(pk=None)
    never = Q(figures__isnull=True, asked_at__lt=now - NEVER_COMES)
    deleted = 0
    for model, kinds in KINDS_OF_JOBS.items():
        queued = Job.objects.filter(subject=Cast(OuterRef("pk"), CharField()), kind__in=kinds)
        deleted += model._default_manager.filter(~Exists(queued)).filter(unwanted | never).delete()[0]
    return deleted
