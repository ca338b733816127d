"""Measured translations of words, keyed by vectors and not by owner."""

from __future__ import annotations

from django.db import models

from benchmark.submissions.models import Submission
from extensions.shared.requested import Requested


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
    # figures: those of a ``measure.translation.Translation``; or reason

    class Meta:
        db_table = "compare_wordtranslation"
        constraints = (
            models.UniqueConstraint(
                fields=["left_sha256", "right_sha256", "dictionary_key"], name="one_row_per_pair_and_dictionary"
            ),
        )

    def __str__(self) -> str:
        return f"{self.left_sha256[:8]} into {self.right_sha256[:8]} with {self.dictionary_key[:8]}"
