"""Cells, and the report after the last one: work that happens twice counts once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.utils import timezone

from benchmark import evidence, storage
from benchmark.operations.kinds import most_tries
from benchmark.operations.models import Job
from benchmark.submissions import steering
from benchmark.submissions.models import Measurement, StoredReport, Submission, move
from benchmark.submissions.states import Actor, State
from tasks.results import UNITS
from tests.workers.factories import ask_and_do, cell, do_job, end_all, planned, uploaded
from workers import heartbeat, runner
from workers.heartbeat import Heartbeat, Stopped
from workers.kinds import cells

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


def test_there_is_one_row_for_every_cell_of_the_suite() -> None:
    submission = planned()
    assert submission.cells.filter(state="waiting").count() == submission.cells.count() >= 14
    assert submission.cells.filter(mode="fine-tuned").count() == 6


def test_cells_in_other_languages_end_without_a_job() -> None:
    submission = uploaded()
    do_job("check_submission", submission.pk)
    Submission.objects.filter(pk=submission.pk).update(language="de")
    do_job("start_cells", submission.pk)
    (reason,) = set(submission.cells.filter(task="sim-ws-353-all").values_list("reason", flat=True))
    assert reason == "Not applicable: WordSim-353 has no words in German, the language of the vectors."
    assert set(submission.cells.values_list("state", flat=True)) == {"unavailable"}
    assert not submission.jobs.filter(kind="run_cell").exists()
    assert submission.jobs.filter(kind="finish").exists()


def test_a_measured_cell_has_its_score_and_its_outcomes() -> None:
    submission = planned()
    run = cell(submission)
    do_job("run_cell", run.pk)
    run.refresh_from_db()
    assert run.state == "done", run.reason
    outcomes = evidence.load(run.outcomes_key)
    assert outcomes.columns == ("predicted", "gold", *UNITS)
    assert len(outcomes.values) == run.measured.n


def test_the_same_work_is_not_done_twice() -> None:
    first = cell(planned())
    do_job("run_cell", first.pk)
    first.refresh_from_db()
    assert first.state == "done"
    second = cell(planned())
    do_job("run_cell", second.pk)
    second.refresh_from_db()
    assert second.measured == first.measured  # keeps the first one's seconds
    assert second.outcomes_key == first.outcomes_key


def test_a_result_whose_evidence_is_gone_is_measured_again() -> None:
    first = cell(planned())
    do_job("run_cell", first.pk)
    first.refresh_from_db()
    storage.path_of(first.outcomes_key).unlink()
    second = cell(planned())
    do_job("run_cell", second.pk)
    assert evidence.find(first.outcomes_key) is not None


def spoil(key: str) -> None:
    """Change one byte in the middle of a stored file."""
    content = bytearray(storage.path_of(key).read_bytes())
    content[len(content) // 2] ^= 1
    storage.path_of(key).write_bytes(content)


def test_a_result_whose_evidence_is_damaged_is_measured_again() -> None:
    first = cell(planned())
    do_job("run_cell", first.pk)
    first.refresh_from_db()
    spoil(first.outcomes_key)
    assert evidence.find(first.outcomes_key) is None
    do_job("run_cell", cell(planned()).pk)
    assert evidence.find(first.outcomes_key) is not None


def test_missing_data_makes_the_cell_unavailable_with_the_reason() -> None:
    submission = planned(language="da")
    run = cell(submission)
    do_job("run_cell", run.pk)
    run.refresh_from_db()
    assert run.state == "unavailable"
    assert "language" in run.reason


def test_our_own_fault_is_tried_again_with_its_reason_and_then_fails() -> None:
    submission = planned(vectors_sha256="0" * 64)
    run = cell(submission)
    do_job("run_cell", run.pk)
    run.refresh_from_db()
    assert (run.state, run.tries) == ("waiting", 1)
    assert "no longer the one" in Job.objects.about("run_cell", run.pk).get().reason
    for _ in range(most_tries()):
        do_job("run_cell", run.pk)
    run.refresh_from_db()
    assert (run.state, run.tries) == ("failed", most_tries())
    assert "no longer the one" in run.reason


def test_a_worker_presumed_dead_writes_nothing() -> None:
    run = cell(planned())
    slow = runner.claim("run_cell", run.pk)
    assert slow is not None
    Job.objects.update(heartbeat_at=timezone.now() - 2 * heartbeat.silence())
    assert runner.claim("run_cell", run.pk) is not None
    with pytest.raises(runner.TakenOver):
        runner.end(slow, lambda: cells.give_up_cell(slow, "too late"))
    run.refresh_from_db()
    assert (run.state, run.tries) == ("running", 2)


def test_a_cancelled_submission_stops_its_running_cell() -> None:
    submission = planned()
    claimed = runner.claim("run_cell", cell(submission).pk)
    assert claimed is not None
    move(submission.pk, State.CANCELLED, Actor.OWNER)
    with Heartbeat(lambda share, what: runner.beat(claimed, share, what)) as heartbeat, pytest.raises(Stopped):
        heartbeat.progress(0.5, "epoch 3")


def test_no_cell_of_a_cancelled_submission_begins() -> None:
    submission = planned()
    move(submission.pk, State.CANCELLED, Actor.OWNER)
    assert runner.claim("run_cell", cell(submission).pk) is None


def measured_once() -> Submission:
    """Measure one cell and end the others by hand."""
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
    assert not StoredReport.objects.exists()


def test_the_report_has_every_cell_as_a_result_or_with_a_reason() -> None:
    submission = measured_once()
    ask_and_do("finish", submission.pk)
    submission.refresh_from_db()
    assert submission.state == State.DONE
    measured = submission.cells.exclude(measurement=None).values_list("measurement", flat=True)
    assert (
        list(submission.measurements.values_list("pk", flat=True))
        == list(measured)
        == submission.report.measurement_ids
    )
    report = json.loads(submission.report.body)
    assert [result["task"] for result in report["results"]] == ["sim-ws-353-all"]
    assert len(report["unavailable"]) == submission.cells.count() - 1
    assert report["aggregates"]["overall"] is None is submission.overall


def test_the_report_names_the_device_that_measured_and_not_that_of_the_worker_that_assembled_it() -> None:
    submission = measured_once()
    measured = cell(submission).measurement
    assert measured is not None
    assert (measured.result["device"], measured.result["threads"]) == ("cpu", 1)
    on_gpu = measured.result | {"device": "NVIDIA H100"}
    Measurement.objects.filter(pk=measured.pk).update(result=on_gpu)
    ask_and_do("finish", submission.pk)
    assert json.loads(StoredReport.objects.get().body)["environment"]["device"] == "NVIDIA H100"


def test_a_corrected_language_is_planned_before_anything_is_reported() -> None:
    submission = measured_once()
    steering.correct_language(submission, "de")
    assert submission.pk not in list(cells.unreported())
    ask_and_do("finish", submission.pk)
    assert not StoredReport.objects.exists()
    do_job("start_cells", submission.pk)
    do_job("finish", submission.pk)
    assert len(json.loads(StoredReport.objects.get().body)["unavailable"]) == submission.cells.count()


def test_a_retry_measures_cells_without_outcomes_again() -> None:
    """Another entry with the same vectors may be erased while a cell's outcomes are stored under the same key."""
    submission = measured_once()
    storage.delete(cell(submission).outcomes_key)
    move(submission, State.FAILED, Actor.WORKER)
    steering.retry(submission, Actor.OWNER)
    do_job("start_cells", submission.pk)
    assert cell(submission).state == "waiting"
    do_job("run_cell", cell(submission).pk)
    end_all(submission)
    ask_and_do("finish", submission.pk)
    assert json.loads(StoredReport.objects.get().body)["results"]


def test_the_report_waits_until_a_cell_with_damaged_outcomes_is_measured_again() -> None:
    submission = measured_once()
    score = cell(submission).measured.score
    spoil(cell(submission).outcomes_key)
    ask_and_do("finish", submission.pk)
    assert not Job.objects.about("finish", submission.pk).exists()
    do_job("start_cells", submission.pk)
    assert [run.task for run in submission.cells.waiting()] == ["sim-ws-353-all"]
    do_job("run_cell", cell(submission).pk)
    do_job("finish", submission.pk)
    submission.refresh_from_db()
    assert submission.state == State.DONE
    assert [result["score"] for result in json.loads(submission.report.body)["results"]] == [score]


def test_a_storage_that_returns_other_bytes_fails_the_cell_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    publish = storage.publish

    def publish_other_bytes(draft: Path, key: str) -> None:
        publish(draft, key)
        spoil(key)

    monkeypatch.setattr(storage, "publish", publish_other_bytes)
    run = cell(planned())
    for _ in range(most_tries()):
        do_job("run_cell", run.pk)
    run.refresh_from_db()
    assert run.state == "failed"
    assert "Damaged" in run.reason


def test_a_failed_cell_fails_the_submission_with_its_reason() -> None:
    submission = measured_once()
    submission.cells.filter(task="nli", mode="fixed").update(state="failed", reason="Out of memory.")
    ask_and_do("finish", submission.pk)
    submission.refresh_from_db()
    assert submission.state == State.FAILED
    assert "nli fixed" in submission.error["message"]
    assert "Out of memory." in submission.error["message"]


def test_a_retry_reopens_only_failed_cells() -> None:
    submission = measured_once()
    submission.cells.filter(task="nli").update(state="failed", tries=3, finished_at=timezone.now())
    ask_and_do("finish", submission.pk)
    move(submission.pk, State.QUEUED, Actor.OWNER)
    submission.cells.filter(state="unavailable").update(state="done")
    ask_and_do("start_cells", submission.pk)
    ask_and_do("start_cells", submission.pk)
    assert {run.task for run in submission.cells.waiting()} == {"nli"}
    assert all(run.tries == 0 for run in submission.cells.waiting())


def test_a_cell_that_fails_again_after_a_retry_is_not_opened_by_a_second_message() -> None:
    submission = planned()
    submission.cells.filter(task="nli").update(state="failed", finished_at=timezone.now())
    ask_and_do("start_cells", submission.pk)
    assert submission.cells.filter(task="nli", state="failed").count() == 2


def test_a_cell_whose_definition_changed_is_measured_again() -> None:
    submission = measured_once()
    ask_and_do("finish", submission.pk)
    submission.cells.filter(task="sim-ws-353-all").update(task_hash="an older definition")
    submission.cells.filter(state="unavailable").update(state="done")
    move(submission.pk, State.QUEUED, Actor.OPERATOR)
    ask_and_do("start_cells", submission.pk)
    assert [run.task for run in submission.cells.waiting()] == ["sim-ws-353-all"]
