"""Studies with people: sources, comparisons, raters and answers, their queries, and every allowed change of state."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypedDict

from django.db import models, transaction
from django.db.models import Count, F, Q
from django.urls import reverse
from django.utils import timezone

from benchmark.fields import OrderedJSONField, Owned, new_id
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from extensions.people.measure.triads import Check, Item, Lists
from extensions.shared.requested import Requested


class Kind(models.TextChoices):
    FREE_ASSOCIATIONS = "associations", "Free associations: raters write context words"
    TRIADS = "triads", "Triads: raters choose between two context words"


class StudyState(models.TextChoices):
    DRAFT = "draft", "Draft"
    OPEN = "open", "Open"
    CLOSED = "closed", "Closed"


class RaterState(models.TextChoices):
    RUNNING = "running", "Answering"
    DONE = "done", "Finished"
    SCREENED_OUT = "screened out", "Ended by a screener"


def new_link() -> str:
    """Secret part of the raters' link: 128 random bits."""
    return secrets.token_urlsafe(16)


def new_seed() -> int:
    return secrets.randbits(48)


def new_pseudonym() -> str:
    """Name of a rater in exports; unlike the id, it gives no rights."""
    return f"r{secrets.token_hex(5)}"


REPEATED = "again:"
"""Beginning of the stored form of a participant's id that has taken part before."""
TEXTS = Path(__file__).with_name("texts")
WRITTEN_IN = frozenset(path.stem for path in TEXTS.glob("*.json"))


@cache
def texts_in(language: str) -> Mapping[str, str]:
    """Texts for raters in one of the languages that they are written in."""
    texts: dict[str, str] = json.loads((TEXTS / f"{language}.json").read_text(encoding="utf-8"))
    return texts


def language_shown(language: str) -> str:
    """The language of the rater's pages: English for studies in other languages."""
    return language if language in WRITTEN_IN else "en"


class StudyQuerySet(models.QuerySet["Study"]):
    def with_finished(self) -> Self:
        """Annotate ``finished``, the number of finished raters."""
        return self.annotate(finished=Count("raters", filter=Q(raters__state=RaterState.DONE)))

    def with_public_lists(self) -> Self:
        """Closed studies of free associations."""
        return self.filter(kind=Kind.FREE_ASSOCIATIONS, state=StudyState.CLOSED)

    def with_known_raters(self) -> Self:
        """Studies with raters who are not forgotten."""
        since = Q(forgotten_at=None) | Q(raters__started_at__gt=F("forgotten_at"))
        return self.filter(since, raters__isnull=False).distinct()

    def with_public_results(self) -> Self:
        return self.filter(state=StudyState.CLOSED, publishes_results=True)


class ComparisonQuerySet(models.QuerySet["Comparison"]):
    def ready(self) -> Self:
        return self.filter(reason="", lists__isnull=False)

    def with_counts(self) -> Self:
        """Annotate ``begun``, raters who are answering or finished, and ``done``, finished ones."""
        counting = Q(raters__state__in=(RaterState.RUNNING, RaterState.DONE))
        return self.annotate(
            begun=Count("raters", filter=counting), done=Count("raters", filter=Q(raters__state=RaterState.DONE))
        )

    def least_judged(self, needed: int) -> Comparison | None:
        """The comparison for the next rater; None if all have enough raters."""
        waiting = [comparison for comparison in self.ready().with_counts() if comparison.done < needed]
        return min(waiting, key=lambda comparison: (comparison.begun, comparison.pk), default=None)


class RaterQuerySet(models.QuerySet["Rater"]):
    def counted(self) -> Self:
        """Raters whose answers count: finished ones."""
        return self.filter(state=RaterState.DONE)

    def with_id(self, text: str) -> Self:
        """The rater with this id, which is a secret."""
        return self.filter(pk=text) if text.isascii() and text.isalnum() else self.none()

    def called(self, text: str) -> Self:
        """The rater with this id or name in exports."""
        return self.filter(Q(pk=text) | Q(pseudonym=text)) if text.isascii() and text.isalnum() else self.none()


if TYPE_CHECKING:
    from benchmark.fields import JsonOf


class Question(TypedDict):
    """A question to raters about themselves, with its options."""

    question: str
    options: list[str]


class Study(Owned):
    COOKIE = "study"

    id = models.CharField(primary_key=True, max_length=12, default=new_id, editable=False)
    kind = models.CharField(max_length=12, choices=Kind)
    state = models.CharField(max_length=8, choices=StudyState, default=StudyState.DRAFT, db_index=True)
    link = models.CharField(max_length=24, default=new_link, unique=True, editable=False)

    title = models.CharField(max_length=80)
    language = models.CharField(max_length=8, default="en")
    focus = models.CharField(max_length=80, blank=True)
    cues: JsonOf[list[str]] = models.JSONField(default=list)
    practice: JsonOf[list[list[str]]] = models.JSONField(default=list)  # [cue, right word, wrong word] each
    screeners: JsonOf[list[list[str]]] = models.JSONField(default=list)
    raters_wanted = models.PositiveIntegerField(default=100)
    consent = models.TextField(max_length=4000)
    questions: JsonOf[list[Question]] = models.JSONField(default=list)  # {"question", "options"} each
    asks_participant = models.BooleanField(default=False)
    completion_code = models.CharField(max_length=60, blank=True)
    licence = models.CharField(max_length=80, default="CC BY 4.0")
    publishes_results = models.BooleanField(default=False)
    retention_days = models.PositiveIntegerField(default=365)

    merged: JsonOf[dict[str, dict[str, str]]] = models.JSONField(default=dict)  # {cue: {variant: word}}

    created_at = models.DateTimeField(default=timezone.now)
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    forgotten_at = models.DateTimeField(null=True)

    objects = StudyQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)
        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return f"{self.title} ({self.id})"

    def get_absolute_url(self) -> str:
        return reverse("people:study", args=[self.pk])

    @property
    def is_draft(self) -> bool:
        return self.state == StudyState.DRAFT

    @property
    def is_open(self) -> bool:
        return self.state == StudyState.OPEN

    @property
    def is_closed(self) -> bool:
        return self.state == StudyState.CLOSED

    @property
    def awaits_lists(self) -> bool:
        """Whether a worker still has to make its lists."""
        return Job.objects.about("make_lists", self.pk).exists()

    @property
    def is_settled(self) -> bool:
        """Whether raters have seen the study or answers were imported, so that it can't change."""
        return not self.is_draft or self.raters.exists()

    @property
    def asks_triads(self) -> bool:
        return self.kind == Kind.TRIADS

    @property
    def is_full(self) -> bool:
        """Whether enough raters have finished, so that no other can begin."""
        if self.asks_triads:
            return self.comparisons.least_judged(self.raters_wanted) is None
        return self.raters.counted().count() >= self.raters_wanted

    @property
    def texts(self) -> Mapping[str, str]:
        """Texts for its raters."""
        return texts_in(language_shown(self.language))

    @property
    def practice_items(self) -> list[Check]:
        return [Check(*item) for item in self.practice]

    @property
    def screener_items(self) -> list[Check]:
        return [Check(*item) for item in self.screeners]

    def known_raters(self) -> RaterQuerySet:
        """Raters who are not forgotten."""
        return self.raters.filter(started_at__gt=self.forgotten_at) if self.forgotten_at else self.raters.all()

    def relatives(self) -> models.QuerySet[Study]:
        """Studies that judge or supply its lists, which its raters may not do as well."""
        linked = Q(sources__human=self) | Q(human_lists__study=self)
        return Study.objects.filter(linked).exclude(kind=self.kind).distinct()


class SourceKind(models.TextChoices):
    ENTRY = "entry", "Entry of the board"
    HUMAN = "human", "Collected human lists"
    LIST = "list", "Uploaded lists"


class Source(models.Model):
    """A source of context words; in a study of free associations, an entry to compare with people's lists."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="sources")
    kind = models.CharField(max_length=5, choices=SourceKind)
    name = models.CharField(max_length=60)
    position = models.PositiveSmallIntegerField(default=0)
    is_baseline = models.BooleanField(default=False)
    submission = models.ForeignKey(Submission, on_delete=models.SET_NULL, null=True, related_name="+")
    human = models.ForeignKey(Study, on_delete=models.PROTECT, null=True, related_name="human_lists")
    words = OrderedJSONField(default=dict)  # {cue: [word]} of uploaded lists
    # {cue: {word: rank by cosine}}, free associations
    ranks: JsonOf[dict[str, dict[str, float]] | None] = models.JSONField(null=True)
    reason = models.CharField(max_length=300, blank=True)  # why there are no ranks

    class Meta:
        ordering = ("study", "position", "id")
        constraints = (
            models.UniqueConstraint(fields=["study", "name"], name="one_source_a_name"),
            models.UniqueConstraint(
                fields=["study"], condition=Q(is_baseline=True), name="one_baseline_source_a_study"
            ),
        )

    def __str__(self) -> str:
        return self.name


class Comparison(models.Model):
    """A candidate against the study's baseline source; each rater judges one comparison."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="comparisons")
    candidate = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    baseline = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    lists = OrderedJSONField(null=True)  # {cue: [candidate's words, baseline's words]}
    reason = models.CharField(max_length=300, blank=True)  # why there are no lists
    prepared_at = models.DateTimeField(null=True)
    begun: int  # by with_counts()
    done: int

    objects = ComparisonQuerySet.as_manager()

    class Meta:
        ordering = ("study", "id")
        constraints = (models.UniqueConstraint(fields=["candidate", "baseline"], name="one_comparison_a_candidate"),)

    def __str__(self) -> str:
        return f"{self.candidate} against {self.baseline}"

    @property
    def lists_by_cue(self) -> dict[str, Lists]:
        return {cue: Lists(*map(tuple, sides)) for cue, sides in (self.lists or {}).items()}


class Rater(models.Model):
    """A person's session in a study. The id is the rater's secret to resume the session and erase its answers."""

    id = models.CharField(primary_key=True, max_length=12, default=new_id, editable=False)
    pseudonym = models.CharField(max_length=12, default=new_pseudonym, unique=True)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="raters")
    comparison = models.ForeignKey(Comparison, on_delete=models.PROTECT, null=True, related_name="raters")
    state = models.CharField(max_length=12, choices=RaterState, default=RaterState.RUNNING)
    seed = models.BigIntegerField(default=new_seed)
    plan: JsonOf[list[Any]] = models.JSONField(default=list)  # triads: items as shown; associations: cues
    browser_hash = models.CharField(max_length=64, blank=True, db_index=True)
    participant_hash = models.CharField(max_length=64, blank=True, db_index=True)
    replies: JsonOf[dict[str, str]] = models.JSONField(default=dict)  # {question: option}
    imported = models.BooleanField(default=False)
    instructed_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True)

    objects = RaterQuerySet.as_manager()

    class Meta:
        ordering = ("study", "started_at", "id")
        indexes = (models.Index(fields=["study", "state"], name="raters_of_study"),)
        constraints = (
            models.UniqueConstraint(
                fields=["study", "participant_hash"],
                condition=~Q(participant_hash=""),
                name="one_session_a_participant",
            ),
        )

    def __str__(self) -> str:
        return self.pseudonym

    @property
    def is_repeated(self) -> bool:
        """Whether its participant id had taken part before, so that it doesn't count."""
        return self.participant_hash.startswith(REPEATED)

    @property
    def items(self) -> list[Item]:
        return [Item(**item) for item in self.plan]


class FreeAssociation(models.Model):
    """A rater's context word for a cue; ``milliseconds`` is the time for the cue's whole page."""

    rater = models.ForeignKey(Rater, on_delete=models.CASCADE, related_name="associations")
    cue = models.CharField(max_length=60)
    place = models.PositiveSmallIntegerField()  # 1 … 10
    word = models.CharField(max_length=60)  # normalised
    written = models.CharField(max_length=120)
    milliseconds = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("rater", "id")
        constraints = (
            models.UniqueConstraint(fields=["rater", "cue", "place"], name="one_word_a_place"),
            models.UniqueConstraint(fields=["rater", "cue", "word"], name="each_word_once_a_cue"),
        )

    def __str__(self) -> str:
        return f"{self.cue}: {self.word}"


class Choice(models.Model):
    """A rater's first answer to the triad at this place of the plan."""

    rater = models.ForeignKey(Rater, on_delete=models.CASCADE, related_name="choices")
    place = models.PositiveSmallIntegerField()  # in the plan, from 0
    side = models.CharField(max_length=5)
    milliseconds = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("rater", "place")
        constraints = (models.UniqueConstraint(fields=["rater", "place"], name="one_choice_a_triad"),)

    def __str__(self) -> str:
        return f"{self.place}: {self.side}"


MOVES = {
    (StudyState.DRAFT, StudyState.OPEN): "opened_at",
    (StudyState.OPEN, StudyState.CLOSED): "closed_at",
    (RaterState.RUNNING, RaterState.DONE): "finished_at",
    (RaterState.RUNNING, RaterState.SCREENED_OUT): "finished_at",
}
"""Column of the time that each allowed change of state records."""


class IllegalStudyMove(Exception):
    """The state does not allow this move; nothing was changed."""


def move_to(row: Study | Rater, state: StudyState | RaterState) -> None:
    """Open or close a study, or end a rater's session; nothing else sets a state. The object is refreshed.

    Raises
    ------
    IllegalStudyMove
        the current state does not allow it.
    """
    current = type(state)(row.state)
    message = f"Cannot change from {current.label.lower()} to {state.label.lower()}."
    time_column = MOVES.get((current, state))
    if time_column is None:
        raise IllegalStudyMove(message)
    with transaction.atomic():
        # The condition on the state makes a second writer's update match nothing, with or without row locks.
        same = type(row)._default_manager.filter(pk=row.pk, state=current)
        if not same.update(state=state, **{time_column: timezone.now()}):
            raise IllegalStudyMove(message)
    row.refresh_from_db()


class GivenLists(models.Model):
    """A visitor's lists of context words, found by their hash and deleted some months after the last view."""

    key = models.CharField(max_length=64, primary_key=True)
    title = models.CharField(max_length=60)
    words = OrderedJSONField()  # {cue: [word, best first]}
    looked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "compare_givenlists"

    def __str__(self) -> str:
        return self.title


class ListDeviation(Requested):
    """Deviation of vectors from people's lists.

    ``words`` holds the lists only until the job is done, so that erasing a rater's answers erases them here as well.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    vectors_sha256 = models.CharField(max_length=64)
    lists_key = models.CharField(max_length=64)
    words = OrderedJSONField(null=True)
    # figures: full, within, relative, cues; or reason

    class Meta:
        db_table = "compare_listdeviation"
        constraints = (
            models.UniqueConstraint(fields=["vectors_sha256", "lists_key"], name="one_row_per_vectors_and_lists"),
        )

    def __str__(self) -> str:
        return f"{self.vectors_sha256[:8]} against {self.lists_key[:8]}"
