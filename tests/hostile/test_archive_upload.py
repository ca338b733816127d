"""An archive that kept worker after worker busy for hours, sent by a stranger to a complete site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.hostile.archives import HARMFUL, packed
from tests.workers.running_site import IMPATIENT, ONE_EACH, Site, small_file

DIGITS = packed(HARMFUL["16 MB of digits as records"])


pytestmark = pytest.mark.slow


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """One worker, a frequent sweeper, and one file per day for each visitor."""
    database_url = "" if request.param == "sqlite" else request.getfixturevalue("database_url")
    site = Site(tmp_path / "site", "", database_url, VECBOARD_UPLOADS_PER_DAY="1", **ONE_EACH, **IMPATIENT)
    yield site
    site.kill_all()


def send(site: Site, content: bytes) -> str:
    file = {"file": ("runs.tar.gz", content, "application/gzip")}
    address = f"http://127.0.0.1:{site.port}/api/v1/submissions"
    answer = httpx.post(address, data={"name": "a stranger's"}, files=file, timeout=60)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


def test_it_is_refused_once_costs_no_quota_and_the_next_file_is_checked(site: Site) -> None:
    assert len(DIGITS) < 17_000
    site.start_web()
    harmful = send(site, DIGITS)
    site.start_worker()
    site.start_beat()
    site.wait_until(lambda: site.is_over(harmful))
    found = site.rows("select state, check_tries, error from submissions_submission where id = ?", harmful)
    assert found[0][:2] == ("rejected", 1)
    assert "bad-archive" in str(found[0][2])
    honest = send(site, small_file().read_bytes())
    site.wait_until(lambda: site.state(honest) not in ("uploaded", "checking"))
    assert site.state(honest) in ("queued", "running")
    assert site.rows("select check_tries from submissions_submission where id = ?", harmful) == [(1,)]
