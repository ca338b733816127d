"""E-mail to owners: once, when a submission ends without their action, and only to those who want it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail

from benchmark.accounts.models import Account
from benchmark.submissions.models import Submission, move
from benchmark.submissions.states import Actor, State
from tests.benchmark.conftest import Make
from tests.benchmark.people_accounts import browser_of, person

pytestmark = pytest.mark.django_db
ERROR = {"code": "jobs-failed", "message": "Two of the jobs failed."}


@pytest.fixture
def end(submission: Make, django_capture_on_commit_callbacks: Any) -> Callable[..., Submission]:
    """Let a worker end a running submission, with what follows the commit."""

    def to(state: State, **columns: Any) -> Submission:
        row = submission(State.RUNNING, **columns)
        with django_capture_on_commit_callbacks(execute=True):
            move(row, state, Actor.WORKER, error=ERROR if state == State.FAILED else None)
        return row

    return to


def test_the_owner_gets_a_mail_with_the_address_of_the_finished_report(end: Any, settings: Any) -> None:
    settings.SITE_URL = "https://vecboard.example"
    row = end(State.DONE, owner=person("ada"), name="GloVe")
    assert mail.outbox[0].subject == "[Vecboard] Report ready: GloVe"
    assert f"https://vecboard.example/r/{row.pk}" in mail.outbox[0].body
    assert mail.outbox[0].to == ["ada@vectors.example"]


def test_a_failure_is_reported_with_its_reason(end: Any) -> None:
    end(State.FAILED, owner=person("ada"))
    assert "Two of the jobs failed." in mail.outbox[0].body


def test_without_an_account_or_a_confirmed_address_nobody_gets_a_mail(end: Any) -> None:
    ada = person("ada")
    ada.emailaddress_set.update(verified=False)
    end(State.DONE, owner=ada)
    end(State.DONE)
    assert mail.outbox == []


def test_an_owner_who_wants_no_mail_gets_none(end: Any) -> None:
    ada = person("ada")
    browser_of(ada).post("/account/mail", {})
    assert Account.objects.get(user=ada).mail_when_finished is False
    end(State.DONE, owner=ada)
    assert mail.outbox == []


def test_automatic_re_evaluation_sends_no_mail(end: Any) -> None:
    end(State.DONE, owner=person("ada"), background=True)
    assert mail.outbox == []
