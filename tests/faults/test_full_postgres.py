"""PostgreSQL's disk fills up in the middle of an upload and of a report: both end as if nothing had happened."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.faults.conftest import Fault
from tests.faults.test_announced_bytes import UNBOUND, Uploads, cramped_postgres
from tests.servers import eventually
from tests.workers.running_site import IMPATIENT, Site, scores, scores_of_the_script, small_file

__all__ = ["cramped_postgres"]
pytestmark = [pytest.mark.postgres, pytest.mark.slow]
CONTENT = b"\x1f\x8b" + hashlib.shake_256(b"vectors").digest(500_000)
MEASURE_ALL = """
import sys
from benchmark.submissions.models import SubmissionCell
from workers import queue, runner
queue.send = lambda *_, **__: None
runner.run("check_submission", sys.argv[1])
runner.run("start_cells", sys.argv[1])
for cell in SubmissionCell.objects.filter(submission=sys.argv[1]):
    runner.run("run_cell", cell.pk)
"""


@contextmanager
def full(database: str) -> Iterator[psycopg.Connection]:
    """Fill the disk of the tables for the time of the block; a connection, as a new one may not be possible."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("create table filler (text text)")
        with pytest.raises(psycopg.errors.DiskFull):  # of a statement that fails, the pages remain
            connection.execute("insert into filler select repeat('x', 1000) from generate_series(1, 50000)")
        yield connection
        connection.execute("drop table filler")


@pytest.fixture
def site(cramped_postgres: str, tmp_path: Path) -> Iterator[Site]:
    settings = UNBOUND | IMPATIENT | {"VECBOARD_UPLOADS_PER_DAY": "0"}
    site = Site(tmp_path / "site", "", cramped_postgres, **settings)
    yield site
    site.kill_all()


def test_an_upload_goes_on_when_postgresql_has_room_again(site: Site, fault: Fault) -> None:
    uploads, half = Uploads(site.start_web()), len(CONTENT) // 2
    upload = uploads.begin(len(CONTENT)).json()["id"]
    assert uploads.put(upload, CONTENT[:half]).status_code == 200
    with full(site.database_url):
        assert 507 in {answer.status_code for answer in uploads.begin_until_refused()}
        assert uploads.put(upload, CONTENT[half:], half).status_code in (200, 507)
        assert uploads.finish(upload).status_code in (202, 409, 507)
    offset = sum(part.stat().st_size for part in (site.var / "storage" / "incoming").glob(f"{upload}*.part"))
    if site.state(upload) == "receiving" and offset < len(CONTENT):
        assert uploads.put(upload, CONTENT[offset:], offset).status_code == 200
    assert uploads.finish(upload).status_code == 202
    stored = site.rows("select file_sha256, state from submissions_submission where id = ?", upload)
    assert stored == [(hashlib.sha256(CONTENT).hexdigest(), "uploaded")]
    fault("PostgreSQL is full in mid-upload", 1, "the upload goes on when there is room; same bytes")


def test_a_report_is_stored_when_postgresql_has_room_again(site: Site, fault: Fault) -> None:
    submission = site.submit(small_file())
    site.python(MEASURE_ALL, submission)
    assert site.state(submission) == "running"
    with full(site.database_url) as connection:
        site.start_worker()
        site.start_beat()
        eventually(lambda: "OperationalError" in (site.var / "worker.log").read_text(), 300)
        assert connection.execute("select state, report_id from submissions_submission").fetchall() == [
            ("running", None)
        ]
    site.wait_until(lambda: site.is_over(submission))
    assert scores(site.report(submission)) == scores_of_the_script()
    fault("PostgreSQL is full while a report is stored", 1, "same report when there is room")
