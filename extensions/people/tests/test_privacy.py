from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from ipaddress import ip_network
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.db import connection
from django.test import Client, RequestFactory

from extensions.people import sessions
from extensions.people.access import network_hash
from extensions.people.models import Choice, Kind, Rater, StudyState, move_to
from extensions.people.results import result_of
from extensions.people.retention import forget_due
from extensions.people.tests.conftest import Begin, Browser, Make, finish, right_side, send

ADDRESS = "203.0.113.77"


def everything_stored() -> str:
    with connection.cursor() as cursor:
        tables = [
            name
            for name in connection.introspection.table_names(cursor)
            if name.startswith(("people_", "django_session"))
        ]
        rows = []
        for table in tables:
            cursor.execute(f'SELECT * FROM "{table}"')
            rows += cursor.fetchall()
    return str(rows)


def test_neither_address_nor_browser_nor_participant_is_stored(study: Make) -> None:
    row = study(asks_participant=True)
    client = Client(REMOTE_ADDR=ADDRESS, HTTP_USER_AGENT="Strange/9.9")
    client.post(f"/rate/{row.link}", {"participant": "5f3e77"})
    client.post(f"/rate/{row.link}/answer", {"page": "instructions"})
    rater = Rater.objects.get()
    send(client, row, 0, right_side(rater, 0))
    stored = everything_stored()
    assert rater.pseudonym in stored
    for secret in (ADDRESS, "Strange", "5f3e77", client.cookies["rater"].value):
        assert secret not in stored


def test_ids_are_random_and_the_name_in_exports_is_not_the_id(study: Make) -> None:
    row = study()
    raters = [sessions.begin(row) for _ in range(20)]
    assert len({rater.pk for rater in raters}) == len({rater.pseudonym for rater in raters}) == 20
    assert not {rater.pk for rater in raters} & {rater.pseudonym for rater in raters}


def test_cookies_are_for_this_site_and_not_for_scripts(study: Make) -> None:
    row = study()
    response = Client().post(f"/rate/{row.link}")
    for name in ("rater", f"session-{row.pk}"):
        assert (response.cookies[name]["httponly"], response.cookies[name]["samesite"]) == (True, "Lax")


def test_a_rater_erases_all_by_the_id(study: Make, answering: Begin) -> None:
    row = study()
    client, rater = answering(row)
    send(client, row, 0, right_side(rater, 0))
    page = Client().post(f"/rate/{row.link}/erase", {"rater": f" {rater.pk.upper()} "})
    assert "Your answers have been erased" in page.content.decode()
    assert (Rater.objects.count(), Choice.objects.count()) == (0, 0)


def test_a_wrong_id_erases_nothing_and_the_name_in_exports_is_none(study: Make, answering: Begin) -> None:
    row = study()
    _, rater = answering(row)
    for wrong in ("abcdefghijkl", rater.pseudonym, ""):
        assert Client().post(f"/rate/{row.link}/erase", {"rater": wrong}).status_code == 404
    assert Rater.objects.count() == 1


def test_an_id_of_another_study_erases_nothing_here(study: Make, answering: Begin) -> None:
    one, other = study(), study()
    _, rater = answering(one)
    assert Client().post(f"/rate/{other.link}/erase", {"rater": rater.pk}).status_code == 404
    assert Rater.objects.count() == 1


@pytest.mark.parametrize("column", ["pk", "pseudonym"])
def test_an_owner_erases_by_either_name(study: Make, owner: Browser, answering: Begin, column: str) -> None:
    row = study()
    _, rater = answering(row)
    owner(row).post(f"/people/{row.pk}/erase", {"rater": getattr(rater, column)})
    assert Rater.objects.count() == 0


def test_raters_are_forgotten_when_the_time_is_over_and_scores_stay(study: Make) -> None:
    row = study(retention_days=30)
    finish(sessions.begin(row, browser_hash="b" * 64, participant_hash="p" * 64))
    sessions.begin(row)
    move_to(row, StudyState.CLOSED)
    before, known = result_of(row.comparisons.get()).preference, Rater.objects.counted().get()
    with time_machine.travel(row.closed_at + timedelta(days=31)):
        forget_due()
    after = Rater.objects.get()
    assert result_of(row.comparisons.get()).preference == before
    assert (after.browser_hash, after.participant_hash) == ("", "")
    assert {known.pk, known.pseudonym}.isdisjoint({after.pk, after.pseudonym})


def test_the_operator_sees_which_studies_are_due_and_forgets_their_raters_at_once(study: Make) -> None:
    row = study(retention_days=30)
    rater = finish(sessions.begin(row, browser_hash="b" * 64))
    move_to(row, StudyState.CLOSED)
    out = StringIO()
    with time_machine.travel(row.closed_at + timedelta(days=31)):
        call_command("storage", stdout=out)
        assert Rater.objects.get() == rater
        call_command("storage", apply=True, stdout=out)
    assert f"Raters to be forgotten in {row}: 1.\n" in out.getvalue()
    assert Rater.objects.get().browser_hash == ""


def test_nobody_is_forgotten_before(study: Make) -> None:
    row = study(Kind.FREE_ASSOCIATIONS, state=StudyState.CLOSED, retention_days=30)
    Rater.objects.create(study=row, participant_hash="p" * 64)
    with time_machine.travel(row.closed_at + timedelta(days=29)):
        forget_due()
    assert Rater.objects.get().participant_hash


def test_links_cannot_be_guessed(study: Make) -> None:
    links = {study().link for _ in range(5)}
    assert len(links) == 5
    assert all(len(link) >= 22 for link in links)  # 128 random bits


def test_too_many_sessions_from_one_address_are_refused_for_a_while(study: Make, leave: Callable[..., None]) -> None:
    leave(sessions.NEW_SESSIONS, network_hash(RequestFactory().get("/", REMOTE_ADDR=ADDRESS)), 3)
    row = study()
    statuses = [Client(REMOTE_ADDR=ADDRESS).post(f"/rate/{row.link}").status_code for _ in range(5)]
    assert statuses == [302, 302, 302, 429, 429]
    assert Client(REMOTE_ADDR="203.0.113.78").post(f"/rate/{row.link}").status_code == 302


def test_raters_behind_one_proxy_are_told_apart(study: Make, leave: Callable[..., None], settings: Any) -> None:
    leave(sessions.NEW_SESSIONS, network_hash(RequestFactory().get("/", REMOTE_ADDR="203.0.113.1")), 1)
    settings.VECBOARD_PROXIES, settings.VECBOARD_PROXY_ADDRESSES = 1, (ip_network("10.0.0.1"),)
    row = study()
    visitors = [Client(REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR=f"203.0.113.{n}") for n in (1, 1, 2)]
    statuses = [visitor.post(f"/rate/{row.link}").status_code for visitor in visitors]
    assert statuses == [302, 429, 302]


def test_a_program_that_answers_too_fast_is_stopped(study: Make, answering: Begin, leave: Callable[..., None]) -> None:
    row = study()
    client, rater = answering(row)
    leave(sessions.ANSWERS, rater.pk, 1)
    responses = [send(client, row, place, right_side(rater, place)) for place in range(3)]
    assert [response.status_code for response in responses] == [302, 429, 429]
    assert responses[-1]["Retry-After"] == "60"


def test_no_post_works_without_its_form(study: Make) -> None:
    row = study()
    client = Client(enforce_csrf_checks=True)
    for path in (f"/rate/{row.link}", f"/rate/{row.link}/answer", f"/rate/{row.link}/erase", "/people/new"):
        assert client.post(path).status_code == 403
