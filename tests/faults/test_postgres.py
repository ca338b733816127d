"""PostgreSQL restarts while jobs write to it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import Fault
from tests.servers import Postgres
from tests.workers.running_site import IMPATIENT, Site, scores, scores_of_the_script, small_file

pytestmark = [pytest.mark.postgres, pytest.mark.redis]

PATIENT_WITH_JOBS = IMPATIENT | {"VECBOARD_SILENCE_SECONDS": "25"}
"""A job that the restart didn't touch isn't taken for a lost one on a busy machine: it would count as one more try."""


@pytest.fixture
def own_postgres() -> Iterator[Postgres]:
    with Postgres() as server:
        yield server


@pytest.mark.parametrize("times", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_a_run_survives_a_database_that_restarts_under_load(
    times: int, own_postgres: Postgres, redis_url: str, tmp_path: Path, fault: Fault
) -> None:
    site = Site(tmp_path / "site", redis_url, own_postgres.create("site"), **PATIENT_WITH_JOBS)
    try:
        submission = site.submit(small_file())
        site.start_worker()
        site.start_beat()
        for restart in range(times):
            site.wait_until(lambda: site.runs(submission, "done") >= 1 + 2 * restart)  # noqa: B023
            own_postgres.stop(own_postgres.end_signal)
            time.sleep(1.5)
            own_postgres.start()
        site.wait_until(lambda: site.is_over(submission))
        assert scores(site.report(submission)) == scores_of_the_script()
        tries = site.rows("select max(tries) from submissions_submissioncell")[0][0]
    finally:
        site.kill_all()
    assert tries <= 2
    fault("PostgreSQL is restarted under load", times, "same report; workers resume by themselves")
