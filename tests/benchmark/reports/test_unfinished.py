"""The report of a run that goes on: figures as they come, marked as unfinished, kept by no cache, on no board."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from django.test import Client
from django.utils import timezone

from benchmark.operations.models import Job
from benchmark.submissions.models import Submission, TaskRun
from benchmark.submissions.states import State
from tasks.suites import DEMO
from tests.benchmark.reports import result_of

Make = Callable[..., Submission]
STATES = {("sim-ws-353-all", None): "done", ("sim-simlex-999", None): "unavailable", ("pos", "fixed"): "running"}


def begun(submission: Make, **columns: object) -> Submission:
    """One figure, one cell without one, one that runs; all others wait."""
    row = submission(State.RUNNING, suite_version=DEMO.version, **columns)
    for position, (task, mode) in enumerate(DEMO.cells()):
        state = STATES.get((task.id, mode), "waiting")
        result = replace(result_of(task, mode, 0.1), score=0.4321).as_dict() if state == "done" else None
        run = TaskRun.objects.create(
            submission=row, task=task.id, mode=mode or "", position=position, state=state, result=result,
            task_hash="t", vectors_sha256="v", reason="No pair is known." if state == "unavailable" else "",
        )  # fmt: skip
        if state == "running":
            job = {"kind": "run_cell", "subject": run.pk, "submission": row, "level": 1}
            Job.objects.create(**job, share=0.5, what="epoch 3", heartbeat_at=timezone.now())
    return row


def test_figures_stand_there_and_the_others_say_when_they_come(submission: Make, stranger: Client) -> None:
    row = begun(submission)
    response = stranger.get(f"/r/{row.pk}")
    shown = response.content.decode()
    assert "Unfinished report" in shown
    assert "0.432" in shown
    assert "No pair is known." in shown
    assert shown.count(">running, about ") == 1
    assert shown.count(">waiting<") == len(DEMO.cells()) - 3
    assert "no-store" in response["Cache-Control"]
    assert "noindex" in shown


def test_it_is_on_no_board_and_the_api_has_no_report_yet(submission: Make, stranger: Client) -> None:
    row = begun(submission, name="Half measured")
    assert "Half measured" not in stranger.get("/board").content.decode()
    assert stranger.get(f"/api/v1/submissions/{row.pk}/report").status_code == 409
    assert stranger.get(f"/r/{row.pk}/card.png").status_code == 404


def test_a_private_one_is_seen_by_its_owner_only(submission: Make, stranger: Client) -> None:
    assert stranger.get(f"/r/{begun(submission, visibility='private').pk}").status_code == 404


def test_before_the_first_figure_and_after_a_failure_there_is_the_status_page(
    submission: Make, stranger: Client
) -> None:
    bare, failed = submission(State.RUNNING), begun(submission)
    Submission.objects.filter(pk=failed.pk).update(state=State.FAILED)
    for row in (bare, failed):
        assert stranger.get(f"/r/{row.pk}")["Location"] == f"/s/{row.pk}"


def test_the_status_page_leads_to_it(submission: Make, stranger: Client) -> None:
    assert "Read the report so far" in stranger.get(f"/s/{begun(submission).pk}").content.decode()
    assert "Read the report so far" not in stranger.get(f"/s/{submission(State.RUNNING).pk}").content.decode()
