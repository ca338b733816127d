"""A worker without enough memory: the job fails with the reason, the worker lives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.faults.conftest import Fault
from tests.workers.running_site import IMPATIENT, Site, scores, scores_of_the_script, small_file

RETRY = """
import sys
from benchmark.submissions import steering
from benchmark.submissions.models import Submission
from benchmark.submissions.states import Actor
steering.retry(Submission.objects.get(pk=sys.argv[1]), Actor.OWNER)
"""
TOO_LITTLE_MB = "800"
"""Enough to have the small file checked; not enough to load what trains."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site", **IMPATIENT)
    yield site
    site.kill_all()


def error_of(site: Site, submission: str) -> str:
    return str(site.rows("select error from submissions_submission where id = ?", submission)[0][0])


@pytest.mark.slow
def test_a_job_beyond_its_memory_fails_with_the_reason_and_a_retry_elsewhere_succeeds(site: Site, fault: Fault) -> None:
    submission = site.submit(small_file())
    site.start_worker(VECBOARD_JOB_MEMORY_MB=TOO_LITTLE_MB)
    site.start_beat()
    site.wait_until(lambda: site.is_over(submission))
    assert site.state(submission) == "failed"
    reasons = site.rows("select reason from submissions_submissioncell where state = 'failed'")
    assert any("more memory than the worker has" in reason for (reason,) in reasons), reasons
    assert site.rows("select max(tries) from submissions_submissioncell")[0][0] == 3
    assert site.processes["worker"].poll() is None
    site.kill_worker()
    site.start_worker()
    site.python(RETRY, submission)
    site.wait_until(lambda: site.is_over(submission))
    assert scores(site.report(submission)) == scores_of_the_script()
    fault("a worker has too little memory (RLIMIT_AS)", 3, "fails with the reason after 3 tries; a retry succeeds")


def kill_child(site: Site) -> None:
    """Kill the pool process, as the kernel does when memory runs out."""
    for child in psutil.Process(site.processes["worker"].pid).children():
        child.kill()


@pytest.mark.slow
def test_a_job_whose_process_the_kernel_kills_fails_after_three_tries_and_the_others_go_on(
    site: Site, fault: Fault
) -> None:
    submission = site.submit(small_file())
    site.start_worker()
    site.start_beat()
    running = "select tries from submissions_submissioncell where task = 'nli' and mode = 'fixed' and state = 'running'"
    for tries in (1, 2, 3):
        site.wait_until(lambda: site.rows(running) == [(tries,)])  # noqa: B023
        kill_child(site)
    site.wait_until(lambda: site.is_over(submission))
    assert "out of memory" in error_of(site, submission)
    assert site.runs(submission, "failed") == 1
    assert site.runs(submission, "done") >= 13
    assert site.processes["worker"].poll() is None
    fault("the kernel kills a job's process", 3, "that job fails after 3 tries with the reason; the worker lives")
