from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
import time_machine
from django.test import Client

from extensions.people import lists, sessions
from extensions.people.models import (
    Choice,
    Comparison,
    Rater,
    RaterState,
    Source,
    SourceKind,
    StudyState,
    move_to,
)
from extensions.people.tests.conftest import OURS, Begin, Make, finish, right_side, send


def test_nothing_is_stored_before_the_consent(study: Make) -> None:
    row = study()
    page = Client().get(f"/rate/{row.link}")
    assert page.status_code == 200
    assert Rater.objects.count() == 0
    assert set(page.cookies) == {"csrftoken"}  # the form's own CSRF protection


def test_a_stored_seed_makes_the_same_session_again(study: Make, answering: Begin) -> None:
    from extensions.people.measure.triads import session

    row = study()
    _, rater = answering(row)
    assert rater.comparison is not None
    again = session(rater.comparison.lists_by_cue, row.practice_items, row.screener_items, rater.seed)
    assert [asdict(item) for item in again] == rater.plan


def test_a_wrong_practice_answer_is_explained_and_asked_again(study: Make, answering: Begin) -> None:
    row = study()
    client, rater = answering(row)
    wrong = {"left": "right", "right": "left"}[right_side(rater, 0)]
    page = send(client, row, 0, wrong)
    assert "Try again" in page.content.decode()
    assert Choice.objects.count() == 0
    send(client, row, 0, right_side(rater, 0))
    assert Choice.objects.count() == 1


def test_a_whole_session_counts(study: Make, answering: Begin) -> None:
    row = study(completion_code="WORDS-7")
    client, rater = answering(row)
    for place in range(13):
        send(client, row, place, right_side(rater, place))
    rater.refresh_from_db()
    assert (rater.state, rater.choices.count()) == (RaterState.DONE, 13)
    assert "WORDS-7" in client.get(f"/rate/{row.link}/now").content.decode()


def test_a_wrong_screener_ends_the_session_and_keeps_its_answers(study: Make, answering: Begin) -> None:
    row = study(completion_code="WORDS-7")
    client, rater = answering(row)
    place = next(nth for nth, item in enumerate(rater.items) if item.kind == "screener")
    for before in range(place):
        send(client, row, before, right_side(rater, before))
    send(client, row, place, {"left": "right", "right": "left"}[right_side(rater, place)])
    rater.refresh_from_db()
    assert (rater.state, rater.choices.count()) == (RaterState.SCREENED_OUT, place + 1)
    page = client.get(f"/rate/{row.link}/now").content.decode()
    assert "The session has ended" in page
    assert "WORDS-7" not in page


def test_no_answer_is_taken_after_the_end(study: Make, answering: Begin) -> None:
    row = study()
    client, rater = answering(row)
    finish(rater)
    send(client, row, 13, "left")
    assert rater.choices.count() == 13


def test_a_double_click_counts_once_and_the_first_answer_stays(study: Make, answering: Begin) -> None:
    row = study()
    client, rater = answering(row)
    send(client, row, 0, right_side(rater, 0))
    for side in ("left", "right", "left"):
        send(client, row, 1, side) if rater.items[1].kind == "cue" else send(client, row, 1, right_side(rater, 1))
    assert [choice.place for choice in rater.choices.all()] == [0, 1]
    assert rater.choices.get(place=1).side == ("left" if rater.items[1].kind == "cue" else right_side(rater, 1))


@pytest.mark.parametrize(
    "data", [{"place": "7"}, {"place": "x"}, {"place": "-1"}, {"side": "middle"}, {"place": "9" * 30}]
)
def test_an_answer_that_fits_nothing_changes_nothing(study: Make, answering: Begin, data: dict[str, str]) -> None:
    row = study()
    client, _ = answering(row)
    answer: dict[str, Any] = {"page": "triad", "place": "0", "side": "left"} | data
    assert client.post(f"/rate/{row.link}/answer", answer).status_code == 302
    assert Choice.objects.count() == 0


def test_a_lost_connection_resumes_where_it_stopped(study: Make, answering: Begin) -> None:
    row = study()
    client, rater = answering(row)
    for place in range(4):
        send(client, row, place, right_side(rater, place))
    page = client.get(f"/rate/{row.link}", follow=True)
    assert page.redirect_chain[-1][0] == f"/rate/{row.link}/now"
    assert 'name="place" value="4"' in page.content.decode()


def test_comparisons_get_equally_many_raters(study: Make) -> None:
    row = study(state=StudyState.DRAFT)
    Source.objects.create(
        study=row, kind=SourceKind.LIST, name="third", position=5, words=dict.fromkeys(row.cues, OURS)
    )

    lists.refresh(row)
    move_to(row, StudyState.OPEN)
    for _ in range(10):
        sessions.begin(row)
    assert [c.begun for c in Comparison.objects.with_counts()] == [5, 5]


def test_nobody_begins_when_all_raters_are_there(study: Make) -> None:
    row = study(raters_wanted=2)
    for _ in range(2):
        finish(sessions.begin(row))
    page = Client().post(f"/rate/{row.link}")
    assert page.status_code == 410
    assert "enough raters" in page.content.decode()


@pytest.mark.parametrize(("state", "status"), [(StudyState.DRAFT, 403), (StudyState.CLOSED, 410)])
def test_only_an_open_study_begins(study: Make, state: StudyState, status: int) -> None:
    row = study(state=state)
    assert Client().post(f"/rate/{row.link}").status_code == status
    assert Rater.objects.count() == 0


@pytest.mark.parametrize("link", ["AAAAAAAAAAAAAAAAAAAAAA", "%01", "a.b"])
def test_an_unknown_link_is_not_found(study: Make, link: str) -> None:
    study()
    assert Client().get(f"/rate/{link}").status_code == 404


def test_a_break_does_not_count_as_thinking_time(study: Make, answering: Begin) -> None:
    row = study()
    with time_machine.travel("2026-03-01T10:00:00Z", tick=False) as clock:
        client, rater = answering(row)
        clock.shift(3600)
        send(client, row, 0, right_side(rater, 0), milliseconds=1500)
        clock.shift(2)
        send(client, row, 1, right_side(rater, 1), milliseconds=999_999)
    assert [choice.milliseconds for choice in rater.choices.all()] == [1500, 2000]


def test_questions_are_asked_last_and_may_stay_open(study: Make, answering: Begin) -> None:
    questions = [{"question": "Age", "options": ["under 40", "40 or over"]}, {"question": "Sex", "options": ["f", "m"]}]
    row = study(questions=questions)
    client, rater = answering(row)
    finish(rater)
    assert rater.state == RaterState.RUNNING
    client.post(f"/rate/{row.link}/answer", {"page": "questions", "question1": "under 40", "question2": "made up"})
    rater.refresh_from_db()
    assert (rater.state, rater.replies) == (RaterState.DONE, {"Age": "under 40"})


@pytest.mark.parametrize(("language", "text"), [("de", "Ich bin einverstanden"), ("es", "Acepto"), ("fi", "I agree")])
def test_raters_read_their_language_where_it_is_written(study: Make, language: str, text: str) -> None:
    page = Client().get(f"/rate/{study(language=language).link}").content.decode()
    assert text in page
    assert f'<html lang="{language if language != "fi" else "en"}">' in page
