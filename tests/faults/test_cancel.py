"""Cancelled at any state, a submission stays cancelled and takes no more work."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.faults.conftest import Fault
from tests.servers import eventually
from tests.workers.running_site import Site, small_file, write_vectors

CANCEL = """
import sys
from benchmark.submissions import steering
from benchmark.submissions.models import Submission
from benchmark.submissions.states import Actor
print(steering.cancel(Submission.objects.get(pk=sys.argv[1]), Actor.OWNER).state)
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site")
    yield site
    site.kill_all()


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Takes seconds to check."""
    words = [f"word{nth}" for nth in range(60_000)]
    return write_vectors(tmp_path_factory.mktemp("large") / "large.txt.gz", words, dimensions=60)


def test_cancelled_while_its_file_arrives(site: Site, fault: Fault) -> None:
    """On a slow line, while the second piece is on its way."""
    first, second = b"\x1f\x8b" + bytes(1_000_000), bytes(2_000_000)
    size = len(first) + len(second)
    api = f"{site.start_web()}/api/v1/uploads"
    announced = {"name": "large", "files": [{"name": "large.gz", "bytes": size}]}
    begun = httpx.post(api, json=announced, timeout=60).json()
    headers = {"Authorization": f"Bearer {begun['token']}"}
    place, cancelled = f"{api}/{begun['id']}", threading.Event()

    def slowly() -> Iterator[bytes]:
        yield second[:1_000_000]
        cancelled.wait(60)
        yield second[1_000_000:]

    assert httpx.put(f"{place}?offset=0", content=first, headers=headers, timeout=60).status_code == 200
    sending = {"Content-Length": str(len(second)), "Content-Type": "application/octet-stream"} | headers
    with ThreadPoolExecutor(1) as pool:
        piece = pool.submit(httpx.put, f"{place}?offset={len(first)}", content=slowly(), headers=sending, timeout=120)
        eventually(lambda: bool(list((site.var / "storage" / "incoming").glob("*.part"))))  # the piece has begun
        stopped = httpx.post(f"{api[:-8]}/submissions/{begun['id']}/cancel", headers=headers, timeout=60)
        cancelled.set()
        piece.result()
    assert stopped.json()["state"] == "cancelled"
    assert httpx.post(f"{place}/finish", headers=headers, timeout=60).status_code == 409
    assert site.state(begun["id"]) == "cancelled"
    assert not list((site.var / "storage").rglob("*.*"))
    fault("cancelled while its file arrives", 1, "no byte of it is kept")


def cancel_at(site: Site, submission: str, state: str) -> None:
    """Cancel in a state, which a worker that stands still cannot end before the cancelling process has started."""
    site.wait_until(lambda: site.state(submission) == state)
    if is_working := "worker" in site.processes:
        site.freeze()
    assert site.python(CANCEL, submission) == "cancelled"
    if is_working:
        site.thaw()


def stays_cancelled(site: Site, submission: str) -> bool:
    """Its running jobs end, and no further one begins."""
    site.wait_until(lambda: site.runs(submission, "running") == 0)
    done = site.runs(submission, "done")
    time.sleep(2)
    assert site.runs(submission, "running") == 0
    return site.state(submission) == "cancelled" and site.runs(submission, "done") == done


def test_cancelled_before_its_check(site: Site, fault: Fault) -> None:
    submission = site.submit(small_file())
    cancel_at(site, submission, "uploaded")
    site.start_worker()
    other = site.submit(small_file())
    site.wait_until(lambda: site.runs(other, "done") >= 1)
    assert stays_cancelled(site, submission)
    assert site.runs(submission, "waiting") == 0
    fault("cancelled when uploaded", 1, "never checked")


def test_cancelled_while_it_is_checked(site: Site, large_file: Path, fault: Fault) -> None:
    submission = site.submit(large_file)
    site.start_worker()
    cancel_at(site, submission, "checking")
    assert stays_cancelled(site, submission)
    fault("cancelled while its file is checked", 1, "the check stops; no job begins")


def test_cancelled_in_the_queue_and_in_mid_run(site: Site, fault: Fault) -> None:
    first, second = site.submit(small_file()), site.submit(small_file())
    site.start_worker()
    cancel_at(site, second, "queued")
    cancel_at(site, first, "running")
    assert stays_cancelled(site, first)
    assert stays_cancelled(site, second)
    assert not site.rows("select id from submissions_storedreport")
    fault("cancelled in the queue and while running", 2, "jobs stop within seconds; no report")
