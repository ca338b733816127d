"""Polls: progress is computed at most once a second, and everything else in an answer is current."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import time_machine
from django.test import Client
from django.utils import timezone
from pytest_django.asserts import assertNumQueries

from benchmark.operations.models import Job
from benchmark.submissions import progress, steering
from benchmark.submissions.models import StoredReport, Submission, SubmissionCell, move
from benchmark.submissions.progress import Progress
from benchmark.submissions.states import Actor, State
from tests.benchmark.conftest import Make
from tests.benchmark.reports import report_of


def place(row: Submission, report: bool = False) -> str:
    return f"/api/v1/submissions/{row.pk}{'/report' if report else ''}"


def running(submission: Make) -> tuple[Submission, Job]:
    row = submission(State.RUNNING)
    columns = {"task": "pos", "mode": "fixed", "task_hash": "x", "vectors_sha256": "y", "position": 0}
    cell = SubmissionCell.objects.create(submission=row, state="running", **columns)
    job = {"kind": "run_cell", "subject": cell.pk, "submission": row, "level": 1, "heartbeat_at": timezone.now()}
    return row, Job.objects.create(**job, share=0.25)


def test_progress_is_at_most_a_second_late(
    submission: Make, stranger: Client, stopped_clock: time_machine.Traveller
) -> None:
    row, job = running(submission)
    shares = []
    for seconds, share in ((0.0, 0.25), (0.9, 0.5), (0.2, 0.75)):
        stopped_clock.shift(seconds)
        Job.objects.filter(pk=job.pk).update(share=share)
        shares.append(stranger.get(place(row)).json()["progress"]["running"][0]["share"])
    assert shares == [0.25, 0.25, 0.75]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("stopped_clock")
def test_progress_is_computed_once_for_all_who_ask_at_the_same_time(
    submission: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    row, _ = running(submission)
    computed = []

    def progress_of(entry: Submission) -> Progress:
        computed.append(entry.pk)
        time.sleep(0.2)
        return measured(entry)

    measured = progress.progress_of
    monkeypatch.setattr(progress, "progress_of", progress_of)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: progress.recent_progress(row), range(4)))
    assert (computed, answers[1:]) == ([row.pk], answers[:1] * 3)


@pytest.mark.usefixtures("stopped_clock")
def test_a_change_of_state_is_reported_at_once(submission: Make, stranger: Client) -> None:
    row, _ = running(submission)
    stranger.get(place(row))
    move(row, State.FAILED, Actor.WORKER, error={"code": "jobs-failed", "message": "One failed."})
    answer = stranger.get(place(row)).json()
    assert (answer["state"], answer["error"]["code"]) == ("failed", "jobs-failed")


@pytest.mark.parametrize("change", [{"visibility": "private"}, {"hidden_reason": "x"}])
@pytest.mark.usefixtures("stopped_clock")
def test_an_entry_that_is_taken_off_the_site_is_gone_at_once(
    submission: Make, stranger: Client, change: dict[str, str]
) -> None:
    open_row, done = running(submission)[0], submission(State.DONE)
    etag = stranger.get(place(done, report=True))["ETag"]
    stranger.get(place(open_row))
    for row in (open_row, done):
        if "visibility" in change:
            Submission.objects.filter(pk=row.pk).update(**change)
        else:
            steering.hide(row, "spam")
    assert stranger.get(place(open_row)).status_code == 404
    assert stranger.get(place(done, report=True), headers={"If-None-Match": etag}).status_code == 404


@pytest.mark.usefixtures("stopped_clock")
def test_a_name_that_goes_under_review_is_gone_at_once(submission: Make, stranger: Client) -> None:
    row, _ = running(submission)
    assert b"small" in stranger.get(place(row)).content
    Submission.objects.filter(pk=row.pk).update(visibility="anonymous")
    assert stranger.get(place(row)).json()["name"] == f"Anonymous entry {row.pk[:4]}"


@pytest.mark.parametrize("condition", ['"{}"', '"other", "{}"', 'W/"{}"', "*"])
def test_an_unchanged_report_is_neither_read_nor_sent_again(submission: Make, stranger: Client, condition: str) -> None:
    row = submission()
    with assertNumQueries(1):
        answer = stranger.get(place(row, report=True), headers={"If-None-Match": condition.format(row.report.etag)})
    assert (answer.status_code, answer.content) == (304, b"")


@pytest.mark.parametrize("condition", ['"other"', "x"])
def test_other_conditions_get_the_report(submission: Make, stranger: Client, condition: str) -> None:
    answer = stranger.get(place(submission(), report=True), headers={"If-None-Match": condition})
    assert answer.status_code == 200


def test_a_new_version_of_a_report_is_reported_at_once(submission: Make, stranger: Client) -> None:
    row = submission()
    headers = {"If-None-Match": stranger.get(place(row, report=True))["ETag"]}
    StoredReport.objects.create(submission=row, body=report_of(0.3).to_json())
    assert stranger.get(place(row, report=True), headers=headers).status_code == 200


def test_an_earlier_version_has_an_etag_of_its_own(submission: Make, stranger: Client) -> None:
    row = submission()
    headers = {"If-None-Match": f'"{row.report.etag}"'}
    assert stranger.get(f"{place(row, report=True)}?version=1", headers=headers).status_code == 304
    assert stranger.get(f"{place(row, report=True)}?version=2", headers=headers).status_code == 404
