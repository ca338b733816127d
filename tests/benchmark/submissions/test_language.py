"""A wrong language: the page names the likely one, and its owner corrects it with one click."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from django.test import Client

from benchmark import storage
from benchmark.leaderboard.models import Entry
from benchmark.operations.models import Job
from benchmark.submissions import steering
from benchmark.submissions.models import Submission, SubmissionCell
from benchmark.submissions.states import IllegalMove, State
from tasks.guess_language import OTHER_LANGUAGE, language_warnings
from tests.benchmark.conftest import Browser, Make
from tests.benchmark.reports import TOKEN

LOOKS_GERMAN = {
    "likely_language": "de",
    "warnings": [
        {"code": "zero-vectors", "message": "One.", "count": 1},
        *(asdict(one) for one in language_warnings("de", "en")),
    ],
}


def correct(visitor: Client, row: Submission, language: str = "de") -> Any:
    return visitor.post(f"/s/{row.pk}/language", {"language": language})


def codes(row: Submission) -> list[str]:
    return [warning["code"] for warning in Submission.objects.get(pk=row.pk).warnings]


def test_the_owner_sees_the_likely_language_and_a_button(submission: Make, owner: Browser, stranger: Client) -> None:
    row = submission(**LOOKS_GERMAN)
    for address in (f"/s/{row.pk}", f"/s/{row.pk}/progress"):
        page = owner(row).get(address).content.decode()
        assert '<button form="likely" name="language" value="de">Evaluate it as German</button>' in page
        assert "<button" not in stranger.get(f"/s/{row.pk}/progress").content.decode()
    assert f'id="likely" action="/s/{row.pk}/language"' in owner(row).get(f"/s/{row.pk}").content.decode()


@pytest.mark.parametrize(
    "languages", [{}, {"likely_language": "de", "language": "de"}, {"likely_language": "hr", "language": "bs"}]
)
def test_the_stated_language_has_no_button_if_it_is_likely(
    submission: Make, owner: Browser, languages: dict[str, str]
) -> None:
    row = submission(**languages)
    assert 'form="likely"' not in owner(row).get(f"/s/{row.pk}").content.decode()


def test_one_click_measures_it_again_as_german(submission: Make, owner: Browser) -> None:
    row = submission(**LOOKS_GERMAN)
    SubmissionCell.objects.create(submission=row, task="odd-one-out", state="done", position=0)
    assert Entry.objects.filter(submission=row).exists()
    correct(owner(row), row)
    row.refresh_from_db()
    assert (row.language, row.state, row.report) == ("de", State.QUEUED, None)
    assert codes(row) == ["zero-vectors"]
    assert not row.cells.exists()
    assert not Entry.objects.filter(submission=row).exists()
    assert row.reports.count() == 1
    assert [(job.kind, job.subject) for job in Job.objects.order_by("pk")] == [("start_cells", row.pk)]


def test_a_running_evaluation_begins_again(submission: Make) -> None:
    row = submission(State.RUNNING)
    run = SubmissionCell.objects.create(submission=row, task="odd-one-out", state="running", position=0)
    old = Job.objects.create(kind="run_cell", subject=str(run.pk), submission_id=row.pk, level=0, tries=1)
    steering.correct_language(row, "de")
    assert not Job.objects.filter(pk=old.pk).exists()
    assert Job.objects.filter(kind="start_cells", subject=row.pk).exists()
    assert Submission.objects.get(pk=row.pk).state == State.RUNNING


def test_a_file_that_waits_for_its_check_only_changes_its_language(submission: Make) -> None:
    row = submission(State.UPLOADED)
    steering.correct_language(row, "de")
    assert Submission.objects.get(pk=row.pk).language == "de"
    assert not Job.objects.exists()


@pytest.mark.parametrize("state", [State.CHECKING, State.REJECTED, State.CANCELLED, State.RECEIVING])
def test_in_other_states_it_stays(submission: Make, owner: Browser, state: State) -> None:
    row = submission(state)
    assert correct(owner(row), row).status_code == 302
    with pytest.raises(IllegalMove):
        steering.correct_language(row, "de")
    assert Submission.objects.get(pk=row.pk).language == "en"


def test_an_entry_without_its_file_cannot_be_measured_again(submission: Make, owner: Browser) -> None:
    row = submission(file_key="")
    correct(owner(row), row)
    assert Submission.objects.get(pk=row.pk).language == "en"


def test_a_third_language_is_warned_of(submission: Make) -> None:
    row = submission(**LOOKS_GERMAN)
    steering.correct_language(row, "nl")
    assert codes(row) == ["zero-vectors", OTHER_LANGUAGE]
    assert "given as Dutch" in Submission.objects.get(pk=row.pk).warnings[1]["message"]


def test_an_unknown_language_is_reported(submission: Make, owner: Browser) -> None:
    row, visitor = submission(), Client()
    visitor = owner(row)
    correct(visitor, row, "Klingon")
    assert "Unknown language klingon" in visitor.get(f"/s/{row.pk}").content.decode()
    assert Submission.objects.get(pk=row.pk).state == State.DONE


@pytest.mark.usefixtures("stopped_clock")
def test_a_person_corrects_as_often_a_day_as_files_may_be_sent(submission: Make, owner: Browser, settings: Any) -> None:
    settings.VECBOARD_UPLOADS_PER_DAY = 3
    rows = [submission() for _ in range(4)]
    answers = [correct(owner(row), row).status_code for row in (rows[0], *rows)]
    assert answers == [302] * 4 + [429]  # the second time, the first was German already
    assert Submission.objects.get(pk=rows[-1].pk).language == "en"


def test_corrections_count_against_the_limit_of_open_submissions(
    submission: Make, owner: Browser, settings: Any
) -> None:
    settings.VECBOARD_OPEN_UPLOADS = 1
    row, other = submission(), submission()
    assert correct(owner(row), row).status_code == 302
    assert correct(owner(row), row, "it").status_code == 302  # it is the one in progress
    assert correct(owner(other), other).status_code == 429


def test_outcomes_are_deleted_with_their_rows_unless_shared(
    submission: Make, django_capture_on_commit_callbacks: Any
) -> None:
    row, other = submission(), submission()
    shared, own = "outcomes/ab/shared.npz", "outcomes/ab/own.npz"
    for position, key in enumerate((shared, own)):
        storage.path_of(key).write_bytes(b"outcomes")
        cell = {"task": f"task-{position}", "state": "done", "position": position, "outcomes_key": key}
        SubmissionCell.objects.create(submission=row, **cell)
    SubmissionCell.objects.create(submission=other, task="task-0", state="done", position=0, outcomes_key=shared)
    with django_capture_on_commit_callbacks(execute=True):
        steering.correct_language(row, "de")
    assert [file.key for file in storage.keys("outcomes")] == [shared]


def test_the_api_takes_a_name_or_a_code_and_says_why_not(submission: Make, stranger: Client) -> None:
    row, checking = submission(), submission(State.CHECKING)

    def post(to: Submission, language: str) -> Any:
        sent = {"Authorization": f"Bearer {TOKEN}"}
        address = f"/api/v1/submissions/{to.pk}/language"
        return stranger.post(address, {"language": language}, content_type="application/json", headers=sent)

    answer = post(row, "German")
    assert (answer.status_code, answer.json()["state"]) == (200, "queued")
    assert answer.json()["facts"]["language"] == "de"
    assert post(row, "Klingon").json()["error"]["field"] == "language"
    assert post(checking, "de").status_code == 409


def test_the_earlier_report_stays_and_shows_that_a_re_evaluation_runs(submission: Make, stranger: Client) -> None:
    row = submission()
    steering.correct_language(row, "de")
    page = stranger.get(f"/r/{row.pk}/v1").content.decode()
    assert "the entry is being evaluated again" in page
    assert stranger.get("/").status_code == 200
    assert row.pk not in stranger.get("/").content.decode()


def test_a_form_in_the_place_of_json_is_refused_with_a_sentence(submission: Make, stranger: Client) -> None:
    row = submission()
    owner = {"Authorization": f"Bearer {TOKEN}"}
    for address, headers in ((f"/api/v1/submissions/{row.pk}/language", owner), ("/api/v1/uploads", {})):
        answer = stranger.post(address, {"language": "de"}, headers=headers)
        assert answer.status_code == 400
        assert "Send the body as JSON" in answer.json()["error"]["message"]
