"""A new version of the program, with another suite version, is deployed in the middle of the queue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import Fault
from tests.workers.running_site import Site, scores, scores_of_the_script, small_file

PLAN = """
import sys
from benchmark.submissions.models import Submission, SubmissionCell
from workers import runner
runner.run("check_submission", sys.argv[1])
runner.run("start_cells", sys.argv[1])
changed = SubmissionCell.objects.filter(submission=sys.argv[1], task__in=("nli", "pos"))
changed.update(task_hash="a definition of another version")
Submission.objects.filter(pk=sys.argv[1]).update(suite_version=int(sys.argv[2]))
"""
FINISH_DEPLOY = """
import sys
from benchmark.submissions.models import Submission
Submission.objects.filter(pk=sys.argv[1]).update(suite_version=0)
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site")
    yield site
    site.kill_all()


def test_jobs_that_an_older_version_planned_are_planned_again(site: Site, fault: Fault) -> None:
    submission = site.submit(small_file())
    site.python(PLAN, submission, "0")
    site.start_worker()
    site.wait_until(lambda: site.is_over(submission))
    assert scores(site.report(submission)) == scores_of_the_script()
    assert site.rows("select suite_version from submissions_submission")[0][0] >= 1
    fault("a new suite version in mid-queue", 1, "changed tasks are planned again; report of the new version")


def test_jobs_of_a_newer_version_wait_for_a_worker_that_knows_it(site: Site, fault: Fault) -> None:
    submission = site.submit(small_file())
    site.python(PLAN, submission, "9999")
    site.start_worker()
    site.wait_until(lambda: site.runs(submission, "waiting") == 4 and site.runs(submission, "running") == 0)
    assert site.rows("select max(tries) from submissions_submissioncell where state = 'waiting'")[0][0] == 0
    site.python(FINISH_DEPLOY, submission)
    site.wait_until(lambda: site.is_over(submission))
    assert scores(site.report(submission)) == scores_of_the_script()
    fault("old workers meet jobs of a new suite version", 1, "left to a newer worker; costs no try")
