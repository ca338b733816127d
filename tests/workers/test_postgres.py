"""Cells that end at the same moment on PostgreSQL and Redis, as on a site of several machines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workers.running_site import Site, small_file

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.redis]

FINISH_AT_ONCE = """
import sys, threading
from django.db import connection
from django.utils import timezone
from benchmark.submissions.models import StoredReport, SubmissionCell
from workers.kinds import cells
from workers import queue
from workers import runner
sent = []
queue.send = lambda task, argument, **_: sent.append((task, argument))
submission = sys.argv[1]
runner.run("check_submission", submission)
runner.run("start_cells", submission)
claimed = [runner.claim("run_cell", run.pk) for run in SubmissionCell.objects.filter(submission=submission)]
start = threading.Barrier(len(claimed))
def end(job):
    cell = SubmissionCell.objects.get(pk=job.subject)
    start.wait()
    reason = "Not measured in this test."
    runner.end(job, lambda: cells.settle(cell, SubmissionCell.State.UNAVAILABLE, reason=reason))
    runner.run("finish", submission)
    connection.close()
threads = [threading.Thread(target=end, args=(job,)) for job in claimed]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
asked = [argument for task, argument in sent if task == "workers.jobs.finish"]
print(len(claimed), len(asked), StoredReport.objects.filter(submission=submission).count())
"""


@pytest.fixture
def site(redis_url: str, database_url: str, tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site", redis_url, database_url)
    yield site
    site.kill_all()


def test_of_cells_that_end_at_the_same_moment_one_asks_for_the_report(site: Site) -> None:
    submission = site.submit(small_file())
    cells, asked, reports = map(int, site.python(FINISH_AT_ONCE, submission).split())
    assert cells >= 10
    assert (asked, reports) == (1, 1)
    assert site.state(submission) == "done"
