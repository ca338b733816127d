"""Re-evaluation, and reuse of equal work."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.test import Client

from benchmark.management.commands.reevaluate import outdated
from benchmark.submissions.models import Measurement, StoredReport, Submission, SubmissionCell
from benchmark.submissions.states import State
from tasks.hashes import task_hash
from tests.benchmark.conftest import Make
from tests.benchmark.reports import SUITE, report_of


def run(row: Submission, state: str, **columns: object) -> SubmissionCell:
    work = {"task": "pos", "mode": "fixed", "task_hash": "t", "vectors_sha256": "v", "position": 0}
    return SubmissionCell.objects.create(submission=row, state=state, **(work | columns))


def test_the_same_vectors_and_definition_are_the_same_work(submission: Make) -> None:
    done = run(submission(), "done")
    waiting = run(submission(State.QUEUED), "waiting")
    assert list(SubmissionCell.objects.same_work_as(waiting)) == [done]


@pytest.mark.parametrize("change", [{"vectors_sha256": "w"}, {"task_hash": "u"}, {"mode": "fine-tuned"}])
def test_another_vector_definition_or_mode_is_other_work(submission: Make, change: dict[str, str]) -> None:
    run(submission(), "done", **change)
    assert not SubmissionCell.objects.same_work_as(run(submission(State.QUEUED), "waiting")).exists()


def test_unfinished_work_is_not_reused(submission: Make) -> None:
    run(submission(), "failed")
    assert not SubmissionCell.objects.same_work_as(run(submission(State.QUEUED), "waiting")).exists()


def test_vectors_of_another_language_get_no_english_scores(submission: Make) -> None:
    run(submission(), "done")
    spanish = run(submission(State.QUEUED, language="es"), "waiting")
    assert not SubmissionCell.objects.same_work_as(spanish).exists()


@pytest.mark.parametrize(
    ("measured_on", "reused_by"),
    [({"device": "NVIDIA H100"}, ["NVIDIA H100"]), ({"device": "cpu"}, ["cpu"]), ({}, ["cpu"])],
)
def test_a_result_is_reused_only_on_the_same_kind_of_device(
    measured_on: dict[str, str], reused_by: list[str], submission: Make
) -> None:
    """One from before devices were recorded counts as a CPU's."""
    row = submission()
    run(row, "done", measurement=Measurement.objects.create(submission=row, result={"score": 0.5, **measured_on}))
    waiting = run(submission(State.QUEUED), "waiting")
    devices = ["cpu", "NVIDIA H100", "NVIDIA A100"]
    assert [it for it in devices if SubmissionCell.objects.same_work_as(waiting, it).exists()] == reused_by


def measured(row: Submission, *, changed: str = "") -> Submission:
    """A row for every cell of the suite; the task ``changed`` was measured under another definition."""
    for position, (task, mode) in enumerate(SUITE.cells()):
        own_hash = "older" if task.id == changed else task_hash(SUITE, task, mode)
        SubmissionCell.objects.create(
            submission=row, task=task.id, mode=mode or "", task_hash=own_hash, vectors_sha256="v", position=position,
            state="done",
        )  # fmt: skip
    return row


def test_only_entries_that_lack_something_are_queued_and_behind_all_others(submission: Make) -> None:
    old = measured(submission(suite_version=SUITE.version), changed="pos")
    new = measured(submission(suite_version=SUITE.version))
    call_command("reevaluate", suite="demo", verbosity=0)
    old.refresh_from_db(), new.refresh_from_db()
    assert (old.state, old.background) == (State.QUEUED, True)
    assert (new.state, new.background) == (State.DONE, False)
    call_command("reevaluate", suite="demo", verbosity=0)
    assert Submission.objects.filter(background=True).count() == 1


def test_the_cells_to_measure_are_those_whose_definition_changed(submission: Make) -> None:
    entry = measured(submission(suite_version=SUITE.version), changed="pos")
    assert outdated(SUITE) == [(entry, 2)]


def test_a_dry_run_changes_nothing(submission: Make) -> None:
    row = submission(suite_version=0)
    call_command("reevaluate", suite="demo", dry_run=True, verbosity=0)
    row.refresh_from_db()
    assert row.state == State.DONE


def test_entries_whose_file_is_gone_keep_their_report(submission: Make) -> None:
    row = submission(suite_version=0, file_key="")
    call_command("reevaluate", suite="demo", verbosity=0)
    row.refresh_from_db()
    assert row.state == State.DONE


def test_while_it_is_measured_again_the_entry_and_its_report_stay(submission: Make, stranger: Client) -> None:
    row = submission(suite_version=0, name="kept in sight")
    call_command("reevaluate", suite="demo", verbosity=0)
    assert "Fixed" in stranger.get(f"/r/{row.pk}").content.decode()
    assert stranger.get(f"/api/v1/submissions/{row.pk}/report").status_code == 200
    assert row in Submission.objects.on_board("demo")


def test_an_earlier_report_keeps_its_address_and_names_the_newer_one(submission: Make, stranger: Client) -> None:
    row = submission(shift=0.1)
    first = stranger.get(f"/api/v1/submissions/{row.pk}/report").content
    StoredReport.objects.create(submission=row, body=report_of(0.2).to_json())
    assert stranger.get(f"/api/v1/submissions/{row.pk}/report?version=1").content == first
    assert stranger.get(f"/api/v1/submissions/{row.pk}/report").content == report_of(0.2).to_json().encode()
    assert "the newer version" in stranger.get(f"/r/{row.pk}/v1").content.decode()
    assert "the newer version" not in stranger.get(f"/r/{row.pk}").content.decode()
    assert stranger.get(f"/r/{row.pk}/v3").status_code == 404
