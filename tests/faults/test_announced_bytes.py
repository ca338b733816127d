"""Uploads that announce more than the disk has, and a disk without a byte: a clear refusal, and stored data is kept."""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from benchmark.submissions.receiving import PIECE_BYTES
from tests.databases import migrate
from tests.faults.conftest import Fault
from tests.faults.disk import Filler, SmallDisk
from tests.servers import Postgres, eventually
from tests.workers.running_site import Site

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small tmpfs to fill up")
MEGABYTE = 1_000_000
FLOOR = 15 * MEGABYTE
SIZE = 21 * MEGABYTE
LARGE = b"\x1f\x8b" + hashlib.shake_256(b"large").digest(SIZE - 2)
REFUSALS = 20
FLOORED = {"VECBOARD_DISK_STOP_BYTES": str(FLOOR), "VECBOARD_DISK_LOW_BYTES": "0"}
UNBOUND = {"VECBOARD_DISK_STOP_BYTES": "0", "VECBOARD_DISK_LOW_BYTES": "0", "VECBOARD_OPEN_UPLOADS": "0"}


class Uploads:
    """Uploads in pieces through the API, from several addresses, as one address may take half of the room."""

    def __init__(self, address: str) -> None:
        self.api = f"{address}/api/v1/uploads"
        self.client = httpx.Client(timeout=120)
        self.tokens: dict[str, dict[str, str]] = {}
        transports = (httpx.HTTPTransport(local_address=f"127.0.0.{nth}") for nth in range(2, 10))
        self.visitors = itertools.cycle([httpx.Client(transport=transport, timeout=120) for transport in transports])

    def begin(self, size: int = SIZE, **fields: Any) -> httpx.Response:
        body = {"name": "large", "files": [{"name": "large.gz", "bytes": size}]} | fields
        answer = next(self.visitors).post(self.api, json=body)
        if answer.status_code == 201:
            self.tokens[answer.json()["id"]] = {
                "Authorization": f"Bearer {answer.json()['token']}",
                "Content-Type": "application/octet-stream",
            }
        return answer

    def begin_until_refused(self) -> list[httpx.Response]:
        """Begin uploads with long descriptions until REFUSALS of them were refused for lack of room, 1500 at most."""
        answers: list[httpx.Response] = []
        while len(answers) < 1500 and sum(answer.status_code == 507 for answer in answers) < REFUSALS:
            answers.append(self.begin(1000, description="x" * 2000))
        return answers

    def put(self, upload: str, content: bytes, offset: int = 0) -> httpx.Response:
        """Send pieces until one is refused; the last answer."""
        for start in range(0, len(content) or 1, PIECE_BYTES):
            address = f"{self.api}/{upload}?offset={offset + start}"
            answer = self.client.put(address, content=content[start : start + PIECE_BYTES], headers=self.tokens[upload])
            if answer.status_code != 200:
                break
        return answer

    def stop(self, upload: str) -> httpx.Response:
        return self.client.delete(f"{self.api}/{upload}", headers=self.tokens[upload])

    def finish(self, upload: str) -> httpx.Response:
        return self.client.post(f"{self.api}/{upload}/finish", headers=self.tokens[upload])


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def site(request: pytest.FixtureRequest, tmp_path: Path, small_disk: SmallDisk) -> Iterator[Site]:
    """A web process whose disk, with SQLite the database's too, has 64 MiB, and 15 MB of them are kept free."""
    url = request.getfixturevalue("database_url") if request.param == "postgresql" else ""
    small_disk(tmp_path / "site", "64m")
    site = Site(tmp_path / "site", "", url, **FLOORED)
    yield site
    site.kill_all()


def free(site: Site) -> int:
    return shutil.disk_usage(site.var).free


def test_four_uploads_that_announce_more_than_there_is(site: Site, fault: Fault) -> None:
    uploads = Uploads(site.start_web())
    answers = [uploads.begin() for _ in range(4)]
    accepted = len(uploads.tokens)
    assert (free(site) - FLOOR) // SIZE == accepted in (1, 2)
    refused = [answer for answer in answers if answer.status_code != 201]
    assert {(answer.status_code, answer.json()["error"]["code"]) for answer in refused} == {(507, "no-space")}
    *others, last = uploads.tokens
    assert uploads.put(last, LARGE[: SIZE // 2]).status_code == 200
    assert uploads.begin().status_code == 507  # what arrived is on the disk, the rest is still to come
    for upload in others:
        assert uploads.put(upload, LARGE).status_code == 200
        assert uploads.finish(upload).status_code == 202
    assert uploads.put(last, LARGE[SIZE // 2 :], SIZE // 2).status_code == 200
    eventually(lambda: free(site) >= FLOOR)  # once the web server's copy of the body is gone
    assert uploads.begin(SIZE // 2).status_code == 507
    assert uploads.stop(last).status_code == 204
    assert uploads.begin(SIZE // 2).status_code == 201  # its room is free again
    fault(
        "four uploads announce more than the disk has",
        4,
        "those that fit above the reserve begin; the rest are refused",
    )


def test_the_floor_holds_although_something_else_takes_the_room(site: Site, fault: Fault) -> None:
    uploads = Uploads(site.start_web())
    upload = uploads.begin().json()["id"]
    assert uploads.put(upload, LARGE[:MEGABYTE]).status_code == 200
    other = Filler(site.var)
    other.path.write_bytes(bytes(free(site) - FLOOR - 2 * MEGABYTE))
    answer = uploads.put(upload, LARGE[MEGABYTE:], MEGABYTE)
    assert (answer.status_code, answer.json()["error"]["code"]) == (507, "no-space")
    eventually(lambda: free(site) >= FLOOR)  # once the web server's copy of the body is gone
    assert httpx.post(uploads.api.replace("uploads", "submissions"), **whole(LARGE), timeout=120).status_code == 507
    assert free(site) >= FLOOR
    other.go()
    offset = sum(part.stat().st_size for part in (site.var / "storage" / "incoming").glob("*.part"))
    assert uploads.put(upload, LARGE[offset:], offset).status_code == 200
    fault(
        "something else fills the reserved space while files arrive",
        2,
        "free space is checked for each block; both are refused",
    )


def whole(content: bytes) -> dict[str, Any]:
    return {"data": {"name": "large"}, "files": {"file": ("large.gz", content)}}


def test_a_disk_without_a_byte_damages_nothing(site: Site, fault: Fault) -> None:
    """An upload is stopped and an entry deleted at the latest when there is room again."""
    site.environment |= UNBOUND
    uploads = Uploads(site.start_web())
    small = b"\x1f\x8b" + bytes(1000)
    kept, deleted, begun, untouched = (uploads.begin(len(small)).json()["id"] for _ in range(4))
    for upload in (kept, deleted):
        uploads.put(upload, small)
        assert uploads.finish(upload).status_code == 202
    assert uploads.put(begun, small[:500]).status_code == 200
    filler = Filler(site.var)
    for block in (64 * 1024, 4096, 1):
        filler.fill(block)
    assert free(site) == 0
    answer = uploads.put(untouched, small)
    assert (answer.status_code, answer.json()["error"]["code"]) == (507, "no-space")
    stopped = {upload: uploads.stop(upload).status_code for upload in (untouched, begun)}
    assert set(stopped.values()) <= {204, 507}
    filler.go()
    assert {uploads.stop(upload).status_code for upload, status in stopped.items() if status == 507} <= {204}
    cookie = {f"owner-{deleted}": uploads.tokens[deleted]["Authorization"].removeprefix("Bearer ")}
    pages = httpx.Client(base_url=uploads.api.partition("/api")[0], cookies=cookie, timeout=60)
    form = pages.get(f"/s/{deleted}/delete")
    token = form.text.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    assert pages.post(f"/s/{deleted}/delete", data={"csrfmiddlewaretoken": token}).status_code == 302
    assert pages.get("/").status_code == 200
    states = dict(site.rows("select id, state from submissions_submission where deleted_at is null"))
    assert states == {kept: "uploaded", begun: "cancelled", untouched: "cancelled"}
    # The file of the deleted one stays as long as its deletion can be undone.
    assert [path.read_bytes() for path in (site.var / "storage" / "uploads").rglob("*.gz")] == [small, small]
    if not site.database_url:
        assert sqlite3.connect(site.var / "vecboard.sqlite3").execute("pragma integrity_check").fetchall() == [("ok",)]
    fault(
        "a disk without a byte, the database's too",
        3,
        "stored data is unchanged; cancelling and deleting work when there is room",
    )


def test_a_database_without_room_refuses_rows_and_keeps_its_data(site: Site, fault: Fault) -> None:
    """SQLite on the full disk: rows are refused with the reason, until there is room again."""
    if site.database_url:
        pytest.skip("PostgreSQL's own disk is filled in the next test")
    site.environment |= UNBOUND
    uploads = Uploads(site.start_web())
    small = b"\x1f\x8b" + bytes(1000)
    first = uploads.begin(len(small)).json()["id"]
    uploads.put(first, small)
    filler = Filler(site.var)
    for block in (64 * 1024, 4096, 1):
        filler.fill(block)
    answers = uploads.begin_until_refused()
    said = {(answer.status_code, answer.json().get("error", {}).get("code")) for answer in answers}
    assert (507, "no-space") in said
    assert said <= {(507, "no-space"), (201, None)}
    refused = uploads.finish(first)
    assert refused.status_code in (202, 507)
    filler.go()
    assert uploads.finish(first).status_code == 202
    assert site.state(first) == "uploaded"
    assert [path.read_bytes() for path in (site.var / "storage" / "uploads").rglob("*.gz")] == [small]
    assert uploads.begin().status_code == 201
    fault(
        "SQLite has no room for a row",
        REFUSALS,
        "answered with 507; an upload that could not be finished is finished when there is room",
    )


@pytest.fixture
def cramped_postgres(tmp_path: Path, small_disk: SmallDisk) -> Iterator[str]:
    """A database whose tables are on a small disk; the server's log is on a large one."""
    with Postgres() as server:
        folder = server.directory / "small"
        small_disk(folder, "40m")
        if server.account:
            os.chown(folder, server.account.pw_uid, server.account.pw_gid)
        with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
            connection.execute(f"create tablespace small location '{folder}'")  # type: ignore[arg-type]
            connection.execute("create database cramped tablespace small")
        migrate({"DATABASE_URL": server.url("cramped"), "VECBOARD_VAR": str(tmp_path / "var")})
        yield server.url("cramped")


@pytest.mark.postgres
def test_postgresql_without_room_refuses_rows_and_keeps_its_data(
    cramped_postgres: str, tmp_path: Path, fault: Fault
) -> None:
    site = Site(tmp_path / "site", "", cramped_postgres, **UNBOUND, VECBOARD_UPLOADS_PER_DAY="0")
    try:
        uploads = Uploads(site.start_web())
        first = uploads.begin(1000).json()["id"]
        with psycopg.connect(cramped_postgres, autocommit=True) as connection:
            connection.execute("create table filler (text text)")
            fill = "insert into filler select repeat('x', 1000) from generate_series(1, 50000)"
            with pytest.raises(psycopg.errors.DiskFull):  # of a statement that fails, the pages remain
                connection.execute(fill)
            answers = uploads.begin_until_refused()
            said = {(answer.status_code, answer.json().get("error", {}).get("code")) for answer in answers}
            assert (507, "no-space") in said
            assert said <= {(507, "no-space"), (201, None)}
            connection.execute("drop table filler")
        assert site.state(first) == "receiving"
        assert uploads.begin(1000).status_code == 201
        assert uploads.stop(first).status_code == 204
    finally:
        site.kill_all()
    fault(
        "PostgreSQL has no room for a row",
        REFUSALS,
        "answered with 507; stored data stays; work resumes when there is room",
    )
