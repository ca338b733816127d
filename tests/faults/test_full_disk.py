"""The disk fills up while a file, a prepared matrix or a result is stored: a clear error, and no partial file."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.databases import NAME
from tests.faults.conftest import Fault
from tests.faults.disk import Filler, SmallDisk, enlarge
from tests.faults.test_memory import RETRY, error_of
from tests.servers import eventually, free_port
from tests.workers.running_site import IMPATIENT, ROOT, Site, scores, scores_of_the_script, small_file

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small tmpfs to fill up")
MEGABYTE = 1_000_000
LARGE = b"\x1f\x8b" + hashlib.shake_256(b"large").digest(6 * MEGABYTE)
NO_FLOOR = {"VECBOARD_DISK_STOP_BYTES": "0", "VECBOARD_DISK_LOW_BYTES": "0"}
"""Without the threshold that keeps uploads from a disk that is nearly full."""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest) -> str:
    """URL of the database, which is on another disk; empty for SQLite."""
    return str(request.getfixturevalue("database_url")) if request.param == "postgresql" else ""


@pytest.fixture
def site(tmp_path: Path, database: str) -> Iterator[Site]:
    site = Site(tmp_path / "site", "", database, **IMPATIENT)
    yield site
    site.kill_all()


def fails_for_the_disk_then_succeeds(site: Site, folder: Path) -> None:
    submission = site.submit(small_file())
    site.start_worker()
    site.start_beat()
    site.wait_until(lambda: site.is_over(submission))
    assert site.state(submission) == "failed"
    assert "full" in error_of(site, submission)
    assert not list(folder.rglob("*.part"))
    assert not list(folder.rglob(".partial-*"))
    enlarge(folder)
    site.python(RETRY, submission)
    site.wait_until(lambda: site.is_over(submission))
    assert scores(site.report(submission)) == scores_of_the_script()


def test_the_disk_is_full_while_the_prepared_vectors_are_stored(
    site: Site, small_disk: SmallDisk, fault: Fault
) -> None:
    small_disk(site.var / "prepared", "16k")
    fails_for_the_disk_then_succeeds(site, site.var / "prepared")
    fault("the disk is full while the prepared matrix is stored", 3, "fails with the reason; a retry succeeds")


@pytest.mark.slow
def test_the_disk_is_full_while_a_result_is_stored(site: Site, small_disk: SmallDisk, fault: Fault) -> None:
    small_disk(site.var / "storage" / "outcomes", "24k")
    fails_for_the_disk_then_succeeds(site, site.var / "storage" / "outcomes")
    fault("the disk is full while a result is stored", 3, "fails with the reason; a retry succeeds")


def start_of(site: Site) -> str:
    """Error output of ``manage.py up`` when it does not start."""
    command = [sys.executable, "manage.py", "up", "--port", str(free_port())]
    own = site.environment | {"VECBOARD_OFFLINE": "1", "SECRET_KEY": ""}
    done = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    return done.stderr


def test_the_disk_has_no_room_for_a_first_start(tmp_path: Path, small_disk: SmallDisk, fault: Fault) -> None:
    for size in ("4k", "1m", "50m"):
        site = Site(tmp_path / size)
        (site.var / NAME).unlink()
        small_disk(site.var, size)
        reported = start_of(site)
        assert f"{site.var} has" in reported
        assert "a first start needs about 100 MB there" in reported
        assert not (site.var / NAME).exists()
    fault("the disk has no room for a first start", 3, "ends with the directory and the space that is needed")


def test_the_disk_is_full_when_the_database_is_migrated(tmp_path: Path, small_disk: SmallDisk, fault: Fault) -> None:
    site = Site(tmp_path / "site")
    small_disk(site.var, "1m")
    (site.var / "swept").touch()  # as if it had been up before
    reported = start_of(site)
    assert "The disk is full (database or disk is full)" in reported
    assert f"{site.var} has" in reported
    fault("the disk is full when the database is migrated", 1, "ends with the directory and the space that is needed")


@pytest.fixture
def small_storage(tmp_path: Path, database: str, small_disk: SmallDisk) -> Iterator[tuple[Site, Filler]]:
    """A web process whose storage has room for one large file, both while it arrives and when it is stored."""
    site = Site(tmp_path / "site", "", database, **NO_FLOOR)
    small_disk(site.var / "storage", "32m")
    site.start_web()
    yield site, Filler(site.var / "storage")
    site.kill_all()


def form_of(content: bytes) -> tuple[dict[str, str], list[bytes]]:
    """Headers and body of the form as a browser without scripts sends it; the body in parts."""
    head = (
        b'--cut\r\nContent-Disposition: form-data; name="name"\r\n\r\nlarge\r\n--cut\r\n'
        b'Content-Disposition: form-data; name="file"; filename="large.gz"\r\n\r\n'
    )
    parts = [head, *(content[at : at + MEGABYTE] for at in range(0, len(content), MEGABYTE)), b"\r\n--cut--\r\n"]
    length = str(sum(map(len, parts)))
    return {"Content-Type": "multipart/form-data; boundary=cut", "Content-Length": length}, parts


def test_the_disk_fills_up_while_a_whole_file_arrives(small_storage: tuple[Site, Filler], fault: Fault) -> None:
    site, filler = small_storage
    headers, parts = form_of(LARGE)
    incoming = site.var / "storage" / "incoming"

    def body() -> Iterator[bytes]:
        yield from parts[:3]
        eventually(lambda: shutil.disk_usage(site.var / "storage").used > 1.9 * MEGABYTE)  # what has arrived
        filler.fill()
        yield from parts[3:]

    address = f"http://127.0.0.1:{site.port}/api/v1/submissions"
    refused = httpx.post(address, content=body(), headers=headers, timeout=120)
    assert (refused.status_code, refused.json()["error"]["code"]) == (507, "no-space")
    assert list(incoming.iterdir()) == []
    assert site.rows("select count(*) from submissions_submission") == [(0,)]
    filler.go()
    assert httpx.post(address, content=b"".join(parts), headers=headers, timeout=120).status_code == 202
    fault(
        "the disk is full while a file is stored",
        1,
        "refused with the reason, nothing is left; accepted when there is room",
    )


def test_the_disk_fills_up_while_a_piece_arrives(small_storage: tuple[Site, Filler], fault: Fault) -> None:
    site, filler = small_storage
    announced = {"name": "large", "files": [{"name": "large.gz", "bytes": len(LARGE)}]}
    api = f"http://127.0.0.1:{site.port}/api/v1/uploads"
    begun = httpx.post(api, json=announced, timeout=60).json()
    headers = {"Authorization": f"Bearer {begun['token']}", "Content-Type": "application/octet-stream"}
    place = f"{api}/{begun['id']}"
    assert httpx.put(f"{place}?offset=0", content=LARGE[:MEGABYTE], headers=headers, timeout=60).status_code == 200
    filler.fill()
    full = httpx.put(f"{place}?offset={MEGABYTE}", content=LARGE[MEGABYTE:], headers=headers, timeout=60)
    assert (full.status_code, full.json()["error"]["code"]) == (507, "no-space")
    filler.go()
    offset = int(httpx.head(place, headers=headers, timeout=60).headers["Upload-Offset"])
    assert MEGABYTE <= offset < len(LARGE)
    assert httpx.put(f"{place}?offset={offset}", content=LARGE[offset:], headers=headers, timeout=60).status_code == 200
    assert httpx.post(f"{place}/finish", headers=headers, timeout=60).status_code == 202
    assert site.rows("select file_sha256 from submissions_submission") == [(hashlib.sha256(LARGE).hexdigest(),)]
    fault(
        "the disk is full while a piece is stored",
        1,
        "refused with the reason; what arrived is kept, the upload resumes from there",
    )
