"""A worker that is killed outright in mid-run costs time, not results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workers.running_site import Site, scores, scores_of_the_script, small_file

SWEEP_LATER = """
from datetime import timedelta
from django.utils import timezone
from workers.sweeper import sweep
sweep(timezone.now() + timedelta(minutes=10))
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site")
    yield site
    site.kill_worker()


@pytest.mark.slow
def test_after_a_kill_in_mid_run_the_sweeper_brings_the_same_report(site: Site) -> None:
    submission = site.submit(small_file())
    site.start_worker()
    site.wait_until(lambda: site.runs(submission, "done") >= 1 and site.runs(submission, "running") >= 1)
    site.kill_worker()
    assert site.runs(submission, "running") >= 1
    site.start_worker()
    site.python(SWEEP_LATER)
    site.wait_until(lambda: site.state(submission) in ("done", "failed"))
    assert scores(site.report(submission)) == scores_of_the_script()


def test_a_message_that_the_broker_lost_is_sent_again(site: Site) -> None:
    submission = site.submit(small_file())
    for message in (site.var / "broker" / "messages").iterdir():
        message.unlink()
    site.start_worker()
    site.python(SWEEP_LATER)
    site.wait_until(lambda: site.state(submission) in ("running", "done"))


def test_a_damaged_upload_is_rejected_by_the_worker(site: Site, tmp_path: Path) -> None:
    cut = tmp_path / "cut.txt.gz"
    cut.write_bytes(small_file().read_bytes()[:-200])
    submission = site.submit(cut)
    site.start_worker()
    site.wait_until(lambda: site.state(submission) == "rejected")
    error = site.rows("select error from submissions_submission where id = ?", submission)[0][0]
    assert '"truncated-gzip"' in error
