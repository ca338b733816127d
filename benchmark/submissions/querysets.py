"""What the rest of the site asks for by name. Who may see an entry is decided here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Count, OuterRef, Q, Subquery
from django.dispatch import Signal

from benchmark.submissions.ids import token_hash
from benchmark.submissions.states import OPEN, State

if TYPE_CHECKING:
    from benchmark.operations.counting import Visitor
    from benchmark.submissions.models import Submission, TaskRun

shown_changed = Signal()
"""Sent with the model as ``sender`` after an update of many rows, which Django itself announces to nobody."""
UNSEEN = frozenset({"check_tries", "error", "warnings"})
"""Columns that move while a file is checked; no list shows them."""


class Visibility(models.TextChoices):
    PUBLIC = "public", "Public"
    UNLISTED = "unlisted", "Unlisted"
    PRIVATE = "private", "Private"
    ANONYMOUS = "anonymous", "Anonymous for review"


LISTED = (Visibility.PUBLIC, Visibility.ANONYMOUS)
_SHOWN = Q(withdrawn_at=None, hidden_at=None, deleted_at=None)


def _held_by(user: Visitor) -> Q:
    """Entries of this account, except those that it deleted a moment ago."""
    return Q(owner=user, deleted_at=None) if user is not None and user.is_authenticated else Q(pk=None)


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def update(self, **values: object) -> int:
        """Django's, announced to caches of what was shown."""
        changed = super().update(**values)
        if changed and not UNSEEN.issuperset(values):
            shown_changed.send(self.model)
        return changed

    update.alters_data = True  # type: ignore[attr-defined]  # no template may call it

    def listed(self) -> Self:
        """Entries that lists may show to everybody: public ones, and those under review without their names."""
        return self.filter(_SHOWN, visibility__in=LISTED)

    def visible_to(self, user: Visitor = None) -> Self:
        """Entries whose pages this visitor may open: all that are not private, withdrawn or hidden, and his or her own.

        Staff sees everything. A list for everybody takes ``listed()``: an unlisted entry is reachable only by its link.
        """
        if user is not None and user.is_authenticated and user.is_staff:
            return self.all()
        open_to_all = _SHOWN & ~Q(visibility=Visibility.PRIVATE)
        return self.filter(open_to_all | _held_by(user))

    def owned_by(self, user: Visitor) -> Self:
        return self.filter(_held_by(user))

    def with_secrets(self, tokens: Iterable[str]) -> Self:
        """Entries that any of these secrets opens, except those deleted a moment ago."""
        return self.filter(deleted_at=None, owner_token_hash__in=[token_hash(token) for token in tokens if token])

    def with_report(self) -> Self:
        """Measured at least once; while it is measured again, its last report counts."""
        return self.filter(report__isnull=False)

    def on_board(self, suite: str) -> Self:
        """Listed entries with a report under any version of this suite."""
        return self.listed().with_report().filter(suite=suite)

    def with_owner_runs(self) -> Self:
        """Adds ``owner_runs_count``: how many of the owner's files were measured with the same suite."""
        same = self.model.objects.filter(owner=OuterRef("owner"), suite=OuterRef("suite"), report__isnull=False)
        count = same.order_by().values("owner").annotate(count=Count("pk")).values("count")
        return self.select_related("owner").annotate(owner_runs_count=Subquery(count))

    def open(self) -> Self:
        return self.filter(state__in=OPEN)

    def waiting_before(self, submission: Submission) -> Self:
        """Unfinished submissions whose file came earlier: much of their work is done before this one's."""
        before = Q(uploaded_at__lt=submission.uploaded_at) if submission.uploaded_at else Q()
        earlier = self.open().exclude(state=State.RECEIVING).exclude(pk=submission.pk).filter(before)
        return earlier if submission.background else earlier.filter(background=False)


class TaskRunQuerySet(models.QuerySet["TaskRun"]):
    def light(self) -> Self:
        """Rows without their results, which are large."""
        return self.defer("result")

    def waiting(self) -> Self:
        return self.filter(state=self.model.State.WAITING)

    def running(self) -> Self:
        return self.filter(state=self.model.State.RUNNING)

    def unfinished(self) -> Self:
        return self.exclude(state__in=self.model.FINISHED)

    def outcomes_keys(self) -> set[str]:
        """Keys of the outcomes that these rows name."""
        return set(self.exclude(outcomes_key="").values_list("outcomes_key", flat=True))

    def none_of(self, keys: set[str]) -> set[str]:
        """The keys of outcomes that none of these rows names."""
        return keys - self.filter(outcomes_key__in=keys).outcomes_keys()

    def same_work_as(self, run: TaskRun) -> Self:
        """Finished runs of the same vectors and task definition, no matter who owns them: their result counts here too.

        The language counts as well: the tasks of another language have no score, whatever the same numbers gave before.
        """
        same = self.filter(vectors_sha256=run.vectors_sha256, task_hash=run.task_hash, mode=run.mode)
        same = same.filter(submission__language=run.submission.language)
        return same.filter(state=self.model.State.DONE).exclude(pk=run.pk)
