"""Requests at the same moment, to several processes, share one bound.

Quick tests of the counters that several processes share are in ``tests/benchmark/test_file_cache.py``.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from benchmark.people.study_pages import NEW_STUDIES
from tests.workers.running_site import Site

pytestmark = pytest.mark.slow
BOUNDS = {"WEB_CONCURRENCY": "3", "VECBOARD_BYTES_PER_DAY": "2500000", "VECBOARD_DISK_STOP_BYTES": "0"}


@pytest.fixture(
    scope="module",
    params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.redis])],
)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Three web processes and room for two uploads, over SQLite and the embedded broker or PostgreSQL and Redis."""
    addresses = []
    if request.param == "postgresql":
        addresses = [request.getfixturevalue("redis").url, request.getfixturevalue("postgres").create("flood")]
    site = Site(tmp_path_factory.mktemp("site"), *addresses, **BOUNDS)
    try:
        site.start_web()
        yield site
    finally:
        site.kill_all()


@pytest.fixture
def address(site: Site) -> str:
    return f"http://127.0.0.1:{site.port}"


def test_requests_at_the_same_moment_share_one_bound(site: Site, address: str) -> None:
    """Sixteen uploads begin at once, and the day's bytes have room for two of them."""

    def begin(n: int) -> int:
        body: dict[str, Any] = {"name": f"large {n}", "files": [{"name": "large.gz", "bytes": 1_000_000}]}
        headers = {"Content-Type": "application/json"}
        return httpx.post(
            f"{address}/api/v1/uploads", content=json.dumps(body), headers=headers, timeout=60
        ).status_code

    with ThreadPoolExecutor(16) as at_once:
        answers = list(at_once.map(begin, range(16)))
    assert sorted(set(answers)) == [201, 429]
    assert answers.count(201) == 2
    announced = site.rows("select count(*) from submissions_partialfile")
    assert announced == [(2,)]


STUDY = {
    **{"title": "Words", "kind": "triads", "language": "en", "cues": "freedom", "raters_wanted": "50"},
    **{"practice": "kitchen: oven / comet", "screeners": "winter: snow / invoice"},
    **{"licence": "CC BY 4.0", "retention_days": "90"},
}


def test_studies_made_at_the_same_moment_share_one_bound(site: Site, address: str) -> None:
    """Several processes count forty-eight requests from one client, sixteen at a time."""

    def window() -> int:
        return int(time.time()) // NEW_STUDIES.seconds

    def studies() -> int:
        return int(site.rows("select count(*) from people_study")[0][0])

    began, visitors = -1, itertools.count(1)
    while began != window():  # another visitor, if the window has ended meanwhile
        began, before = window(), studies()
        visitor = httpx.HTTPTransport(local_address=f"127.0.7.{next(visitors)}")
        with httpx.Client(base_url=address, timeout=60, transport=visitor) as browser:
            browser.get("/people/new")
            form = STUDY | {"csrfmiddlewaretoken": browser.cookies["csrftoken"]}
            with ThreadPoolExecutor(16) as at_once:
                answers = list(at_once.map(lambda _: browser.post("/people/new", data=form).status_code, range(48)))  # noqa: B023
    assert set(answers) == {302, 429}
    assert answers.count(302) == NEW_STUDIES.most
    assert studies() - before == NEW_STUDIES.most
