"""The scheduler is killed: nothing is lost, and the next one sends the lost messages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import Fault
from tests.workers.running_site import IMPATIENT, Site, scores, scores_of_the_script, small_file


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Over SQLite, with two jobs at a time."""
    site = Site(tmp_path / "site", VECBOARD_CONCURRENCY="2", **IMPATIENT)
    yield site
    site.kill_all()


def test_the_next_beat_repairs_what_was_lost_without_one(site: Site, fault: Fault) -> None:
    submission = site.submit(small_file())
    site.start_beat()
    site.start_worker()
    site.wait_until(lambda: site.runs(submission, "done") >= 1)
    site.kill("beat")
    site.kill_worker()
    for message in (site.var / "broker" / "messages").iterdir():
        message.unlink()
    site.start_worker()
    for _ in range(3):
        site.start_beat()
        done = site.runs(submission, "done")
        site.wait_until(lambda: site.runs(submission, "done") > done or site.is_over(submission))  # noqa: B023
        site.kill("beat")
    site.start_beat()
    site.wait_until(lambda: site.is_over(submission))
    assert scores(site.report(submission)) == scores_of_the_script()
    fault("beat is killed (-9), once together with the worker and all messages", 4, "same report")
