"""The database takes no more requests for a while: 503 with the time to wait, and what is tried again succeeds."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import httpx
import pytest

from tests.databases import NAME
from tests.faults.conftest import Fault
from tests.servers import Postgres
from tests.web import Web

WRITERS = 100
NEW = {"name": "small", "files": [{"name": "small.gz", "bytes": 1000}]}


def begin(web: Web, number: int, refused: threading.Event) -> list[int]:
    """Statuses of a new upload that waits as long as the site says, until it begins."""
    transport = httpx.HTTPTransport(local_address=f"127.3.0.{number + 1}")
    statuses: list[int] = []
    with httpx.Client(base_url=web.address, transport=transport, timeout=300) as client:
        while not statuses or statuses[-1] == 503:
            answer = client.post("/api/v1/uploads", json=NEW)
            statuses.append(answer.status_code)
            if answer.status_code == 503:
                refused.set()
                assert answer.json()["error"]["code"] == "busy"
                time.sleep(int(answer.headers["Retry-After"]))
    return statuses


def test_a_hundred_writers_wait_for_one_that_holds_the_sqlite_database(fault: Fault) -> None:
    refused = threading.Event()
    with Web() as web, closing(sqlite3.connect(web.directory / "var" / NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(WRITERS) as at_once:
            begun = [at_once.submit(begin, web, number, refused) for number in range(WRITERS)]
            assert refused.wait(120)
            other.execute("ROLLBACK")
            statuses = Counter(status for one in begun for status in one.result())
        assert other.execute("select count(*) from submissions_submission").fetchall() == [(WRITERS,)]
    assert set(statuses) == {201, 503}
    fault("100 writers while SQLite is locked", WRITERS, "503 with the time to wait; all begin in the end")


@pytest.mark.postgres
def test_postgresql_is_away_while_pages_and_uploads_are_requested(postgres: Postgres, fault: Fault) -> None:
    with Web(postgres.create("away")) as web, httpx.Client(base_url=web.address, timeout=60) as client:
        assert client.get("/").status_code == 200
        postgres.stop(postgres.end_signal)
        answers = [client.get("/"), client.get("/api/v1/leaderboard"), client.post("/api/v1/uploads", json=NEW)]
        postgres.start()
        assert [(one.status_code, one.headers["Retry-After"]) for one in answers] == [(503, "5")] * 3
        assert all("busy or restarting" in one.text for one in answers)
        assert client.get("/").status_code == 200
        assert client.post("/api/v1/uploads", json=NEW).status_code == 201
    fault("PostgreSQL is away", 1, "503 with the time to wait; works at once when it is back")
