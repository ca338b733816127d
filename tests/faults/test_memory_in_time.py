"""The memory of web and worker does not grow with the number of requests and jobs.

Memory rises while caches fill and the allocator finds its size, and then stays: with a leak, each further block of
equal work adds as much as the one before. So the last third of the work may add only a small part of what is there.
Only memory that no other process shares is counted.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.faults.conftest import Fault
from tests.workers.running_site import ONE_EACH, Site, small_file

BLOCKS = 9
MOST_GROWTH = 1.05
"""Noise and caches that still fill add less; 10 kB lost per request, or 5 MB per submission, add more."""
LONG = int(os.environ.get("VECBOARD_LONG_RUN", "1"))
"""Multiple of the work; with 20, the web process answers for more than ten minutes, and finds smaller losses."""
REQUESTS, SUBMISSIONS = 160 * LONG, LONG
NEW = {"name": "small", "files": [{"name": "small.gz", "bytes": 1000}]}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site", VECBOARD_WRITES_PER_MINUTE="0", VECBOARD_UPLOADS_PER_DAY="0", **ONE_EACH)
    yield site
    site.kill_all()


def unique_bytes(site: Site, name: str) -> int:
    """Memory of a process and its descendants that none shares."""
    parent = psutil.Process(site.processes[name].pid)
    return sum(process.memory_full_info().uss for process in (parent, *parent.children(recursive=True)))


def growth(after: list[int]) -> float:
    """Median of the last third of the blocks, relative to that of the second third."""
    third = len(after) // 3
    return statistics.median(after[-third:]) / statistics.median(after[third:-third])


def test_the_web_process_keeps_its_size(site: Site, fault: Fault) -> None:
    after = []
    with httpx.Client(base_url=site.start_web(), timeout=120) as client:
        for _ in range(BLOCKS):
            for number in range(REQUESTS // 4):
                assert client.get("/", params={"q": f"word {number}"}).status_code == 200
                assert client.get("/api/v1/leaderboard").status_code == 200
                begun = client.post("/api/v1/uploads", json=NEW).json()
                owner = {"Authorization": f"Bearer {begun['token']}"}
                assert client.delete(f"/api/v1/uploads/{begun['id']}", headers=owner).status_code == 204
            after.append(unique_bytes(site, "web"))
    assert growth(after) < MOST_GROWTH, after
    fault("a web process answers request after request", BLOCKS * REQUESTS, "its memory stays")


@pytest.mark.slow
def test_the_worker_keeps_its_size(site: Site, fault: Fault) -> None:
    """The same file again and again: it is read and checked each time, and its cells and its report are stored."""
    after = []
    site.start_worker()
    for _ in range(BLOCKS):
        for _ in range(SUBMISSIONS):
            submission = site.submit(small_file())
            site.wait_until(lambda: site.is_over(submission))  # noqa: B023
            assert site.state(submission) == "done"
        after.append(unique_bytes(site, "worker"))
    assert growth(after) < MOST_GROWTH, after
    fault("a worker measures file after file", BLOCKS * SUBMISSIONS, "its memory stays")
