"""The process that reads an uploaded file hangs, is cancelled, or loses its worker."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.faults.conftest import Fault
from tests.faults.test_cancel import CANCEL
from tests.workers.running_site import IMPATIENT, Site, small_file

SILENCE = int(IMPATIENT["VECBOARD_SILENCE_SECONDS"])


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site", **IMPATIENT)
    yield site
    site.kill_all()


def submit_endless(site: Site) -> str:
    """A stored file whose first byte never comes: its reader blocks in the kernel."""
    submission = site.submit(small_file())
    (stored,) = (site.var / "storage" / "uploads").rglob(f"{submission}.gz")
    stored.unlink()
    os.mkfifo(stored)
    return submission


def readers(site: Site) -> list[psutil.Process]:
    found = []
    for process in psutil.Process(site.processes["worker"].pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if "tasks.formats.child" in process.cmdline():
                found.append(process)
    return found


def test_a_reader_that_hangs_is_ended_and_the_sweeper_leaves_it_alone_until_then(site: Site, fault: Fault) -> None:
    submission = submit_endless(site)
    began = time.monotonic()
    site.start_worker(VECBOARD_PARSE_SECONDS=str(2 * SILENCE), VECBOARD_MOST_TRIES="2")
    site.start_beat()
    site.wait_until(lambda: bool(readers(site)))
    first = readers(site)
    site.wait_until(lambda: readers(site) != first)
    assert time.monotonic() - began > 2 * SILENCE
    site.wait_until(lambda: site.is_over(submission))
    found = site.rows("select state, check_tries, error from submissions_submission where id = ?", submission)
    assert found[0][:2] == ("failed", 2)
    assert "through no fault of it, in 2 tries" in str(found[0][2])
    assert "stood still" in str(found[0][2])
    assert readers(site) == []
    fault("reading a file hangs", 1, "ended after VECBOARD_PARSE_SECONDS; tried again, then fails with the reason")


def test_cancelling_ends_the_reader(site: Site, fault: Fault) -> None:
    submission = submit_endless(site)
    site.start_worker()
    site.wait_until(lambda: bool(readers(site)))
    assert site.python(CANCEL, submission) == "cancelled"
    site.wait_until(lambda: not readers(site))
    other = site.submit(small_file())
    site.wait_until(lambda: site.state(other) in ("queued", "running"))
    assert site.state(submission) == "cancelled"
    fault("cancelled while reading its file hangs", 1, "its reader ends; the worker goes on")


def test_a_worker_that_is_killed_leaves_no_reader_behind(site: Site, fault: Fault) -> None:
    submission = submit_endless(site)
    site.start_worker()
    site.start_beat()
    site.wait_until(lambda: bool(readers(site)))
    (reader,) = readers(site)
    parent = reader.parent()
    assert parent is not None
    parent.kill()
    assert psutil.wait_procs([reader], timeout=60)[1] == []
    query = "select check_tries from submissions_submission where id = ?"
    site.wait_until(lambda: site.rows(query, submission) == [(2,)])
    fault("a worker is killed (-9) while its reader works", 1, "no process is left; the check is tried again")
