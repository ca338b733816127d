"""Stored comparisons of two sets of vectors, keyed by vectors and not by owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from benchmark.submissions.models import Submission
from extensions.shared.requested import Requested

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
        db_table = "compare_paircorrelation"
        constraints = (
            models.UniqueConstraint(
                fields=["left_sha256", "right_sha256", "cues_key"], name="one_row_per_pair_and_cues"
            ),
        )

    def __str__(self) -> str:
        return f"{self.left_sha256[:8]} and {self.right_sha256[:8]} over {self.cues}"
