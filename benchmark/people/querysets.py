"""What the rest of the app asks for: studies by what is public or waited for, comparisons by need, raters by name."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Count, F, Q

from benchmark.people.states import Kind, RaterState, StudyState

if TYPE_CHECKING:
    from benchmark.people.models import Comparison, Rater, Study  # noqa: F401


class StudyQuerySet(models.QuerySet["Study"]):
    def with_finished(self) -> Self:
        """``finished``: raters who came to the end."""
        return self.annotate(finished=Count("raters", filter=Q(raters__state=RaterState.DONE)))

    def with_public_lists(self) -> Self:
        """Association studies that are over: their lists are published."""
        return self.filter(kind=Kind.ASSOCIATIONS, state=StudyState.CLOSED)

    def with_known_raters(self) -> Self:
        """Somebody took part, and is not forgotten."""
        since = Q(forgotten_at=None) | Q(raters__started_at__gt=F("forgotten_at"))
        return self.filter(since, raters__isnull=False).distinct()

    def with_public_results(self) -> Self:
        return self.filter(state=StudyState.CLOSED, publishes_results=True)


class ComparisonQuerySet(models.QuerySet["Comparison"]):
    def ready(self) -> Self:
        return self.filter(reason="", lists__isnull=False)

    def with_counts(self) -> Self:
        """``begun``: raters who answer or have answered; ``done``: those who count."""
        counting = Q(raters__state__in=(RaterState.RUNNING, RaterState.DONE))
        return self.annotate(
            begun=Count("raters", filter=counting), done=Count("raters", filter=Q(raters__state=RaterState.DONE))
        )

    def least_judged(self, wanted: int) -> Comparison | None:
        """The comparison that the next rater should judge; None when each has as many as wanted."""
        waiting = [comparison for comparison in self.ready().with_counts() if comparison.done < wanted]
        return min(waiting, key=lambda comparison: (comparison.begun, comparison.pk), default=None)


class RaterQuerySet(models.QuerySet["Rater"]):
    def counted(self) -> Self:
        """Whose answers count: those who came to the end."""
        return self.filter(state=RaterState.DONE)

    def began_after(self, moment: datetime) -> Self:
        return self.filter(started_at__gt=moment)

    def with_id(self, text: str) -> Self:
        """The rater with this secret; text that cannot be an id finds no one."""
        return self.filter(pk=text) if text.isascii() and text.isalnum() else self.none()

    def called(self, text: str) -> Self:
        """The rater with this id, or with this name in exports."""
        return self.filter(Q(pk=text) | Q(pseudonym=text)) if text.isascii() and text.isalnum() else self.none()
