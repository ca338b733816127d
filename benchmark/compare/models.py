"""Ranking correlations of pairs of vectors, kept by what they are of: vectors and cues, whosever the entries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from django.db import models
from django.utils import timezone

from benchmark.submissions.models import Submission


def cues_key(cues: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(list(cues), ensure_ascii=False).encode()).hexdigest()


class PairCorrelation(models.Model):
    """``figures`` is None until a worker has computed it; ``left_sha256`` is the smaller of the two."""

    left = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    right = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    left_sha256 = models.CharField(max_length=64)
    right_sha256 = models.CharField(max_length=64)
    cues: models.JSONField[Any, Any] = models.JSONField()
    cues_key = models.CharField(max_length=64)
    figures: models.JSONField[Any, Any] = models.JSONField(null=True)  # mean, se, n, common_words; or reason
    asked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["left_sha256", "right_sha256", "cues_key"], name="one_row_per_pair_and_cues"
            ),
        )

    def __str__(self) -> str:
        return f"{self.left_sha256[:8]} and {self.right_sha256[:8]} over {len(self.cues)} cues"
