"""A worker that is killed outright in mid-run costs time, not results."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import Fault
from tests.workers.running_site import IMPATIENT, Site, scores, scores_of_the_script, small_file

SWEEP_LATER = """
from datetime import timedelta
from django.utils import timezone
from workers.sweeper import sweep
sweep(timezone.now() + timedelta(minutes=10))
"""
MANY_TRIES = {"VECBOARD_MOST_TRIES": "40"}
"""Twenty kills within one minute are not what three tries are meant for."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site")
    yield site
    site.kill_all()


def kill_at_random(site: Site, submission: str, times: int, seed: int) -> int:
    """Kill one of two workers at random moments while the submission is open; how often that was."""
    rng = random.Random(seed)
    for kill in range(times):
        name = rng.choice(("one", "two"))
        deadline = time.monotonic() + rng.uniform(0.0, 6.0)
        site.wait_until(lambda: site.is_over(submission) or time.monotonic() > deadline)  # noqa: B023
        if site.is_over(submission):
            return kill
        site.kill(name)
        site.start_worker(name)
    return times


def killed_again_and_again(site: Site, times: int) -> int:
    site.start_beat()
    for name in ("one", "two"):
        site.start_worker(name)
    kills = 0
    while kills < times:
        site.python("from benchmark.submissions.models import SubmissionCell; SubmissionCell.objects.all().delete()")
        submission = site.submit(small_file())
        kills += kill_at_random(site, submission, times - kills, seed=kills)
        site.wait_until(lambda: site.is_over(submission), 600)  # noqa: B023
        assert scores(site.report(submission)) == scores_of_the_script()
        assert site.runs(submission, "done") == len(site.report(submission)["results"])
    return kills


@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.parametrize("times", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_after_kills_at_random_moments_the_report_is_that_of_an_undisturbed_run(
    times: int, redis_url: str, database_url: str, tmp_path: Path, fault: Fault
) -> None:
    site = Site(tmp_path / "site", redis_url, database_url, **IMPATIENT | MANY_TRIES)
    try:
        kills = killed_again_and_again(site, times)
    finally:
        site.kill_all()
    fault("a worker is killed (-9) at a random moment", kills, "same report; no job counted twice")


def test_a_message_that_the_broker_lost_is_sent_again(site: Site, fault: Fault) -> None:
    submission = site.submit(small_file())
    for message in (site.var / "broker" / "messages").iterdir():
        message.unlink()
    site.start_worker()
    site.python(SWEEP_LATER)
    site.wait_until(lambda: site.state(submission) in ("running", "done"))
    fault("the embedded broker loses its messages", 1, "the sweeper sends them again")


def test_a_damaged_upload_is_rejected_by_the_worker(site: Site, tmp_path: Path, fault: Fault) -> None:
    cut = tmp_path / "cut.txt.gz"
    cut.write_bytes(small_file().read_bytes()[:-200])
    submission = site.submit(cut)
    site.start_worker()
    site.wait_until(lambda: site.state(submission) == "rejected")
    error = site.rows("select error from submissions_submission where id = ?", submission)[0][0]
    assert "truncated-gzip" in str(error)
    fault("the stored file is cut short", 1, "rejected, with the place and what to do")
