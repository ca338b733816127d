"""Figures that pages of comparisons request from workers, keyed by vectors and not by owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.utils import timezone

from benchmark.fields import OrderedJSONField
from benchmark.requested import Requested
from benchmark.submissions.models import Submission

if TYPE_CHECKING:
    from benchmark.fields import JsonOf


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
