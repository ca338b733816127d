"""Everything may happen twice: messages, sweepers, reports asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import Fault
from tests.workers.running_site import IMPATIENT, Site, scores, scores_of_the_script, small_file

SEND_AGAIN = """
import sys
from benchmark.submissions.models import SubmissionCell
from workers import queue
for _ in range(3):
    queue.send("workers.jobs.check_submission", sys.argv[1])
    queue.send("workers.jobs.start_cells", sys.argv[1])
    queue.send("workers.jobs.finish", sys.argv[1])
    for run in SubmissionCell.objects.filter(submission=sys.argv[1]):
        queue.send("workers.jobs.run_cell", run.pk, level=1)
"""


@pytest.fixture
def site(redis_url: str, database_url: str, tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site", redis_url, database_url, **IMPATIENT)
    yield site
    site.kill_all()


@pytest.mark.redis
@pytest.mark.postgres
def test_two_sweepers_and_every_message_four_times_change_nothing(site: Site, fault: Fault) -> None:
    submission = site.submit(small_file())
    for name in ("one", "two"):
        site.start_worker(name)
        site.start_beat(f"beat-{name}")
    site.python(SEND_AGAIN, submission)
    site.wait_until(lambda: site.runs(submission, "done") >= 2)
    site.python(SEND_AGAIN, submission)
    site.wait_until(lambda: site.is_over(submission))
    site.python(SEND_AGAIN, submission)
    report = site.report(submission)
    assert scores(report) == scores_of_the_script()
    assert site.runs(submission, "done") == len(report["results"])
    fault("two sweepers at once", 1, "same report; every cell counted once")
    fault("every message is delivered four times", 4, "same report; every cell counted once")
