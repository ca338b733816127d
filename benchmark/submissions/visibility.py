"""Visibility of entries: named queries for submissions, their files and cells, and their public facts."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from django.db import models
from django.db.models import Count, OuterRef, Q, Subquery, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce
from django.dispatch import Signal
from django.utils import timezone

from benchmark.submissions.states import OPEN, State
from tasks.fields import (
    Algorithm,
    Corpus,
    DeviceBytes,
    EntryId,
    EntryName,
    IsOpen,
    Language,
    Owner,
    OwnerRuns,
    SuiteId,
    SuiteVersion,
    Track,
    UsesTaskData,
    doc,
)
from tasks.results import json_text

if TYPE_CHECKING:
    from benchmark.operations.counting import Visitor
    from benchmark.submissions.models import PartialFile, StoredReport, Submission, SubmissionCell  # noqa: F401 - in a base class

shown_changed = Signal()
"""Sent with the model as ``sender`` after a bulk update, for which Django sends no signal."""
UNSEEN = frozenset({"check_tries", "error", "warnings"})
"""Columns that change during a check but appear in no list."""
RESERVED = timedelta(hours=1)
"""Lifetime of an upload's reservation after its last byte; after that it resumes only if there is space."""


class Visibility(models.TextChoices):
    PUBLIC = "public", "Public"
    UNLISTED = "unlisted", "Unlisted"
    PRIVATE = "private", "Private"
    ANONYMOUS = "anonymous", "Anonymous for review"


LISTED = (Visibility.PUBLIC, Visibility.ANONYMOUS)


def past_embargo() -> Q:
    """Entries that are public by now, because the date that their owners chose has passed."""
    return Q(public_from__lte=timezone.now())


def shown_by_name() -> Q:
    """Entries whose written facts are public; searching others by them could reveal them."""
    return Q(visibility=Visibility.PUBLIC) | past_embargo()


def under_review() -> Q:
    """Anonymous entries."""
    return Q(visibility=Visibility.ANONYMOUS) & ~past_embargo()


_SHOWN = Q(withdrawn_at=None, hidden_at=None, deleted_at=None)


def _owned_by(user: Visitor) -> Q:
    """Entries of this account, except recently deleted ones."""
    return Q(owner=user, deleted_at=None) if user is not None and user.is_authenticated else Q(pk=None)


BASELINE = "baseline"


@cache
def _lookalikes() -> dict[int, str]:
    lines = Path(__file__).with_name("lookalikes.txt").read_text(encoding="utf-8").splitlines()
    groups = " ".join(line for line in lines if not line.startswith("#")).split()
    return str.maketrans({character: group[0] for group in groups for character in group})


@lru_cache(4096)
def skeleton(name: str) -> str:
    """What the eye reads: the name without case, blanks, punctuation and accents, in the letters that it is taken for.

    Two names with one skeleton are confusable as in UTS #39, section 4, which keeps case, blanks and punctuation.
    """
    letters = unicodedata.normalize("NFKC", name).casefold().translate(_lookalikes())
    apart = unicodedata.normalize("NFD", letters)
    # Marks of a class (accents) go; vowel signs, of class 0, are letters of their own.
    return "".join(c for c in apart if not unicodedata.combining(c) and unicodedata.category(c)[0] in "LMN")


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def update(self, **values: object) -> int:
        """Update rows and notify caches of public data."""
        changed = super().update(**values)
        if changed and not UNSEEN.issuperset(values):
            shown_changed.send(self.model)
        return changed

    update.alters_data = True  # type: ignore[attr-defined]  # no template may call it

    def listed(self, also: Q | None = None) -> Self:
        """Entries for public lists: public ones, anonymous ones under review, and ``also`` some for one visitor."""
        listed = _SHOWN & (Q(visibility__in=LISTED) | past_embargo())
        return self.filter(listed if also is None else listed | (_SHOWN & also))

    def visible_to(self, user: Visitor = None) -> Self:
        """Entries whose pages a visitor may open: their own, and those not private, withdrawn or hidden.

        Staff may open all. Public lists use ``listed()``, because unlisted entries are reachable only by link.
        """
        if user is not None and user.is_authenticated and user.is_staff:
            return self.all()
        open_to_all = _SHOWN & (~Q(visibility=Visibility.PRIVATE) | past_embargo())
        return self.filter(open_to_all | _owned_by(user))

    def owned_by(self, user: Visitor) -> Self:
        return self.filter(_owned_by(user))

    def with_report(self) -> Self:
        """Entries measured at least once; during a re-evaluation the last report counts."""
        return self.filter(report__isnull=False)

    def on_board(self, suite: str) -> Self:
        """Listed entries with a report under any version of this suite."""
        return self.listed().with_report().filter(suite=suite)

    def resembling(self, suite: str) -> dict[str, str]:
        """The earlier entry, of another owner, or the baseline that each listed entry's name could be taken for."""
        first: dict[str, Submission] = {}
        originals: dict[str, str] = {}
        entries = self.on_board(suite).order_by("-is_baseline", "created_at", "pk")
        for entry in entries.only("name", "visibility", "public_from", "owner_id", "is_baseline"):
            name = skeleton(entry.display_name)
            earlier = first.setdefault(name, entry)
            if not entry.is_baseline and skeleton(BASELINE) in name:
                originals[entry.pk] = "the baseline"
            elif earlier is not entry and (entry.owner_id is None or entry.owner_id != earlier.owner_id):
                originals[entry.pk] = f"“{earlier.display_name}”"
        return originals

    def with_owner_runs(self) -> Self:
        """Annotate ``owner_runs_count``: the number of the owner's files measured with the same suite."""
        same = self.model.objects.filter(owner=OuterRef("owner"), suite=OuterRef("suite"), report__isnull=False)
        count = same.order_by().values("owner").annotate(count=Count("pk")).values("count")
        return self.select_related("owner").annotate(owner_runs_count=Subquery(count))

    def open(self) -> Self:
        return self.filter(state__in=OPEN)

    def waiting_before(self, submission: Submission) -> Self:
        """Unfinished submissions whose file arrived earlier; most of their work runs first."""
        before = Q(uploaded_at__lt=submission.uploaded_at) if submission.uploaded_at else Q()
        earlier = self.open().exclude(state=State.RECEIVING).exclude(pk=submission.pk).filter(before)
        return earlier if submission.background else earlier.filter(background=False)


class PartialFileQuerySet(models.QuerySet["PartialFile"]):
    def to_fetch(self) -> Self:
        """Files that a worker fetches from a URL."""
        return self.exclude(url="")

    def reserved_bytes(self, payer: str | None = None) -> int:
        """Announced bytes that have not arrived and still have space reserved.

        Parameters
        ----------
        payer : count only the uploads of this payer.
        """
        horizon = (timezone.now() - RESERVED).timestamp()
        waiting = self.filter(submission__state=State.RECEIVING)
        if payer is not None:
            waiting = waiting.filter(submission__ticket__payer=payer)
        left: Counter[str] = Counter()
        alive = set()
        for part in waiting.select_related("submission"):
            try:
                stat = part.path.stat()
                arrived, arrived_at = stat.st_size, stat.st_mtime
            except FileNotFoundError:
                arrived, arrived_at = 0, 0.0
            left[part.submission_id] += max(part.bytes - arrived, 0)
            if max(part.submission.created_at.timestamp(), arrived_at) > horizon:
                alive.add(part.submission_id)  # includes its files that have not begun
        return sum(left[submission] for submission in alive)


class SubmissionCellQuerySet(models.QuerySet["SubmissionCell"]):
    def waiting(self) -> Self:
        return self.filter(state=self.model.State.WAITING)

    def running(self) -> Self:
        return self.filter(state=self.model.State.RUNNING)

    def trained(self) -> Self:
        return self.exclude(mode="")

    def unfinished(self) -> Self:
        return self.exclude(state__in=self.model.FINISHED)

    def reopen(self, **changes: object) -> int:
        """Discard what was measured, so that these cells wait for a worker again."""
        clean = {"state": self.model.State.WAITING, "tries": 0, "started_at": None, "finished_at": None}
        clean |= {"measurement": None, "took": None, "outcomes_key": "", "reason": "", "lacks_data": False}
        return self.update(**clean | changes)

    def outcomes_keys(self) -> set[str]:
        """Keys of these rows' outcomes."""
        return set(self.exclude(outcomes_key="").values_list("outcomes_key", flat=True))

    def none_of(self, keys: set[str]) -> set[str]:
        """Keys that none of these rows refers to."""
        return keys - self.filter(outcomes_key__in=keys).outcomes_keys()

    def same_work_as(self, cell: SubmissionCell, device: str = "cpu") -> Self:
        """Finished cells of the same vectors, task definition and language, regardless of owner, for reuse.

        ``device``: kind of device that measured them; a result without one is from before GPUs got a queue of their
        own, when nearly all cells were measured on a CPU, and counts as such.
        """
        same = self.filter(vectors_sha256=cell.vectors_sha256, task_hash=cell.task_hash, mode=cell.mode)
        same = same.filter(submission__language=cell.submission.language)
        recorded = KeyTextTransform("device", Cast("measurement__result", models.JSONField()))
        same = same.annotate(measured_on=Coalesce(recorded, Value("cpu", models.TextField()))).filter(
            measured_on=device
        )
        return same.filter(state=self.model.State.DONE).exclude(pk=cell.pk)


WRITTEN = ("description", "authors", "licence", "corpus", "algorithm", "technical_notes")
"""Free-text fields; hidden under review, because they can reveal the author."""


@dataclass(frozen=True)
class Facts:
    """Public facts about an entry: the only source of user-written text for page, API, CSV, badge and e-mail."""

    id: EntryId
    name: EntryName
    owner: Owner
    owner_runs: OwnerRuns
    anonymous: Annotated[bool, doc("whether the owner and all written facts are hidden")]
    baseline: Annotated[bool, doc("whether it is the baseline")]
    ranked: Annotated[bool, doc("whether the owner lets it be ranked")]
    language: Language
    track: Track
    trained_on_task_data: UsesTaskData
    open_vocabulary: IsOpen
    device_bytes: DeviceBytes
    file_bytes: Annotated[int | None, doc("bytes of the uploaded file; null if unknown")]
    description: Annotated[str, doc("by the owner")]
    authors: Annotated[str, doc("of the vectors, as their owner states")]
    licence: Annotated[str, doc("of the vectors; required with `offers_download`")]
    corpus: Corpus
    algorithm: Algorithm
    technical_notes: Annotated[str, doc("by the owner")]
    window: Annotated[int | None, doc("words on each side")]
    iterations: Annotated[int | None, doc("over the corpus")]
    loss: Annotated[float | None, doc("at convergence, in the algorithm's own unit")]
    training_minutes: Annotated[float | None, doc("duration of the training, in minutes")]
    tokens: Annotated[int | None, doc("of the corpus, in words")]
    words: Annotated[int | None, doc("number of words in the vocabulary")]
    dimensions: Annotated[int | None, doc("numbers per vector")]
    suite: SuiteId
    suite_version: SuiteVersion
    offers_download: Annotated[bool, doc("whether everybody may download the vectors")]
    finished_at: Annotated[datetime | None, doc("time in ISO 8601; null until the end")]


def facts_of(submission: Submission) -> Facts:
    """Public facts about an entry, the same for all visitors, so that cached pages never reveal hidden text.

    Facts that aren't named here are columns. ``owner_runs`` needs ``Submission.objects.with_owner_runs()``.
    """
    hidden = submission.is_anonymous
    facts: dict[str, Any] = {
        "id": submission.pk,
        "name": submission.display_name,
        "owner": submission.display_owner,
        "owner_runs": None if hidden or submission.owner_id is None else getattr(submission, "owner_runs_count", None),
        "anonymous": hidden,
        "baseline": submission.is_baseline,
        "file_bytes": None if hidden else submission.file_bytes or None,
        "offers_download": submission.offers_download and not hidden,
        **(dict.fromkeys(WRITTEN, "") if hidden else {}),
    }
    columns = {field.name: getattr(submission, field.name) for field in fields(Facts) if field.name not in facts}
    return Facts(**facts, **columns)


def served_body(submission: Submission, report: StoredReport) -> str:
    """The report's stored text; under review, with the entry's neutral name in place of its own."""
    if not submission.is_anonymous:
        return report.body
    return json_text(report.content | {"vectors": report.content["vectors"] | {"name": submission.display_name}})
