"""Vectors whose smallest variant that isn't worse is looked for, and kept as a file for their owner."""

from __future__ import annotations

from django.db import models

from benchmark.shipped.vectors import shipped_as
from benchmark.submissions.models import Submission
from extensions.front.measure.report import REPORT, FrontReport, chosen_of
from extensions.texts.models import Measurement, TextsState, made_key
from tasks.gate import MARGIN
from vecboard.public import public_entry


class SmallerVectors(Measurement):
    """A sent file or an entry, and the report, a ``FrontReport``. The file that is made is the smallest variant.

    The sent file is deleted at the end, as nothing reads it again.
    """

    KIND = "front"
    MOST_BYTES = "VECBOARD_MAX_CORPUS_BYTES"
    FOLDER = COOKIE = "front"
    DAYS_KEPT = "VECBOARD_KEEP_OWN_DAYS"
    IS_PRIVATE = True
    NOT_FOR_ALL = "can't be made smaller here, as its owner doesn't offer the vectors for download."

    budget = models.FloatField()  # megabytes
    margin = models.FloatField(default=MARGIN)

    class Meta:
        verbose_name = "report on smaller vectors"

    @classmethod
    def can_measure(cls, owner_id: int | None, entry: Submission) -> bool:
        """Only vectors that this account may download: a variant is a copy of them."""
        if not super().can_measure(owner_id, entry):
            return False
        if (
            entry.is_baseline
            or (entry.offers_download and not entry.is_anonymous)
            or (owner_id is not None and entry.owner_id == owner_id)
        ):
            return True
        shipped = shipped_as(entry)
        return shipped is not None and (
            entry.track == "prescribed" or public_entry(shipped.made_by).work.may_be_offered
        )

    @property
    def contents(self) -> FrontReport | None:
        """The report, once it is there."""
        return None if self.report is None else REPORT.validate_python(self.report)

    @property
    def keeps_file(self) -> bool:
        return False

    @property
    def keeps_made(self) -> bool:
        return self.report is not None and REPORT.validate_python(self.report)["verdict"] == "not inferior"

    @property
    def download(self) -> tuple[str, str] | None:
        """The smallest variant, if it isn't worse."""
        report = self.contents
        if self.state != TextsState.DONE or not self.file_key or report is None or report["verdict"] != "not inferior":
            return None
        suffix = "zip" if chosen_of(report)["words"] is None else "npz"
        return made_key(self.file_key), f"{self.FOLDER}-{self.pk}.{suffix}"
