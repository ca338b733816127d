"""Labelled texts or a search of a visitor's own, on which vectors are measured; only their owner sees the report."""

from __future__ import annotations

from django.db import models

from benchmark import storage
from extensions.own.measure.report import DISAGREEMENTS, REPORT, Disagreements, OwnReport
from extensions.texts.models import SentTexts, made_key
from tasks.gate import MARGIN


class OwnTexts(SentTexts):
    """Labelled texts or a search, the entries measured on them, and the report, an ``OwnReport``.

    The texts on which sets differ are quoted in a stored file, which is deleted with the texts.
    """

    KIND = "own"
    MOST_BYTES, MOST_RECORDS = "VECBOARD_MAX_OWN_BYTES", "VECBOARD_MAX_OWN_TEXTS"
    FOLDER = COOKIE = "own"
    DAYS_KEPT = "VECBOARD_KEEP_OWN_DAYS"
    IS_PRIVATE = True

    label_field = models.CharField(max_length=60, default="label")
    split_field = models.CharField(max_length=60, blank=True)
    margin = models.FloatField(default=MARGIN)

    class Meta:
        verbose_name = "report on own data"

    @property
    def contents(self) -> OwnReport | None:
        """The report, once it is there."""
        return None if self.report is None else REPORT.validate_python(self.report)

    @property
    def differing(self) -> Disagreements | None:
        """The texts on which sets differ, until they are deleted."""
        try:
            with storage.opened(made_key(self.file_key)) as file:
                return DISAGREEMENTS.validate_json(file.read())
        except FileNotFoundError:
            return None

    def forget(self) -> None:
        """Delete the texts and all that quotes them: also the name of the file, and the records left out."""
        super().forget()
        contents = self.contents
        if contents is not None:
            contents["data"]["reasons"] = []
        OwnTexts.objects.filter(pk=self.pk).update(file_name="", report=contents)
