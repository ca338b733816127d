"""Translation between two entries with a visitor's dictionary, keyed by vectors and dictionary."""

from __future__ import annotations

from django.db import models

from benchmark.compare.models import Requested
from benchmark.submissions.models import Submission

KIND = "translate"


class WordTranslation(Requested):
    """``dictionary`` is stored only until the job is done; the figures can be found only with the link."""

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
