"""How to get an entry's vectors: the file on this site, or the recipe that fetches or makes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from benchmark.leaderboard.board import Row
from benchmark.shipped.vectors import shipped_as
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import size
from vecboard.public import public_entry


@dataclass(frozen=True)
class Download:
    """A link to a file or a command; neither if the owner doesn't offer the vectors. ``bytes``: None if unknown."""

    licence: str
    link: str = ""
    command: str = ""
    bytes: int | None = None
    is_published: bool = False

    @property
    def short_licence(self) -> str:
        """The licence without remarks after a comma, semicolon or bracket."""
        return re.split("[,;(]", self.licence)[0].strip()

    @property
    def about(self) -> str:
        """Size and licence, as far as they are known."""
        return ", ".join(
            filter(None, (size(self.bytes) if self.bytes else "", self.short_licence or "no licence stated"))
        )


def downloads_of(rows: Sequence[Row]) -> dict[str, Download]:
    """By id of the entry, in one query."""
    submissions = Submission.objects.select_related("owner").in_bulk([row.facts.id for row in rows])
    return {pk: _download(submission) for pk, submission in submissions.items()}


def _download(submission: Submission) -> Download:
    facts, shipped = submission.facts, shipped_as(submission)
    if facts.offers_download and submission.file_key:
        link = reverse("submissions:vectors", args=[submission.pk])
        return Download(facts.licence, link=link, bytes=facts.file_bytes)
    if submission.is_baseline:
        command = f"python -m tasks baseline --suite {submission.suite} --out baseline.txt.gz"
        return Download(facts.licence, command=command)
    if shipped is None:
        return Download(facts.licence)
    if facts.track == "prescribed":
        command = f"python -m research.board vectors {shipped.made_by} --suite {submission.suite}"
        return Download(facts.licence, command=command)
    entry = public_entry(shipped.made_by)
    command = f"python -m vecboard public {entry.id} --save {entry.id}.txt.gz"
    return Download(entry.work.licence, command=command, bytes=round(1e6 * entry.megabytes), is_published=True)
