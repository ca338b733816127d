"""The web process is killed while a file arrives: the upload resumes after the last complete piece."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.faults.conftest import Fault
from tests.workers.running_site import Site, small_file

PIECE = 4_000_000


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site")
    yield site
    site.kill_all()


def in_halves(content: bytes, begun: threading.Event, killed: threading.Event) -> Iterator[bytes]:
    """A piece whose second half is sent when the process on the other side is gone."""
    yield content[: len(content) // 2]
    begun.set()
    killed.wait(120)
    yield content[len(content) // 2 :]


def send(site: Site, upload: str, headers: dict[str, str], offset: int, content: bytes | Iterator[bytes]) -> None:
    url = f"http://127.0.0.1:{site.port}/api/v1/uploads/{upload}?offset={offset}"
    try:
        httpx.put(url, content=content, headers=headers, timeout=60)
    except httpx.HTTPError:
        return  # the process on the other side was killed


@pytest.mark.parametrize("times", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_an_upload_goes_on_after_its_web_process_was_killed(times: int, site: Site, fault: Fault) -> None:
    content = small_file().read_bytes()[:1000] + hashlib.shake_256(b"rest").digest(2 * PIECE)
    address = site.start_web()
    announced = {"name": "large", "files": [{"name": "large.txt.gz", "bytes": len(content)}]}
    begun = httpx.post(f"{address}/api/v1/uploads", json=announced, timeout=30).json()
    headers = {"Authorization": f"Bearer {begun['token']}", "Content-Type": "application/octet-stream"}
    send(site, begun["id"], headers, 0, content[:PIECE])
    for _ in range(times):
        offset = offset_of(address, begun["id"], headers)
        begun_piece, killed = threading.Event(), threading.Event()
        piece = in_halves(content[offset : offset + PIECE], begun_piece, killed)
        part = (site, begun["id"], headers | {"Content-Length": str(PIECE)}, offset, piece)
        sending = threading.Thread(target=send, args=part)
        sending.start()
        assert begun_piece.wait(120)
        site.kill("web")
        killed.set()
        sending.join()
        site.start_web()
        assert offset_of(address, begun["id"], headers) == offset == PIECE
    send(site, begun["id"], headers, offset, content[offset:])
    assert httpx.post(f"{address}/api/v1/uploads/{begun['id']}/finish", headers=headers, timeout=60).status_code == 202
    query = "select file_sha256, state from submissions_submission"
    assert site.rows(query) == [(hashlib.sha256(content).hexdigest(), "uploaded")]
    outcome = "the upload resumes after the last complete piece; same bytes"
    fault("the web process is killed (-9) in mid-upload", times, outcome)


def offset_of(address: str, upload: str, headers: dict[str, str]) -> int:
    return int(httpx.head(f"{address}/api/v1/uploads/{upload}", headers=headers, timeout=30).headers["Upload-Offset"])
