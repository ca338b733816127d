"""One visitor asks for more than the site can do: everybody else goes first, and waiting work is bounded.

Quick tests of the counters that several processes share are in ``tests/benchmark/test_file_cache.py``.
"""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from extensions.people.study_pages import NEW_STUDIES
from tasks.suites import DEMO
from tests.workers.running_site import Site, small_file, write_vectors

pytestmark = pytest.mark.slow
REQUESTS = 40
MOST = 120
ENTRIES = 4
BOUNDS = {"WEB_CONCURRENCY": "3", "VECBOARD_BYTES_PER_DAY": "2500000", "VECBOARD_DISK_STOP_BYTES": "0"}
BOUNDS |= {"VECBOARD_OPEN_PAGE_JOBS": str(MOST)}
WORD_TASKS = sum(mode is None for _, mode in DEMO.cells())
OLD_ENTRY = """
import hashlib, shutil, sys
from pathlib import Path
from benchmark import storage
from benchmark.submissions.models import Submission
from workers.vectors import prepare_file
for path in map(Path, sys.argv[1:]):
    row = Submission(name=path.name, suite="demo", state="done")
    row.file_key = storage.upload_key(row.pk)
    row.file_sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    storage.publish(Path(shutil.copy(path, storage.path_of(f"incoming/{row.pk}"))), row.file_key)
    row.vectors_sha256 = prepare_file(row.file_key, row.file_sha256).sha256
    row.save()
    print(row.pk)
"""


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


class Stranger:
    """A visitor without an account."""

    def __init__(self, address: str) -> None:
        self.client = httpx.Client(base_url=address, timeout=60)

    def correlate(self, entries: list[str], cues: str) -> int:
        form = {"page": "compare", "e": entries, "cues": cues, "csrfmiddlewaretoken": self.token}
        return self.client.post("/compare/correlate", data=form).status_code

    def load(self, entries: list[str]) -> None:
        page = self.client.get("/compare/heat", params={"e": entries})
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
        assert found is not None, page.text[:500]
        self.token = found[1]


def messages(site: Site) -> int:
    return int(site.python("from workers.queue import length; print(length())"))


def waiting(site: Site) -> int:
    return int(site.rows("select count(*) from compare_paircorrelation where figures is null")[0][0])


def test_a_flood_of_comparisons_is_bounded_and_a_newcomer_does_not_wait_for_it(
    site: Site, address: str, tmp_path: Path
) -> None:
    words = [f"word{n}" for n in range(150)]
    files = [write_vectors(tmp_path / f"e{n}.txt.gz", words, 4 + n) for n in range(ENTRIES)]
    entries = site.python(OLD_ENTRY, *map(str, files)).split()
    stranger = Stranger(address)
    stranger.load(entries)
    with ThreadPoolExecutor(8) as several:
        answers = list(several.map(lambda n: stranger.correlate(entries, f"word{n % 150}, {n}"), range(REQUESTS)))
    pairs = ENTRIES * (ENTRIES - 1) // 2
    assert waiting(site) <= MOST
    assert set(answers) == {302, 429}
    assert answers.count(302) == MOST // pairs
    assert (stranger.correlate(entries, "one more"), messages(site)) == (429, MOST // pairs * pairs)

    asked = waiting(site)
    newcomer = site.submit(small_file())
    site.start_worker(VECBOARD_CONCURRENCY="1")
    site.wait_until(lambda: site.runs(newcomer, "done") > WORD_TASKS)  # a trained one too, and all have one priority
    assert waiting(site) >= asked - 30, "a newcomer waited for what was asked for on a page"


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
