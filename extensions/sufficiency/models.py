"""A corpus whose report tells whether pre-trained vectors suffice for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from extensions.sufficiency.measure.report import REPORT, SufficiencyReport
from extensions.texts.models import SentTexts

if TYPE_CHECKING:
    from benchmark.fields import JsonOf


class CorpusReport(SentTexts):
    """A corpus, the entries that it is compared with, and the report, a ``SufficiencyReport``."""

    KIND = "suffices"
    MOST_BYTES, MOST_RECORDS = "VECBOARD_MAX_CORPUS_BYTES", "VECBOARD_MAX_CORPUS_WORDS"
    FOLDER = COOKIE = "corpora"
    DAYS_KEPT = "VECBOARD_KEEP_CORPORA_DAYS"
    IS_PRIVATE = False

    cues: JsonOf[list[str]] = models.JSONField(default=list)
    keeps_corpus = models.BooleanField(default=False)

    class Meta:
        verbose_name = "report on a corpus"

    @property
    def keeps_file(self) -> bool:
        return self.keeps_corpus

    @property
    def download(self) -> tuple[str, str] | None:
        return (self.file_key, self.file_name) if self.file_key else None

    @property
    def contents(self) -> SufficiencyReport | None:
        """The report, once it is there."""
        return None if self.report is None else REPORT.validate_python(self.report)
