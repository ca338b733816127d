from __future__ import annotations

import os
import re
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmark.data import INSTALLATION
from benchmark.operations import fair_queue
from benchmark.operations.models import Job, WorkerBeat
from benchmark.submissions.models import Measurement, Submission, SubmissionCell
from benchmark.submissions.progress import (
    AFTERWARDS,
    LEAST,
    MOST,
    MOST_LOOKED_AT,
    expected_seconds,
    progress_of,
    time_left,
    time_left_of,
)
from benchmark.submissions.states import OPEN, State
from tests.benchmark.conftest import Browser, Make
from tests.benchmark.reports import TOKEN


def page(client: Client, row: Submission, path: str = "") -> str:
    return client.get(f"/s/{row.pk}{path}").content.decode()


def run(row: Submission, task: str, state: str, share: float = 0.0, what: str = "", **columns: Any) -> SubmissionCell:
    """A cell, with its job if it runs."""
    defaults = {"task": task, "state": state, "position": row.cells.count(), "task_hash": "t", "vectors_sha256": "v"}
    cell = SubmissionCell.objects.create(submission=row, **(defaults | columns))
    if state == "running":
        job = {"kind": "run_cell", "subject": cell.pk, "submission": row, "level": 1}
        Job.objects.create(**job, share=share, what=what, heartbeat_at=timezone.now())
    return cell


def typical(row: Submission) -> float:
    left = time_left_of(row, row.cells.all())
    assert left is not None
    return left.typical


@pytest.mark.parametrize("state", list(State))
def test_every_state_has_a_page(submission: Make, stranger: Client, state: State) -> None:
    row = submission(state, error={"code": "c", "message": "Something."})
    assert stranger.get(f"/s/{row.pk}").status_code == 200


def test_a_rejection_shows_sentence_line_and_word(submission: Make, stranger: Client) -> None:
    error = {
        "code": "wrong-field-count",
        "message": "Line 12 has 9 numbers; write 10.",
        "line": 12,
        "word": "<b>of</b>",
    }
    shown = page(stranger, submission(State.REJECTED, error=error))
    assert "Line 12 has 9 numbers; write 10." in shown
    assert "&lt;b&gt;of&lt;/b&gt;" in shown


def test_a_running_submission_shows_finished_and_running_cells(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    run(row, "pos", "done", mode="fixed")
    run(row, "chunk", "running", mode="fixed", share=0.5, what="seed 1, epoch 4")
    run(row, "ner", "waiting", mode="fixed")
    shown = page(stranger, row)
    assert "1 of 3 tasks are done; the long ones remain." in shown
    assert "seed 1, epoch 4, 50.0&nbsp;% of this task" in shown


def test_the_long_tasks_remain_once_all_word_tasks_are_done(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    run(row, "sim-simlex-999", "waiting")
    run(row, "nli", "waiting", mode="fixed")
    assert "0 of 2 tasks are done." in page(stranger, row)
    row.cells.filter(mode="").update(state="done")
    cache.clear()
    assert "1 of 2 tasks are done; the long ones remain." in page(stranger, row)


def test_the_number_of_cells_stays_the_same_when_some_have_no_score(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING, suite="open-2026", language="de")
    planned = progress_of(row).total
    for task, mode in expected_seconds(row):
        run(row, task, "waiting", mode=mode)
    run(row, "political-en", "unavailable")  # in another language: not counted
    assert (progress_of(row).done, progress_of(row).total) == (0, planned)
    row.cells.filter(task="intrusion").update(state="unavailable")
    row.cells.filter(task="political-de").update(state="done")
    found = progress_of(row)
    assert (found.done, found.scored, found.total) == (2, 1, planned)
    row.cells.filter(state="waiting").update(state="done")
    Submission.objects.filter(pk=row.pk).update(state=State.DONE)
    assert f"All {planned} tasks are done; {planned - 1} have a score." in page(stranger, row)


def test_groups_that_are_measured_first_come_first(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    run(row, "pos", "waiting", mode="fixed")
    titles = re.findall("<caption>(.*?)</caption>", page(stranger, row))
    assert titles[0] == "Intrinsic"
    assert titles[-1] == "Downstream"


def grid_cell(shown: str, cell: str) -> str:
    """The text of a cell of the grid."""
    found = re.search(rf'<td id="cell-{cell}"[^>]*>(.*?)</td>', shown)
    assert found is not None
    return re.sub(r"<[^>]*>", "|", found[1]).strip("|")


def scored(row: Submission, task: str, score: float, metric: str, **columns: Any) -> SubmissionCell:
    result = {"task": task, "metric": metric, "score": score}
    measurement = Measurement.objects.create(submission=row, result=result)
    return run(row, task, "done", measurement=measurement, **columns)


def test_the_grid_shows_every_cells_score_state_or_reason(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    scored(row, "pos", 0.87654, "accuracy", mode="fixed")
    scored(row, "sim-simlex-999", 0.35512, "spearman")
    run(row, "pos", "running", mode="fine-tuned", share=0.43)
    run(row, "nli", "waiting", mode="fixed")
    run(row, "analogy-google", "unavailable", reason="Fewer than 10 words of the oracle are known.")
    shown = page(stranger, row)
    found = [grid_cell(shown, cell) for cell in ("pos-fixed", "pos-fine-tuned", "nli-fixed", "sim-simlex-999-score")]
    assert found == ["87.65 %", "running 43&nbsp;%", "waiting", "0.355"]
    assert grid_cell(shown, "analogy-google-score") == "no score||Fewer than 10 words of the oracle are known."


def test_a_poll_reads_only_new_scores(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    scored(row, "pos", 0.5, "accuracy", mode="fixed")
    page(stranger, row)
    new = scored(row, "nli", 0.25, "accuracy", mode="fixed").measurement_id
    with CaptureQueriesContext(connection) as asked:
        shown = page(stranger, row, "/progress")
    assert [grid_cell(shown, cell) for cell in ("pos-fixed", "nli-fixed")] == ["50.00 %", "25.00 %"]
    read = [query["sql"] for query in asked if '"submissions_measurement"."result"' in query["sql"]]
    assert len(read) == 1
    assert f"IN ({new})" in read[0]


def test_a_poll_reads_the_running_jobs_once(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    run(row, "pos", "running", mode="fixed", share=0.5, what="epoch 4")
    with CaptureQueriesContext(connection) as asked:
        page(stranger, row, "/progress")
    assert sum("run_cell" in query["sql"] and "share" in query["sql"] for query in asked) == 1


def test_tasks_in_other_languages_are_not_in_the_grid(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING, suite="open-2026", language="de")
    run(row, "political-de", "waiting")
    shown = page(stranger, row)
    assert 'id="cell-political-de-score"' in shown
    assert 'id="cell-political-en-score"' not in shown
    assert "in other languages are left out" in shown


def test_the_live_region_hears_the_state_and_quarters_only(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    run(row, "pos", "running", mode="fixed", share=0.99)
    said = re.search(r'data-said="([^"]*)"', page(stranger, row))
    assert said is not None
    assert said[1] == "Evaluating: 75&nbsp;% done"


def test_the_share_is_that_of_the_tasks_that_are_counted(submission: Make) -> None:
    row = submission(State.RUNNING)
    run(row, "sim-ws-353-all", "done")
    run(row, "sim-simlex-999", "unavailable")
    run(row, "nli", "running", mode="fixed", share=0.5)
    run(row, "pos", "waiting", mode="fixed")
    progress = progress_of(row)
    assert (progress.done, progress.scored, progress.total) == (2, 1, 4)
    assert progress.share == 2.5 / 4


def test_tasks_in_other_languages_are_not_counted(submission: Make) -> None:
    german = submission(State.RUNNING, suite="open-2026", language="de", words=9, dimensions=50)
    counted = {task for task, _ in expected_seconds(german)}
    assert {"political-de", "intrusion", "stability"} <= counted
    assert not {"pos", "political-en", "qvec-da"} & counted


def test_the_time_left_is_that_of_the_baseline_divided_by_the_places_that_work(submission: Make) -> None:
    row = submission(State.QUEUED)
    seconds = expected_seconds(row)
    assert typical(row) == pytest.approx(sum(seconds.values()))
    WorkerBeat.objects.record("here", "cpu", 2)
    assert typical(row) == pytest.approx(sum(seconds.values()) / 2)
    done, running = ("nli", "fine-tuned"), ("nli", "fixed")
    run(row, done[0], "done", mode=done[1])
    run(row, running[0], "running", mode=running[1], share=0.25)
    left = sum(seconds.values()) - seconds[done] - 0.25 * seconds[running]
    assert typical(row) == pytest.approx(left / 2)


@pytest.mark.parametrize(
    ("left", "before", "places", "typical"),
    [([10.0, 30.0], 0.0, 1, 40.0), ([10.0, 30.0], 20.0, 1, 60.0), ([10.0, 30.0], 0.0, 2, 30.0), ([], 0.0, 1, 0.0)],
)
def test_work_is_divided_by_the_cells_at_a_time_but_the_longest_runs_alone(
    left: list[float], before: float, places: int, typical: float
) -> None:
    assert time_left(left, before=before, places=places).typical == typical


def test_the_range_is_around_the_typical_time_with_seconds_for_the_report() -> None:
    assert time_left([100.0]) == (100.0, LEAST * 100 + AFTERWARDS[0], MOST * 100 + AFTERWARDS[1])
    assert time_left([0.0]) == (0.0, *AFTERWARDS)


def test_earlier_files_count_in_the_expected_time(submission: Make) -> None:
    now = timezone.now()
    first = submission(State.QUEUED, uploaded_at=now)
    second = submission(State.QUEUED, uploaded_at=now + timedelta(minutes=1))
    assert typical(second) == pytest.approx(2 * typical(first))


def test_the_form_shows_the_expected_time_with_the_queue(submission: Make, stranger: Client) -> None:
    def promised() -> int:
        page = stranger.get("/submit").content.decode()
        words = re.search(r"(?:to|most) (\d+) (second|minute)s?\) after the upload, given the current queue", page)
        assert words is not None
        return int(words[1]) * {"second": 1, "minute": 60}[words[2]]

    WorkerBeat.objects.record("here", "cpu", 2)
    idle = promised()
    submission(State.QUEUED)
    assert promised() == idle  # for some seconds
    cache.clear()
    assert promised() > idle


def test_of_a_long_queue_the_first_files_stand_for_all(submission: Make) -> None:
    alone = typical(submission(State.QUEUED))
    for _ in range(MOST_LOOKED_AT + 9):
        submission(State.QUEUED)
    last = submission(State.QUEUED, uploaded_at=timezone.now() + timedelta(hours=1))
    assert typical(last) == pytest.approx((MOST_LOOKED_AT + 11) * alone)


def test_without_published_seconds_no_time_is_promised(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING, suite="veceval-2016")
    assert progress_of(row).time_left is None
    assert "Time left: unknown." in page(stranger, row)


def test_a_job_that_says_too_much_leaves_no_time_below_zero(submission: Make) -> None:
    row = submission(State.RUNNING)
    for task, mode in expected_seconds(row):
        run(row, task, "running", mode=mode, share=1.7)
    assert typical(row) == 0.0


def test_of_an_unknown_suite_no_time_is_promised(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING, suite="gone")
    run(row, "pos", "running", share=0.5)
    assert progress_of(row).time_left is None
    assert "Time left" not in page(stranger, submission(State.DONE))


def test_the_place_in_the_queue_counts_submissions_that_are_served_before(submission: Make) -> None:
    for hour, state in enumerate((State.RUNNING, State.QUEUED, State.QUEUED)):
        row = submission(state, queued_at=timezone.now() + timedelta(hours=hour))
        run(row, "pos", "waiting")
        fair_queue.take(row)
    submission(State.DONE)
    in_line = Submission.objects.exclude(queued_at=None).order_by("queued_at")
    assert [progress_of(row).ahead for row in in_line] == [0, 1, 2]


def test_the_page_says_when_no_worker_is_alive(submission: Make, stranger: Client) -> None:
    row = submission(State.QUEUED)
    assert "No worker is running" in page(stranger, row)
    WorkerBeat.objects.record("here")
    assert "No worker is running" not in page(stranger, row)


def test_a_worker_is_not_missing_while_the_site_starts(
    submission: Make, stranger: Client, settings: Any, tmp_path: Path
) -> None:
    settings.VECBOARD_VAR, row = tmp_path, submission(State.QUEUED)
    launched = tmp_path / fair_queue.LAUNCHED
    launched.touch()
    assert "No worker is running" not in page(stranger, row)
    long_ago = time.time() - fair_queue.LAUNCH_PATIENCE.total_seconds() - 1
    os.utime(launched, (long_ago, long_ago))
    cache.clear()
    assert "No worker is running" in page(stranger, row)
    (tmp_path / INSTALLATION).write_text("running")
    assert "No worker is running" not in page(stranger, row)


@pytest.mark.parametrize("state", list(State))
def test_the_part_that_changes_says_whether_it_can_change_again(
    submission: Make, stranger: Client, state: State
) -> None:
    response = stranger.get(f"/s/{submission(state).pk}/progress")
    assert f'data-final="{"no" if state in OPEN else "yes"}"' in response.content.decode()


def test_without_javascript_an_open_page_refreshes_itself_and_a_final_one_does_not(
    submission: Make, stranger: Client
) -> None:
    assert 'http-equiv="refresh"' in page(stranger, submission(State.RUNNING))
    assert 'http-equiv="refresh"' not in page(stranger, submission(State.DONE))


def test_only_the_owner_sees_the_owner_link(submission: Make, owner: Browser, other: Browser, stranger: Client) -> None:
    row = submission(State.RUNNING)
    assert TOKEN.replace("'", "%27") in page(owner(row), row).replace("&#x27;", "%27")
    assert "owner link" not in page(other(row), row)
    assert "owner link" not in page(stranger, row)


def test_the_owner_link_makes_another_browser_the_owners(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    assert stranger.get(f"/s/{row.pk}/owner/{TOKEN}").url == f"/s/{row.pk}"
    assert "Cancel this submission" in page(stranger, row)


def test_a_wrong_owner_link_gives_no_rights(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    stranger.get(f"/s/{row.pk}/owner/{'x' * len(TOKEN)}")
    assert "Cancel this submission" not in page(stranger, row)


@pytest.mark.django_db
def test_an_unknown_submission_is_not_found(stranger: Client) -> None:
    assert stranger.get("/s/aaaaaaaaaaaa").status_code == 404
