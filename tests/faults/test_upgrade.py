"""A site is upgraded, or restored elsewhere, while half of a file has arrived: the upload goes on."""

from __future__ import annotations

import hashlib
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.databases import NAME
from tests.faults.conftest import Fault
from tests.servers import Postgres
from tests.workers.running_site import Site

HALF = 2_000_000
CONTENT = b"\x1f\x8b" + hashlib.shake_256(b"vectors").digest(2 * HALF - 2)


class HalfUpload:
    """The first half of a file, sent to a site; the second half may go to its successor."""

    def __init__(self, address: str) -> None:
        announced = {"name": "large", "files": [{"name": "large.gz", "bytes": len(CONTENT)}]}
        begun = httpx.post(f"{address}/api/v1/uploads", json=announced, timeout=60).json()
        self.place = f"/api/v1/uploads/{begun['id']}"
        self.headers = {"Authorization": f"Bearer {begun['token']}", "Content-Type": "application/octet-stream"}
        assert self.send(address, 0, HALF) == 200

    def send(self, address: str, start: int, end: int) -> int:
        url = f"{address}{self.place}?offset={start}"
        return httpx.put(url, content=CONTENT[start:end], headers=self.headers, timeout=60).status_code

    def offset(self, address: str) -> int:
        return int(httpx.head(address + self.place, headers=self.headers, timeout=60).headers["Upload-Offset"])

    def finish(self, address: str) -> int:
        return httpx.post(f"{address}{self.place}/finish", headers=self.headers, timeout=60).status_code


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def sites(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Site, Site]]:
    """A site, and one without tables in its database."""
    addresses = ["", ""]
    if request.param == "postgresql":
        server: Postgres = request.getfixturevalue("postgres")
        addresses = [server.create("upgraded"), server.create_empty("restored")]
    both = tuple(Site(tmp_path / name, "", url) for name, url in zip(("old", "new"), addresses, strict=True))
    if not addresses[1]:
        (both[1].var / NAME).unlink()
    yield both
    for site in both:
        site.kill_all()


def ends_with_the_same_bytes(site: Site, upload: HalfUpload, address: str, start: int) -> None:
    assert upload.offset(address) == start
    assert upload.send(address, start, len(CONTENT)) == 200
    assert upload.finish(address) == 202
    rows = site.rows("select file_sha256, state from submissions_submission")
    assert rows == [(hashlib.sha256(CONTENT).hexdigest(), "uploaded")]


def test_half_an_upload_outlives_backup_migration_and_restart(
    sites: tuple[Site, Site], tmp_path: Path, fault: Fault
) -> None:
    site, elsewhere = sites
    upload = HalfUpload(site.start_web())
    site.manage("backup", str(tmp_path / "backups"))
    web = site.processes.pop("web")
    web.send_signal(signal.SIGTERM)
    assert web.wait(60) == 0
    site.manage("migrate", "--noinput")
    ends_with_the_same_bytes(site, upload, site.start_web(), HALF)
    elsewhere.manage("restore", str(tmp_path / "backups"))
    elsewhere.manage("migrate", "--noinput")
    ends_with_the_same_bytes(elsewhere, upload, elsewhere.start_web(), 0)
    fault("a site is upgraded or restored with half an upload", 2, "it goes on from there, or from its beginning")
