"""The fast path of the API gives the answers of the normal path, with the same access, at most a second late."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.asserts import assertNumQueries

from benchmark.api import quick, submissions
from benchmark.operations.models import Job
from benchmark.submissions import steering
from benchmark.submissions.models import Report, Submission, TaskRun, move
from benchmark.submissions.states import FINAL, OPEN, Actor, State
from tests.benchmark.reports import TOKEN, report_of

Make = Callable[..., Submission]
OWN_OF_A_REQUEST = {"X-Request-ID"}


def place(row: Submission, report: bool = False) -> str:
    return f"/api/v1/submissions/{row.pk}{'/report' if report else ''}"


def contents(response: Any) -> Any:
    headers = {name: value for name, value in response.headers.items() if name not in OWN_OF_A_REQUEST}
    return response.status_code, headers, response.content


@pytest.fixture
def long_way(settings: Any) -> Callable[..., Any]:
    """The answer of the same site without the short way."""

    def ask(path: str, headers: dict[str, str] | None = None) -> Any:
        settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if "quick" not in name]
        return Client().get(path, headers=headers)

    return ask


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr("benchmark.api.quick.time.monotonic", lambda: now[0])
    return now


def running(submission: Make) -> tuple[Submission, Job]:
    row = submission(State.RUNNING)
    columns = {"task": "pos", "mode": "fixed", "task_hash": "x", "vectors_sha256": "y", "position": 0}
    cell = TaskRun.objects.create(submission=row, state="running", **columns)
    job = {"kind": "run_cell", "subject": cell.pk, "submission": row, "level": 1, "heartbeat_at": timezone.now()}
    return row, Job.objects.create(**job, share=0.25)


@pytest.mark.parametrize("state", OPEN)
def test_a_poll_is_answered_by_one_query_with_what_the_long_way_says(
    submission: Make, stranger: Client, state: State, clock: list[float], long_way: Callable[..., Any]
) -> None:
    row = submission(state)
    first = contents(stranger.get(place(row)))
    with assertNumQueries(1):
        again = contents(stranger.get(place(row)))
    assert again == first == contents(long_way(place(row)))


def test_progress_is_at_most_a_second_late(submission: Make, stranger: Client, clock: list[float]) -> None:
    row, job = running(submission)
    shares = []
    for now, share in ((1000.0, 0.25), (1000.9, 0.5), (1001.1, 0.75)):
        clock[0] = now
        Job.objects.filter(pk=job.pk).update(share=share)
        shares.append(stranger.get(place(row)).json()["progress"]["running"][0]["share"])
    assert shares == [0.25, 0.25, 0.75]


def test_while_one_request_updates_progress_others_get_the_last(
    submission: Make, stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    row, _ = running(submission)
    first = stranger.get(place(row)).content
    others = []

    def progress_of(entry: Submission) -> Any:
        monkeypatch.setattr(submissions, "progress_of", measured)
        others.append(Client().get(place(row)).content)
        return measured(entry)

    measured = submissions.progress_of
    monkeypatch.setattr(submissions, "progress_of", progress_of)
    monkeypatch.setattr(quick, "FRESH_SECONDS", -1)
    stranger.get(place(row))
    assert others == [first]


def test_a_change_of_state_is_reported_at_once(submission: Make, stranger: Client, clock: list[float]) -> None:
    row, _ = running(submission)
    stranger.get(place(row))
    move(row, State.FAILED, Actor.WORKER, error={"code": "jobs-failed", "message": "One failed."})
    answer = stranger.get(place(row)).json()
    assert (answer["state"], answer["error"]["code"]) == ("failed", "jobs-failed")


@pytest.mark.parametrize("change", [{"visibility": "private"}, {"hidden_reason": "x"}])
def test_an_entry_that_is_taken_off_the_site_is_gone_at_once(
    submission: Make, stranger: Client, clock: list[float], change: dict[str, str]
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


def test_a_name_that_goes_under_review_is_gone_at_once(submission: Make, stranger: Client, clock: list[float]) -> None:
    row, _ = running(submission)
    assert b"small" in stranger.get(place(row)).content
    Submission.objects.filter(pk=row.pk).update(visibility="anonymous")
    assert stranger.get(place(row)).json()["name"] == f"Anonymous entry {row.pk[:4]}"


def test_a_request_with_a_secret_takes_the_long_way(submission: Make, stranger: Client, clock: list[float]) -> None:
    row = submission(State.RUNNING, visibility="private")
    owner = {"Authorization": f"Bearer {TOKEN}"}
    assert stranger.get(place(row), headers=owner).status_code == 200
    assert stranger.get(place(row)).status_code == 404


@pytest.mark.parametrize("condition", ['"{}"', '"other", "{}"', 'W/"{}"', "*"])
def test_an_unchanged_report_is_said_by_one_query(
    submission: Make, stranger: Client, condition: str, long_way: Callable[..., Any]
) -> None:
    row = submission()
    headers = {"If-None-Match": condition.format(row.report.etag)}
    with assertNumQueries(1):
        answer = stranger.get(place(row, report=True), headers=headers)
    assert answer.status_code == 304
    assert contents(answer) == contents(long_way(place(row, report=True), headers))


@pytest.mark.parametrize("visibility", ["public", "anonymous"])
@pytest.mark.parametrize("condition", ['"other"', "x", '"{}"'])
def test_other_conditions_get_what_the_long_way_says(
    submission: Make, stranger: Client, visibility: str, condition: str, long_way: Callable[..., Any]
) -> None:
    row = submission(visibility=visibility)
    headers = {"If-None-Match": condition.format(row.report.etag)}
    answer = contents(stranger.get(place(row, report=True), headers=headers))
    assert answer == contents(long_way(place(row, report=True), headers))


def test_a_new_version_of_a_report_is_reported_at_once(submission: Make, stranger: Client) -> None:
    row = submission()
    headers = {"If-None-Match": stranger.get(place(row, report=True))["ETag"]}
    Report.objects.create(submission=row, body=report_of(0.3).to_json())
    assert stranger.get(place(row, report=True), headers=headers).status_code == 200


def test_an_earlier_version_has_an_etag_of_its_own(submission: Make, stranger: Client) -> None:
    row = submission()
    headers = {"If-None-Match": f'"{row.report.etag}"'}
    assert stranger.get(f"{place(row, report=True)}?version=1", headers=headers).status_code == 304
    assert stranger.get(f"{place(row, report=True)}?version=2", headers=headers).status_code == 404


@pytest.mark.parametrize("state", FINAL)
def test_what_is_final_is_read_again_each_time(submission: Make, stranger: Client, state: State) -> None:
    row = submission(state)
    stranger.get(place(row))
    Submission.objects.filter(pk=row.pk).update(name="renamed")
    assert stranger.get(place(row)).json()["name"] == "renamed"


def test_another_sites_name_gets_no_answer(submission: Make, stranger: Client) -> None:
    row = submission()
    headers = {"If-None-Match": "*", "Host": "other.example"}
    assert stranger.get(place(row, report=True), headers=headers).status_code == 400
    assert stranger.get(place(submission(State.RUNNING)), headers=headers).status_code == 400


def test_every_quick_answer_has_an_id_for_the_log(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    for _ in range(2):
        answer = stranger.get(place(row), headers={"X-Request-ID": "given-by-the-proxy"})
        assert answer["X-Request-ID"] == "given-by-the-proxy"
