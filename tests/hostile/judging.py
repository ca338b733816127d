"""Hostile requests, and a check of their answers."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, quote_from_bytes
from zlib import crc32

import pytest
import structlog
from django.conf import settings
from django.core.signals import got_request_exception
from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from benchmark.operations.logs import logging_config
from tests.hostile.everywhere import Site, made
from tests.hostile.values import MARK

FORM = "application/x-www-form-urlencoded"
LONGEST_IN_AN_ADDRESS = 1_000
Given = dict[str, bytes]
some_and_all = pytest.mark.parametrize(
    "every",
    [
        80,
        pytest.param(8, marks=pytest.mark.slow),
        pytest.param(1, marks=[pytest.mark.slow, pytest.mark.exhaustive], id="all"),
    ],
)
"""One in eighty or in eight of the requests, always the same ones; all of them take minutes."""
OF_AN_ADDRESS = 8
"""Where only some addresses are tried, one request in eight is sent to each, as finding the names of a view's fields
takes longer than sending values."""


class Sent(NamedTuple):
    """A request and its hostile part."""

    method: str
    address: str
    what: str
    query: Given = {}  # noqa: RUF012 - never changed
    body: bytes = b""
    content_type: str = FORM
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed


@pytest.fixture
def site(submission: Any, study: Any, settings: Any) -> Site:
    settings.VECBOARD_WRITES_PER_MINUTE = settings.VECBOARD_UPLOADS_PER_DAY = settings.VECBOARD_OPEN_UPLOADS = 0
    settings.VECBOARD_DISK_STOP_BYTES = 0
    return made(submission, study)


@contextmanager
def broken() -> Iterator[list[str]]:
    """Exceptions that views raise during the block."""
    raised: list[str] = []

    def note(sender: Any, **_: Any) -> None:
        import sys

        raised.append(repr(sys.exc_info()[1])[:200])

    got_request_exception.connect(note)
    try:
        yield raised
    finally:
        got_request_exception.disconnect(note)


def encoded(given: Given, most: int | None = None) -> str:
    """URL-encoded values of at most ``most`` bytes, as web servers limit addresses."""
    return "&".join(f"{quote(name)}={quote_from_bytes(value[:most])}" for name, value in given.items())


def answer(client: Client, sent: Sent) -> HttpResponse:
    """The answer; changes by the request are rolled back."""
    with transaction.atomic():
        response: Any = client.generic(
            sent.method,
            quote(sent.address, safe="/%"),
            sent.body,
            content_type=sent.content_type,
            QUERY_STRING=encoded(sent.query, LONGEST_IN_AN_ADDRESS),
            headers=sent.headers,
        )
        if response.streaming:
            b"".join(response.streaming_content)
        transaction.set_rollback(True)
    return response


@contextmanager
def logged_lines() -> Iterator[list[str]]:
    """Lines of the block as the site writes them."""
    lines: list[str] = []
    config = logging_config("json", "INFO")["formatters"]["line"]
    handler = logging.Handler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=config["processors"], foreign_pre_chain=config["foreign_pre_chain"]
        )
    )
    handler.emit = lambda record: lines.append(handler.format(record))  # type: ignore[method-assign]
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield lines
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


def leaks(content: bytes, lines: list[str]) -> list[str]:
    """Paths of the server in an answer or a line of the log, and a visitor's text in a line."""
    text = content.decode("utf-8", "replace")
    roots = {str(root) for root in (settings.BASE_DIR, settings.VECBOARD_VAR, settings.STORAGE_ROOT, sys.prefix)}
    found = [f"the answer holds {root}" for root in roots if root in text]
    found += [f"a line holds {root}: {line}" for root in roots for line in lines if root in line]
    return found + [f"a line holds the visitor's text: {line}" for line in lines if MARK in json.loads(line)["event"]]


class Verdicts:
    """Statuses and wrong answers of one request in ``every``."""

    def __init__(self, site: Site, every: int, *, at_some_addresses: bool = False) -> None:
        self.site, self.every = site, every
        self._of_addresses = max(1, every // OF_AN_ADDRESS) if at_some_addresses else 1
        self.statuses: dict[str, int] = {}
        self.wrong: list[str] = []

    def tries(self, address: str) -> bool:
        """Whether values are sent to this address; always the same for an address."""
        return crc32(self.site.named(address).encode()) % self._of_addresses == 0

    def judge(self, who: str, client: Client, sent: Sent) -> None:
        key = self.site.named(f"{who} {sent.method} {sent.address}: {sent.what}")
        if key in self.statuses or crc32(key.encode()) % (self.every // self._of_addresses):
            return
        kept = dict(client.cookies)
        with broken() as raised, logged_lines() as lines:
            response = answer(client, sent)
        client.cookies.clear()
        client.cookies.update(kept)
        self.statuses[key] = response.status_code
        if raised or response.status_code == 500:
            self.wrong.append(f"{key} → {response.status_code} {raised}")
        elif sent.address.startswith("/api/") and response.status_code >= 400 and not is_error_object(sent, response):
            self.wrong.append(f"{key} → {response.status_code} is answered in {response.get('Content-Type')}")
        self.wrong += [f"{key} → {leak}" for leak in leaks(b"" if response.streaming else response.content, lines)]

    def finish(self, least: int) -> None:
        keep(self.statuses)
        assert not self.wrong, f"{len(self.wrong)} of {len(self.statuses)}:\n" + "\n".join(self.wrong[:200])
        assert len(self.statuses) >= least / self.every / 2


def is_error_object(sent: Sent, response: HttpResponse) -> bool:
    if response.get("Content-Type", "").split(";")[0] != "application/json":
        return False
    if sent.method == "HEAD":
        return True
    body = json.loads(response.content)
    return "offset" in body or {"code", "message"} <= set(body["error"])


def keep(statuses: dict[str, int]) -> None:
    """Write the statuses for the comparison of databases."""
    folder = os.environ.get("HOSTILE_STATUSES")
    if folder:
        name = os.environ["PYTEST_CURRENT_TEST"].rpartition("::")[2].split(" ")[0]
        Path(folder, f"{name}.json").write_text(json.dumps(statuses), encoding="utf-8")
