"""The end of a study that nobody closes, and the remains of a deleted one."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from extensions.people import sessions
from extensions.people.models import (
    Choice,
    Comparison,
    FreeAssociation,
    Kind,
    Rater,
    Source,
    SourceKind,
    Study,
    StudyState,
    move_to,
)
from extensions.people.results import result_of
from extensions.people.retention import forget_due
from extensions.people.tests.conftest import TOKEN, Browser, Make, finish
from extensions.people.tests.test_association_session import write_all
from tests.benchmark.people_accounts import browser_of, confirmed, person


def known() -> list[bool]:
    """Whether each rater still has a browser code, in the order of sessions."""
    return [bool(code) for code in Rater.objects.order_by("started_at").values_list("browser_hash", flat=True)]


def forget_on(moment: datetime) -> None:
    with time_machine.travel(moment, tick=False):
        forget_due()


def begin(row: Study, code: str = "b") -> Rater:
    return sessions.begin(row, browser_hash=code * 64)


@pytest.mark.parametrize(("days", "left"), [(89, [True]), (91, [False])])
def test_a_study_that_nobody_closes_forgets_its_raters_after_the_last_answer(
    study: Make, settings: Any, days: int, left: list[bool]
) -> None:
    settings.VECBOARD_STUDY_IDLE_DAYS = 60
    row = study(retention_days=30)
    last = finish(begin(row)).finished_at
    assert last is not None
    forget_on(last + timedelta(days=days))
    row.refresh_from_db()
    assert known() == left
    assert (row.is_open, row.closed_at) == (True, None)


def test_answers_keep_an_open_study_from_being_idle(study: Make, settings: Any) -> None:
    settings.VECBOARD_STUDY_IDLE_DAYS = 60
    row = study(retention_days=30)
    first = finish(begin(row))
    Rater.objects.filter(pk=first.pk).update(started_at=timezone.now() - timedelta(days=100))
    forget_on(timezone.now() + timedelta(days=80))
    assert known() == [True]


def test_without_the_setting_an_open_study_forgets_nobody(study: Make, settings: Any) -> None:
    settings.VECBOARD_STUDY_IDLE_DAYS = 0
    finish(begin(study(retention_days=1)))
    forget_on(timezone.now() + timedelta(days=3000))
    assert known() == [True]


def test_a_rater_who_comes_after_the_forgetting_is_forgotten_after_the_closing(study: Make, settings: Any) -> None:
    settings.VECBOARD_STUDY_IDLE_DAYS = 60
    row = study(retention_days=30)
    early = finish(begin(row))
    much_later = timezone.now() + timedelta(days=100)
    forget_on(much_later)
    named = Rater.objects.get().pseudonym
    assert named != early.pseudonym
    with time_machine.travel(much_later + timedelta(days=1)):
        finish(begin(row, "c"))
        assert known() == [False, True]
        move_to(row, StudyState.CLOSED)
    forget_on(much_later + timedelta(days=32))
    assert known() == [False, False]
    assert Rater.objects.filter(pseudonym=named).exists(), "a rater who is already forgotten keeps the name in exports"
    assert result_of(row.comparisons.get()).preference.raters == 2


def test_answers_read_into_a_draft_are_forgotten_too(study: Make, settings: Any) -> None:
    settings.VECBOARD_STUDY_IDLE_DAYS = 60
    row = study(state=StudyState.DRAFT, retention_days=30)
    Rater.objects.create(study=row, state="done", imported=True, participant_hash="p" * 64)
    forget_on(timezone.now() + timedelta(days=91))
    assert Rater.objects.get().participant_hash == ""


def test_the_form_says_when_raters_are_forgotten_where_nobody_closes(study: Make, settings: Any) -> None:
    settings.VECBOARD_STUDY_IDLE_DAYS = 77
    assert "from 77 days after the last answer" in Client().get("/people/new").content.decode()
    settings.VECBOARD_STUDY_IDLE_DAYS = 0
    assert "after the last answer" not in Client().get("/people/new").content.decode()


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("state", StudyState)
def test_an_owner_deletes_a_study_with_all_of_its_answers(
    study: Make, owner: Browser, kind: Kind, state: StudyState
) -> None:
    row, other = study(kind), study()
    answered = begin(row)
    finish(answered) if row.asks_triads else write_all(answered, [f"w{n}" for n in range(10)])
    finish(begin(other))
    Study.objects.filter(pk=row.pk).update(state=state)
    client = owner(row)
    page = client.get(f"/people/{row.pk}/delete").content.decode()
    assert "its 1 session with all answers" in page
    assert Study.objects.count() == 2
    answer = client.post(f"/people/{row.pk}/delete", follow=True)
    assert f"{row.title} was deleted" in answer.content.decode()
    assert list(Study.objects.all()) == [other]
    assert set(Rater.objects.values_list("study", flat=True)) == {other.pk}
    assert FreeAssociation.objects.count() == 0
    assert Choice.objects.count() == len(other.raters.get().plan)
    assert Source.objects.exclude(study=other).count() == Comparison.objects.exclude(study=other).count() == 0
    assert Client().get(f"/rate/{row.link}").status_code == 404


def test_a_study_that_judges_deleted_lists_keeps_its_words(study: Make, owner: Browser) -> None:
    writing, judging = study(Kind.FREE_ASSOCIATIONS), study(state=StudyState.DRAFT)
    rater = begin(writing)
    write_all(rater, [f"human {n}" for n in range(10)])
    client = owner(judging)
    client.cookies[f"study-{writing.pk}"] = TOKEN
    client.post(f"/people/{judging.pk}/sources", {"kind": "human", "human": writing.pk, "name": "collected"})
    comparison = Comparison.objects.get(candidate__name="collected")
    before = comparison.lists
    assert comparison.lists_by_cue["cue0"].candidate[0] == "human 0"
    move_to(judging, StudyState.OPEN)
    assert "1 other study compares with" in client.get(f"/people/{writing.pk}/delete").content.decode()
    client.post(f"/people/{writing.pk}/delete")
    source = judging.sources.get(name="collected")
    assert (source.kind, source.human, source.words["cue0"][0]) == (SourceKind.LIST, None, "human 0")
    assert Comparison.objects.get(candidate__name="collected").lists == before
    finish(begin(judging))
    assert client.get(f"/people/{judging.pk}/results").status_code == 200


def test_a_rater_who_begins_while_the_study_is_deleted_sees_that_it_is_closed(study: Make) -> None:
    row = study()
    Study.objects.filter(pk=row.pk).delete()
    with pytest.raises(sessions.Barred, match="closed"):
        sessions.begin(row)


def test_an_operator_deletes_a_study_by_its_id(study: Make) -> None:
    row = study()
    finish(begin(row))
    call_command("erase", row.pk)
    assert not Study.objects.exists()


@pytest.mark.parametrize(("choice", "left"), [("keep", 1), ("delete", 0)])
def test_an_account_is_deleted_with_or_without_its_studies(study: Make, choice: str, left: int) -> None:
    user = person("ada")
    row = study(owner=user)
    finish(begin(row))
    client = confirmed(browser_of(user))
    assert "your 1 study with people" in client.get("/account/delete").content.decode()
    client.post("/account/delete", {"studies": choice})
    assert (Study.objects.count(), Rater.objects.count()) == (left, left)
    assert not Study.objects.exclude(owner=None).exists()
