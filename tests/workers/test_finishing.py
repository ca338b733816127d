"""The report: made when the last cell is over, exactly once."""

from __future__ import annotations

import json

import pytest
from django.utils import timezone

from benchmark import storage
from benchmark.submissions import steering
from benchmark.submissions.models import Report, Submission
from benchmark.submissions.moves import move
from benchmark.submissions.states import Actor, State
from tests.workers.factories import ask_and_do, cell, do_job, end_all, planned
from workers.kinds import finishing

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


def measured_once() -> Submission:
    """One cell is measured, the others are ended by hand."""
    submission = planned()
    do_job("run_cell", cell(submission).pk)
    end_all(submission)
    submission.refresh_from_db()
    return submission


def test_nothing_happens_before_the_last_cell_is_over() -> None:
    submission = planned()
    do_job("run_cell", cell(submission).pk)
    ask_and_do("finish", submission.pk)
    submission.refresh_from_db()
    assert submission.state == State.RUNNING
    assert not Report.objects.exists()


def test_the_report_has_every_cell_as_a_result_or_with_a_reason() -> None:
    submission = measured_once()
    ask_and_do("finish", submission.pk)
    submission.refresh_from_db()
    assert submission.state == State.DONE
    report = json.loads(submission.report.body)
    assert [result["task"] for result in report["results"]] == ["sim-ws-353-all"]
    assert len(report["unavailable"]) == submission.runs.count() - 1
    assert report["aggregates"]["overall"] is None is submission.overall


def test_a_corrected_language_is_planned_before_anything_is_reported() -> None:
    submission = measured_once()
    steering.correct_language(submission, "de", Actor.OWNER)
    assert submission.pk not in list(finishing.unreported())
    ask_and_do("finish", submission.pk)
    assert not Report.objects.exists()
    do_job("start_cells", submission.pk)
    do_job("finish", submission.pk)
    assert len(json.loads(Report.objects.get().body)["unavailable"]) == submission.runs.count()


def test_a_retry_measures_again_what_lost_its_outcomes() -> None:
    """Another entry with the same vectors may be erased just when a cell's outcomes were stored under the same key."""
    submission = measured_once()
    storage.delete(cell(submission).outcomes_key)
    move(submission, State.FAILED, Actor.WORKER)
    steering.retry(submission, Actor.OWNER)
    do_job("start_cells", submission.pk)
    assert cell(submission).state == "waiting"
    do_job("run_cell", cell(submission).pk)
    end_all(submission)
    ask_and_do("finish", submission.pk)
    assert json.loads(Report.objects.get().body)["results"]


def test_a_second_delivery_changes_nothing() -> None:
    submission = measured_once()
    ask_and_do("finish", submission.pk)
    first = Report.objects.get()
    ask_and_do("finish", submission.pk)
    assert Report.objects.get().pk == first.pk


def test_a_failed_cell_fails_the_submission_with_its_reason() -> None:
    submission = measured_once()
    submission.runs.filter(task="nli", mode="fixed").update(state="failed", reason="Out of memory.")
    ask_and_do("finish", submission.pk)
    submission.refresh_from_db()
    assert submission.state == State.FAILED
    assert "nli fixed" in submission.error["message"]
    assert "Out of memory." in submission.error["message"]


def test_a_retry_opens_only_what_failed() -> None:
    submission = measured_once()
    submission.runs.filter(task="nli").update(state="failed", tries=3, finished_at=timezone.now())
    ask_and_do("finish", submission.pk)
    move(submission.pk, State.QUEUED, Actor.OWNER)
    submission.runs.filter(state="unavailable").update(state="done", result={})
    ask_and_do("start_cells", submission.pk)
    ask_and_do("start_cells", submission.pk)
    assert {run.task for run in submission.runs.waiting()} == {"nli"}
    assert all(run.tries == 0 for run in submission.runs.waiting())


def test_a_cell_that_fails_again_after_a_retry_is_not_opened_by_a_second_message() -> None:
    submission = planned()
    submission.runs.filter(task="nli").update(state="failed", finished_at=timezone.now())
    ask_and_do("start_cells", submission.pk)
    assert submission.runs.filter(task="nli", state="failed").count() == 2


def test_a_cell_whose_definition_changed_is_measured_again() -> None:
    submission = measured_once()
    ask_and_do("finish", submission.pk)
    submission.runs.filter(task="sim-ws-353-all").update(task_hash="an older definition")
    submission.runs.filter(state="unavailable").update(state="done")
    move(submission.pk, State.QUEUED, Actor.OPERATOR)
    ask_and_do("start_cells", submission.pk)
    assert [run.task for run in submission.runs.waiting()] == ["sim-ws-353-all"]
