"""Redis goes away, comes back, comes back empty: the rows of the database are the truth."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import Fault
from tests.servers import Redis
from tests.workers.running_site import IMPATIENT, Site, scores, scores_of_the_script, small_file

pytestmark = pytest.mark.redis


@pytest.fixture
def own_redis() -> Iterator[Redis]:
    """A server for this test only that stores its messages on disk, as in compose.yaml."""
    with Redis(keep=True) as server:
        yield server


@pytest.fixture
def site(own_redis: Redis, tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site", own_redis.url, **IMPATIENT)
    yield site
    site.kill_all()


@pytest.mark.slow
def test_a_run_survives_a_redis_that_is_killed_and_started_again(site: Site, own_redis: Redis, fault: Fault) -> None:
    submission = site.submit(small_file())
    site.start_worker()
    site.start_beat()
    times = 3
    for done in range(1, times + 1):
        site.wait_until(lambda: site.runs(submission, "done") >= done)  # noqa: B023
        own_redis.stop()
        time.sleep(2)
        own_redis.start()
    site.wait_until(lambda: site.is_over(submission))
    assert scores(site.report(submission)) == scores_of_the_script()
    fault("Redis is restarted with jobs queued", times, "same report")


def test_what_an_emptied_redis_forgot_is_sent_again(site: Site, own_redis: Redis, fault: Fault) -> None:
    submission = site.submit(small_file())
    own_redis.empty()
    site.start_worker()
    site.start_beat()
    site.wait_until(lambda: site.runs(submission, "waiting") > 5)
    own_redis.empty()
    site.wait_until(lambda: site.runs(submission, "done") >= 4)
    own_redis.empty()
    site.wait_until(lambda: site.is_over(submission))
    assert scores(site.report(submission)) == scores_of_the_script()
    fault("Redis is emptied with jobs queued", 3, "same report; every lost message is sent again")


@pytest.mark.slow
def test_with_the_settings_of_a_real_site_work_resumes_too(own_redis: Redis, tmp_path: Path, fault: Fault) -> None:
    site = Site(tmp_path / "site", own_redis.url)
    try:
        submission = site.submit(small_file())
        own_redis.empty()
        site.start_worker()
        site.start_beat()
        site.wait_until(lambda: site.state(submission) in ("running", "done"))
    finally:
        site.kill_all()
    fault("Redis is emptied, default settings", 1, "work resumes by itself")


def test_an_upload_is_accepted_while_redis_is_away(site: Site, own_redis: Redis, fault: Fault) -> None:
    own_redis.stop()
    submission = site.submit(small_file())
    assert site.state(submission) == "uploaded"
    own_redis.start()
    site.start_worker()
    site.start_beat()
    site.wait_until(lambda: site.state(submission) in ("running", "done"))
    fault("Redis is down during an upload", 1, "the upload is kept and measured when Redis is back")
