"""The web process and a worker, connected by a broker: a demo submission from upload to report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workers.running_site import Site, scores, scores_of_the_script, small_file


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Over the embedded broker."""
    site = Site(tmp_path_factory.mktemp("site"))
    site.start_worker()
    yield site
    site.kill_worker()


@pytest.fixture(scope="module")
def finished(site: Site) -> str:
    """An undisturbed submission, finished."""
    submission = site.submit(small_file())
    site.wait_until(lambda: site.state(submission) in ("done", "failed", "rejected"))
    return submission


def test_over_the_embedded_broker_a_submission_gets_the_scores_of_the_script(site: Site, finished: str) -> None:
    assert site.state(finished) == "done", site.log()
    report = site.report(finished)
    assert report["suite"]["id"] == "demo"
    assert len(report["results"]) >= 12
    assert scores(report) == scores_of_the_script()


def test_the_same_vectors_again_reuse_every_result(site: Site, finished: str) -> None:
    again = site.submit(small_file())
    site.wait_until(lambda: site.state(again) == "done")
    assert site.report(again)["results"] == site.report(finished)["results"]


OUTDATE = """
from benchmark.submissions.models import Submission, SubmissionCell
SubmissionCell.objects.filter(task="questions", mode="fixed").update(task_hash="of an earlier definition")
Submission.objects.update(suite_version=0)
"""


def test_only_a_changed_task_is_measured_again_and_the_earlier_report_stays(site: Site, finished: str) -> None:
    site.python(OUTDATE)
    kept = "select task, mode, finished_at from submissions_submissioncell where submission_id = ? and state = 'done' "
    others, one = f"{kept} and not (task = 'questions' and mode = 'fixed')", f"{kept} and task = 'questions'"
    before = site.rows(others, finished), site.rows(one, finished)
    assert "queued after all new work" in site.manage("reevaluate", "--suite", "demo")
    site.wait_until(lambda: site.state(finished) == "done" and len(site.reports(finished)) == 2)
    assert site.rows(others, finished) == before[0]
    assert site.rows(one, finished) != before[1]
    first, second = site.reports(finished)
    assert scores(first) == scores(second)


@pytest.mark.slow
@pytest.mark.redis
def test_over_redis_a_submission_gets_the_scores_of_the_script(redis_url: str, tmp_path: Path) -> None:
    site = Site(tmp_path / "site", redis_url)
    submission = site.submit(small_file())
    site.start_worker()
    try:
        site.wait_until(lambda: site.state(submission) in ("done", "failed"))
    finally:
        site.kill_worker()
    assert scores(site.report(submission)) == scores_of_the_script()
