"""The check of an uploaded file."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark import storage
from benchmark.operations.kinds import most_tries
from benchmark.operations.models import Job, Ticket
from benchmark.submissions.models import Submission, move
from benchmark.submissions.states import Actor, State
from tasks.guess_language import COMMON
from tests.workers.factories import do_job, uploaded
from workers import runner
from workers.vectors import embedding_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


def test_it_accepts_a_good_file_and_stores_the_result_of_the_check() -> None:
    submission = uploaded()
    do_job("check_submission", submission.pk)
    submission.refresh_from_db()
    assert submission.state == State.QUEUED
    assert submission.dimensions == 8
    assert submission.words == len(embedding_of(submission).words)
    assert embedding_of(submission).sha256 == submission.vectors_sha256


def test_a_wrong_language_is_caught(tmp_path: Path) -> None:
    words = [*sorted(COMMON["de"]), *(f"x{n}" for n in range(200))]
    file = tmp_path / "german.txt"
    file.write_text("".join(f"{word} {n}.5 1\n" for n, word in enumerate(words)), encoding="utf-8")
    submission = uploaded(file)
    do_job("check_submission", submission.pk)
    submission.refresh_from_db()
    assert submission.state == State.QUEUED
    assert submission.warnings[-1]["message"].startswith(
        "This looks like German, but its language was given as English"
    )


def test_of_a_zip_archive_it_reads_the_named_file(tmp_path: Path) -> None:
    archive = tmp_path / "glove.zip"
    with zipfile.ZipFile(archive, "w") as made:
        for dimensions in (3, 4):
            lines = [f"word{n}" + f" {n}.5" * dimensions for n in range(200)]
            made.writestr(f"glove.{dimensions}d.txt", "\n".join(lines))
    submission = uploaded(archive)
    type(submission).objects.filter(pk=submission.pk).update(member="glove.4d.txt")
    do_job("check_submission", submission.pk)
    submission.refresh_from_db()
    found = (submission.state, submission.dimensions, submission.read_as)
    assert found == (State.QUEUED, 4, "text in zip")


def test_it_rejects_a_bad_file_once_with_line_and_word(tmp_path: Path) -> None:
    lines = [f"word{i} 0.1 0.2 0.3" for i in range(200)]
    lines[150] = "word150 0.1 x 0.3"
    bad = tmp_path / "bad.gz"
    bad.write_bytes(gzip.compress("\n".join(lines).encode()))
    submission = uploaded(bad)
    do_job("check_submission", submission.pk)
    submission.refresh_from_db()
    assert submission.state == State.REJECTED
    assert (submission.error["line"], submission.error["word"]) == (151, "word150")
    assert submission.check_tries == 1


def test_the_sites_limits_hold(settings: object) -> None:
    settings.VECBOARD_MAX_DIMENSIONS = 4  # type: ignore[attr-defined]
    submission = uploaded()
    do_job("check_submission", submission.pk)
    submission.refresh_from_db()
    assert submission.error["code"] == "too-many-dimensions"


def test_our_own_fault_is_retried_and_then_reported() -> None:
    submission = uploaded()
    storage.path_of(submission.file_key).unlink()
    for _ in range(most_tries()):
        submission.refresh_from_db()
        assert submission.state != State.FAILED
        do_job("check_submission", submission.pk)
    submission.refresh_from_db()
    assert submission.state == State.FAILED
    assert "3 tries" in submission.error["message"]


def test_a_cancelled_check_leaves_the_submission_cancelled() -> None:
    submission = uploaded()
    claimed = runner.claim("check_submission", submission.pk)
    assert claimed is not None
    move(submission.pk, State.CANCELLED, Actor.OWNER)
    assert not runner.beat(claimed, 0.5, "reading")
    do_job("check_submission", submission.pk)
    submission.refresh_from_db()
    assert submission.state == State.CANCELLED


@pytest.fixture
def checks() -> Callable[..., Submission]:
    """Waiting checks by owner and size of the file, one of which another worker has begun."""

    def new(payer: str, *, megabytes: int = 1, is_running: bool = False) -> Submission:
        submission = uploaded()
        Ticket.objects.filter(submission=submission).update(payer=payer)
        type(submission).objects.filter(pk=submission.pk).update(file_bytes=megabytes * 1_000_000)
        if is_running:
            assert runner.claim("check_submission", submission.pk)
        return submission

    return new


def state_after_a_turn(submission: Submission) -> State:
    do_job("check_submission", submission.pk)
    submission.refresh_from_db()
    return State(submission.state)


def test_one_person_has_one_check_at_a_time_while_others_wait(checks: Callable[..., Submission]) -> None:
    checks("ip:1", is_running=True)
    second, other = checks("ip:1"), checks("ip:2")
    assert state_after_a_turn(second) == State.CHECKING
    job = Job.objects.get(subject=second.pk)
    assert (job.tries, job.heartbeat_at) == (0, None)
    assert state_after_a_turn(other) == State.QUEUED
    assert state_after_a_turn(second) == State.QUEUED


def test_large_files_leave_a_place_free_while_small_ones_wait(checks: Callable[..., Submission]) -> None:
    checks("ip:1", megabytes=500, is_running=True)
    large, small = checks("ip:2", megabytes=500), checks("ip:3")
    assert state_after_a_turn(large) == State.CHECKING
    assert state_after_a_turn(small) == State.QUEUED
    assert state_after_a_turn(large) == State.QUEUED
