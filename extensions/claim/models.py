"""A claim about a visitor's own corpus; only its owner sees the report."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, cast

from django.db import models

from extensions.claim.measure.effects import LISTS, Kind
from extensions.claim.measure.plan import Settings
from extensions.claim.measure.report import REPORT, ClaimReport
from extensions.shared.measure.texts import TEXT
from extensions.texts.models import SentTexts

if TYPE_CHECKING:
    from benchmark.fields import JsonOf


class MeasuredClaim(SentTexts):
    """A corpus, the claim about it with the settings of its plan, entries as starts, and the report, a ``ClaimReport``.

    The corpus is deleted at the end.
    """

    KIND = "claim"
    MOST_BYTES, MOST_RECORDS = "VECBOARD_MAX_CORPUS_BYTES", "VECBOARD_MAX_CORPUS_WORDS"
    FOLDER = COOKIE = "claims"
    DAYS_KEPT = "VECBOARD_KEEP_CORPORA_DAYS"
    IS_PRIVATE = True

    kind = models.CharField(max_length=12)
    lists: JsonOf[list[list[str]]] = models.JSONField(default=list)
    by = models.CharField(max_length=60, blank=True)
    at = models.FloatField(null=True)
    between = models.CharField(max_length=200, blank=True)
    windows: JsonOf[list[int]] = models.JSONField(default=list)
    dimensions: JsonOf[list[int]] = models.JSONField(default=list)
    samples = models.PositiveSmallIntegerField(default=Settings.samples)
    minimum_count = models.PositiveIntegerField(default=Settings.minimum_count)

    class Meta:
        verbose_name = "report on a claim"

    @property
    def keeps_file(self) -> bool:
        return False

    @property
    def contents(self) -> ClaimReport | None:
        """The report, once it is there."""
        return None if self.report is None else REPORT.validate_python(self.report)

    @property
    def words_by_list(self) -> dict[str, list[str]]:
        """The lists by their names."""
        return dict(zip(LISTS[cast("Kind", self.kind)], self.lists, strict=True))

    @property
    def models_of_plan(self) -> int:
        return (1 + self.samples) * len(self.windows)

    @property
    def command(self) -> str:
        """The command that measures the same; the comma after a single word says that it isn't a list's name."""
        lists = [
            words[0] if name == "word" else ",".join(words) + "," * (len(words) == 1)
            for name, words in self.words_by_list.items()
        ]
        defaults: dict[str, object] = {"windows": [*Settings.windows], "dimensions": [*Settings.dimensions]}
        defaults |= {"samples": Settings.samples, "minimum_count": Settings.minimum_count, "text_field": TEXT}
        options: list[str] = []
        for name in (*defaults, "group_by", "by", "at", "between", "language"):
            value = getattr(self, name)
            if value not in ("", None, defaults.get(name)):
                written = ",".join(map(str, value)) if isinstance(value, list) else str(value)
                options += [f"--{name.replace('_', '-')}", written]
        if self.entries:
            options += ["--pretrained", *(f"VECTORS-{number}" for number, _ in enumerate(self.entries, start=1))]
        return shlex.join(["python", "-m", "tasks", "claim", self.file_name, f"--{self.kind}", *lists, *options])
