from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmark.operations import fair_queue
from benchmark.operations.models import Job, WorkerBeat
from benchmark.submissions.models import Measurement, Submission, SubmissionCell
from benchmark.submissions.progress import (
    AFTERWARDS,
    MEASURED_SITE,
    MOST_LOOKED_AT,
    NEW_SITE,
    expected_seconds,
    likely_seconds,
    progress_of,
    site_pace,
    time_left,
)  # fmt: skip
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


def measured(row: Submission, task: str, pace: float, hour: int = 0) -> None:
    """A trained cell that took a number of times the published seconds."""
    row.started_at = began = timezone.now() + timedelta(hours=hour)
    row.save()
    took = pace * expected_seconds(row)[task, "fixed"] / (site_pace(row.suite) or 1.0)
    ended = began + timedelta(seconds=took)
    run(row, task, "done", mode="fixed", took=took, started_at=began, finished_at=ended)
    cache.clear()


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
    assert "1 of 3 cells" in shown
    assert "seed 1, epoch 4, 50.0\N{NO-BREAK SPACE}% of this cell" in shown


def test_a_small_share_is_given_in_words(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    run(row, "pos", "running", mode="fixed", share=0.001)
    run(row, "nli", "waiting", mode="fixed")
    shown = page(stranger, row)
    assert "Less than 1\N{NO-BREAK SPACE}% of the expected work is done: 0 of 2 cells." in shown


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
    assert f"All {planned} cells are done; {planned - 1} have a score." in page(stranger, row)


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
    assert re.fullmatch(r"Evaluating(: (25|50|75) % done)?", said[1])


def test_the_share_is_one_of_seconds_not_of_jobs(submission: Make) -> None:
    row = submission(State.RUNNING)
    usual = expected_seconds(row)
    done, running = ("sim-ws-353-all", ""), ("nli", "fixed")
    run(row, done[0], "done", took=usual[done])
    run(row, running[0], "running", mode=running[1], share=0.1)
    for task, mode in usual.keys() - {done, running}:
        run(row, task, "unavailable", mode=mode)
    found = progress_of(row)
    assert usual[running] > 2 * usual[done]
    assert found.share == pytest.approx((usual[done] + 0.1 * usual[running]) / (usual[done] + usual[running]))
    assert (found.done, found.scored, found.total) == (len(usual) - 1, 1, len(usual))


def test_tasks_in_other_languages_are_not_counted(submission: Make) -> None:
    german = submission(State.RUNNING, suite="open-2026", language="de", words=9, dimensions=50)
    counted = {task for task, _ in expected_seconds(german)}
    assert {"political-de", "intrusion", "stability"} <= counted
    assert not {"pos", "political-en", "qvec-da"} & counted


def test_the_time_left_is_that_of_the_baseline_at_the_sites_own_pace(submission: Make) -> None:
    row = submission(State.QUEUED)
    whole = sum(expected_seconds(row).values())
    assert whole > 1
    assert likely_seconds(row) == pytest.approx(whole)
    assert progress_of(row).expected_seconds == time_left([whole], whole=whole, factors=NEW_SITE).bounds
    measured(submission(State.DONE), "pos", 3.0)
    assert likely_seconds(row) == pytest.approx(3 * whole)
    assert progress_of(row).expected_seconds == pytest.approx(
        time_left([3 * whole], whole=3 * whole, factors=MEASURED_SITE).bounds
    )
    WorkerBeat.objects.record("here", "cpu", 2)
    assert likely_seconds(row) == pytest.approx(max(1.5 * whole, max(expected_seconds(row).values())))


def test_the_pace_is_that_of_the_cells_that_ended_last(submission: Make) -> None:
    for hour, (task, pace) in enumerate((("pos", 9.0), ("nli", 2.0), ("ner", 4.0))):
        measured(submission(State.DONE), task, pace, hour)
    assert site_pace("demo") == pytest.approx(3.0)


def test_a_reused_result_does_not_count_for_the_pace(submission: Make) -> None:
    row, now = submission(State.DONE), timezone.now()
    measured(row, "pos", 3.0)
    run(row, "nli", "done", mode="fixed", started_at=now, finished_at=now + timedelta(hours=1))
    cache.clear()
    assert site_pace("demo") == pytest.approx(3.0)


@pytest.mark.parametrize(("share", "pace"), [(0.5, 10.0), (0.05, None)])
def test_a_running_cell_counts_for_the_pace_from_a_tenth_of_its_work_on(
    submission: Make, share: float, pace: float | None
) -> None:
    row = submission(State.RUNNING, started_at=timezone.now())
    seconds = 5 * expected_seconds(row)["nli", "fixed"]
    cell = run(row, "nli", "running", mode="fixed", share=share)
    Job.objects.filter(subject=cell.pk).update(started_at=timezone.now() - timedelta(seconds=seconds))
    cache.clear()
    assert site_pace("demo") == (pace and pytest.approx(pace, rel=0.1))


@pytest.mark.parametrize(
    ("left", "before", "hands", "typical"),
    [([10.0, 30.0], 0.0, 1, 40.0), ([10.0, 30.0], 20.0, 1, 60.0), ([10.0, 30.0], 0.0, 2, 30.0), ([], 0.0, 1, 0.0)],
)
def test_work_is_divided_by_the_cells_at_a_time_but_the_longest_runs_alone(
    left: list[float], before: float, hands: int, typical: float
) -> None:
    assert time_left(left, whole=40.0, before=before, hands=hands, factors=NEW_SITE).typical == typical


@pytest.mark.parametrize(("done", "row"), [(0.0, 0), (0.24, 0), (0.26, 1), (0.76, 2), (0.96, 3)])
def test_the_range_is_that_of_the_share_of_work_done(done: float, row: int) -> None:
    factors, left = MEASURED_SITE[row], 1_000.0 * (1 - done)
    low, high = time_left([left], whole=1_000.0, factors=MEASURED_SITE).bounds
    assert (low, high) == pytest.approx((factors.least * left + AFTERWARDS[0], factors.most * left + AFTERWARDS[1]))


def test_the_range_narrows_as_work_is_done_and_is_widest_on_a_new_site() -> None:
    widths = [factors.most / factors.least for factors in (*NEW_SITE, *MEASURED_SITE)]
    assert widths == sorted(widths, reverse=True)


def test_after_the_last_cell_some_seconds_are_left_for_the_report() -> None:
    assert time_left([0.0], whole=10.0, factors=MEASURED_SITE).bounds == AFTERWARDS


def test_earlier_files_count_in_the_expected_time(submission: Make) -> None:
    now = timezone.now()
    first = submission(State.QUEUED, uploaded_at=now)
    second = submission(State.QUEUED, uploaded_at=now + timedelta(minutes=1))
    alone, waiting = (likely_seconds(row) for row in (first, second))
    assert alone is not None
    assert waiting == pytest.approx(2 * alone)


def test_the_form_shows_the_expected_time_with_the_queue(submission: Make, stranger: Client) -> None:
    def promised() -> int:
        page = stranger.get("/submit").content.decode()
        words = re.search(r"(?:to|than) (\d+) (second|minute)s? after the upload, given the current queue", page)
        assert words is not None
        return int(words[1]) * {"second": 1, "minute": 60}[words[2]]

    WorkerBeat.objects.record("here", "cpu", 2)
    idle = promised()
    submission(State.QUEUED)
    assert promised() == idle  # for some seconds
    cache.clear()
    assert promised() > idle


def test_of_a_long_queue_the_first_files_stand_for_all(submission: Make) -> None:
    alone = likely_seconds(submission(State.QUEUED))
    for _ in range(MOST_LOOKED_AT + 9):
        submission(State.QUEUED)
    last = submission(State.QUEUED, uploaded_at=timezone.now() + timedelta(hours=1))
    assert alone is not None
    assert likely_seconds(last) == pytest.approx((MOST_LOOKED_AT + 11) * alone)


def test_where_nothing_was_ever_measured_no_time_is_promised(submission: Make, stranger: Client) -> None:
    """VecEval has no published baseline, so its training times are known only after a first file."""
    row = submission(State.RUNNING, suite="veceval-2016")
    assert progress_of(row).expected_seconds is None
    assert "Time left: not known yet" in page(stranger, row)
    measured(submission(State.DONE, suite="veceval-2016"), "pos", 300.0)
    left = progress_of(row).expected_seconds
    assert left is not None
    assert left[1] > 10_000


def test_a_job_that_says_too_much_leaves_no_time_below_zero(submission: Make) -> None:
    row = submission(State.RUNNING)
    run(row, "pos", "running", mode="fixed", share=1.7)
    assert min(progress_of(row).left.values()) == 0.0


def test_of_an_unknown_suite_no_time_is_promised(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING, suite="gone")
    run(row, "pos", "running", share=0.5)
    assert progress_of(row).expected_seconds is None
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
