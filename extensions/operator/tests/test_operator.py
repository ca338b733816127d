"""The operator's pages: every change of a submission's state goes through the state machine."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from tests.benchmark.conftest import Make
from tests.benchmark.people_accounts import browser_of, person

pytestmark = pytest.mark.django_db
ENTRIES = "/operator/submissions/submission/"


@pytest.fixture
def operator() -> Client:
    return browser_of(person("op", is_staff=True, is_superuser=True))


def act(client: Client, action: str, *rows: Submission, **more: Any) -> str:
    form = {"action": action, "_selected_action": [row.pk for row in rows]} | more
    page = client.post(ENTRIES, form, follow=True).content.decode()
    for row in rows:
        row.refresh_from_db()
    return page


def test_only_staff_gets_in(stranger: Client) -> None:
    assert stranger.get("/operator/").url.startswith("/operator/login/")
    client = browser_of(person("ada"))
    assert client.get(ENTRIES).status_code == 302
    assert client.get("/operator/login/").status_code == 403


@pytest.mark.parametrize(
    ("action", "before", "after"),
    [
        ("requeue", State.FAILED, State.QUEUED),
        ("cancel", State.RUNNING, State.CANCELLED),
        ("measure_again", State.DONE, State.QUEUED),
    ],
)
def test_an_action_is_a_move_of_the_state_machine(
    submission: Make, operator: Client, action: str, before: State, after: State
) -> None:
    row, other = submission(before), submission(State.REJECTED)
    page = act(operator, action, row, other)
    assert (row.state, other.state) == (after, State.REJECTED)
    assert "A submission that is rejected cannot be changed to" in page


def test_a_state_cannot_be_typed_in(submission: Make, operator: Client) -> None:
    row = submission(State.REJECTED)
    operator.post(f"{ENTRIES}{row.pk}/change/", {"state": "done", "name": "x"})
    row.refresh_from_db()
    assert (row.state, row.name) == (State.REJECTED, "small")


def test_hiding_takes_off_the_site_and_showing_brings_back(
    submission: Make, operator: Client, stranger: Client
) -> None:
    row = submission(State.DONE)
    act(operator, "hide", row, reason="spam")
    assert (row.hidden_reason, stranger.get(f"/r/{row.pk}").status_code) == ("spam", 404)
    act(operator, "show_again", row)
    assert stranger.get(f"/r/{row.pk}").status_code == 200


def test_the_first_page_shows_queue_workers_and_space(submission: Make, operator: Client) -> None:
    submission(State.RUNNING)
    page = operator.get("/operator/").content.decode()
    for word in ("Submissions by state", "running", "none seen yet", "uploads", "free"):
        assert word in page


def test_an_entrys_page_reveals_no_secret(submission: Make, operator: Client) -> None:
    row = submission(State.DONE)
    page = operator.get(f"{ENTRIES}{row.pk}/change/").content.decode()
    assert row.name in page
    assert row.owner_token_hash not in page


def test_a_person_who_is_locked_out_is_out_at_once(operator: Client) -> None:
    ada = person("ada")
    client = browser_of(ada)
    assert client.get("/mine").status_code == 200
    ada.is_active = False
    ada.save()
    assert client.get("/mine").status_code == 302
