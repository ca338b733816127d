"""Hostile values in every field of every form and every parameter: whatever arrives, nothing breaks.

Addresses come from the URL configuration, the names of their fields from watching what a view asks for, those of the
API from its description: a new page, field or endpoint is covered without a new line here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, quote_from_bytes
from zlib import crc32

import pytest
from django.core.signals import got_request_exception
from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from benchmark.api.api import api
from tests.benchmark.conftest import own_files, submission
from tests.benchmark.people.conftest import study
from tests.hostile.asked import Asked, noted
from tests.hostile.everywhere import Site, made
from tests.hostile.values import CHARSETS, FILE_NAMES, FILES, JSON, TEXTS

__all__ = ["own_files", "study", "submission"]
pytestmark = pytest.mark.django_db
FORM = "application/x-www-form-urlencoded"
BOUNDARY = "hostile"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"
LONGEST_IN_AN_ADDRESS = 1_000
ROUNDS = 4
"""A view that asks for more once it has got something is watched again; so often at most."""
Given = dict[str, bytes]
some_and_all = pytest.mark.parametrize("every", [40, pytest.param(1, marks=pytest.mark.slow, id="all")])
"""One in forty of the requests, always the same ones; all of them take minutes."""


class Sent(NamedTuple):
    """One request: where, how, and what is hostile in it."""

    method: str
    address: str
    what: str
    query: Given = {}  # noqa: RUF012 - never changed
    body: bytes = b""
    content_type: str = FORM
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed


@pytest.fixture
def site(submission: Any, study: Any, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Site:
    settings.VECBOARD_WRITES_PER_MINUTE = settings.VECBOARD_UPLOADS_PER_DAY = settings.VECBOARD_OPEN_UPLOADS = 0
    settings.VECBOARD_DISK_STOP_BYTES = 0
    monkeypatch.setattr("workers.queue.send", lambda *_, **__: None)
    return made(submission, study)


@contextmanager
def broken() -> Iterator[list[str]]:
    """What views raised while the block lasts."""
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
    """``most`` bytes of a value: a web server takes no endless address."""
    return "&".join(f"{quote(name)}={quote_from_bytes(value[:most])}" for name, value in given.items())


def answer(client: Client, sent: Sent) -> HttpResponse:
    """The answer; whatever the request changed is taken back."""
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


class Verdicts:
    """What was answered, and everything that should not have been; of one request in ``every``."""

    def __init__(self, site: Site, every: int) -> None:
        self.site, self.every = site, every
        self.statuses: dict[str, int] = {}
        self.wrong: list[str] = []

    def judge(self, who: str, client: Client, sent: Sent) -> None:
        key = self.site.named(f"{who} {sent.method} {sent.address}: {sent.what}")
        if key in self.statuses or crc32(key.encode()) % self.every:
            return
        kept = dict(client.cookies)
        with broken() as raised:
            response = answer(client, sent)
        client.cookies.clear()
        client.cookies.update(kept)
        self.statuses[key] = response.status_code
        if raised or response.status_code == 500:
            self.wrong.append(f"{key} → {response.status_code} {raised}")
        elif sent.address.startswith("/api/") and response.status_code >= 400 and not is_error_object(sent, response):
            self.wrong.append(f"{key} → {response.status_code} is told in {response.get('Content-Type')}")

    def finish(self, least: int) -> None:
        keep(self.statuses)
        assert not self.wrong, f"{len(self.wrong)} of {len(self.statuses)}:\n" + "\n".join(self.wrong[:200])
        assert len(self.statuses) >= least / self.every / 2


def is_error_object(sent: Sent, response: HttpResponse) -> bool:
    if response.get("Content-Type", "").split(";")[0] != "application/json":
        return False
    if sent.method == "HEAD":
        return True
    told = json.loads(response.content)
    return "offset" in told or {"code", "message"} <= set(told["error"])


def keep(statuses: dict[str, int]) -> None:
    """For the comparison of databases."""
    folder = os.environ.get("HOSTILE_STATUSES")
    if folder:
        name = os.environ["PYTEST_CURRENT_TEST"].rpartition("::")[2].split(" ")[0]
        Path(folder, f"{name}.json").write_text(json.dumps(statuses), encoding="utf-8")


def asked_by(site: Site, client: Client, method: str, address: str) -> Asked:
    """The names that a view asks for, given sensible values for those that it asked for before."""
    known = Asked()
    for _ in range(ROUNDS):
        with noted() as asked:
            answer(client, request_of(site, method, address, "sensible", known))
        if asked.fields <= known.fields and asked.files <= known.files:
            break
        known.fields |= asked.fields
        known.files |= asked.files
    return known


def request_of(
    site: Site, method: str, address: str, what: str, asked: Asked, changed: Given | None = None, file: bytes = b""
) -> Sent:
    """Sensible values in the address and, with a body, in a form as well; some of them changed."""
    given = {name: site.value(name).encode() for name in sorted(asked.fields)} | (changed or {})
    if method == "GET":
        return Sent(method, address, what, given)
    if asked.files:
        return Sent(method, address, what, {}, multipart(given, file), MULTIPART)
    return Sent(method, address, what, given if method == "PUT" else {}, encoded(given).encode())


def multipart(given: Given, file: bytes = b"") -> bytes:
    parts = [b'Content-Disposition: form-data; name="%s"\r\n\r\n%s' % (k.encode(), v) for k, v in given.items()]
    line = b"--" + BOUNDARY.encode()
    return b"".join(line + b"\r\n" + part + b"\r\n" for part in [*parts, *([file] if file else [])]) + line + b"--\r\n"


def file_part(name: bytes, content: bytes) -> bytes:
    head = b'Content-Disposition: form-data; name="file"; ' + name + b"\r\nContent-Type: application/octet-stream"
    return head + b"\r\n\r\n" + content


def everyone(site: Site) -> list[tuple[str, Client]]:
    return [("owner", site.owner), ("stranger", site.stranger)]


def watched(site: Site, methods: Iterable[str]) -> Iterator[tuple[str, Client, str, str, Asked]]:
    """Every address by every person in every way, with what it asks for; not twice if both are asked the same."""
    for method in methods:
        for address in site.addresses():
            before: Asked | None = None
            for who, client in everyone(site):
                asked = asked_by(site, client, method, address)
                if asked != before and len(asked):
                    yield who, client, method, address, asked
                before = asked


@some_and_all
@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
def test_a_hostile_value_in_a_field_breaks_nothing(site: Site, method: str, every: int) -> None:
    verdicts = Verdicts(site, every)
    for who, client, _, address, asked in watched(site, [method]):
        for name in sorted(asked.fields):
            for what, value in TEXTS.items():
                sent = request_of(site, method, address, f"{what} in {name}", asked, {name: value})
                verdicts.judge(who, client, sent)
        for what, value in TEXTS.items():
            sent = request_of(site, method, address, f"{what} everywhere", asked, dict.fromkeys(asked.fields, value))
            verdicts.judge(who, client, sent)
    verdicts.finish({"GET": 3_000, "POST": 3_000, "PUT": 50}[method])


@some_and_all
def test_a_hostile_address_name_or_encoding_breaks_nothing(site: Site, every: int) -> None:
    verdicts = Verdicts(site, every)
    for address in site.addresses():
        for value in TEXTS.values():
            end = value.decode("utf-8", "replace").replace("/", "")[:LONGEST_IN_AN_ADDRESS]
            there = f"{address.rpartition('/')[0]}/{end}"
            verdicts.judge("stranger", site.stranger, Sent("GET", there, "as the end of an address"))
        verdicts.judge("stranger", site.stranger, Sent("GET", address, "a NUL as a name", {"\x00ÿ": b"\x00"}))
        for charset in CHARSETS:
            asked = Sent("GET", address, charset, {"q": b"+2AA-", "e": b"+2AA-"}, b"", f"{FORM}; charset={charset}")
            body = multipart({"q": b"+2AA-", "name": b"+2AA-"})
            told = Sent("POST", address, charset, {}, body, f"{MULTIPART}; charset={charset}")
            for sent in (asked, told):
                verdicts.judge("stranger", site.stranger, sent)
    verdicts.finish(3_000)


@some_and_all
@pytest.mark.parametrize("name", ["sessionid", "csrftoken", "messages", "session-", "owner-", "study-", "rater"])
def test_a_hostile_cookie_breaks_nothing(site: Site, name: str, every: int) -> None:
    verdicts = Verdicts(site, every)
    for address in site.addresses():
        for what, value in {"a NUL": r'"a\000b"', "an escape": r'"\033[2J"', "no UTF-8": "ÿ\udcff"}.items():
            ids = [site.known["link"], *(site.known[key] for key in ("submission_id", "study_id"))]
            names = [name + id for id in (*ids, "\x7f")] if name.endswith("-") else [name]
            cookies = "; ".join(f"{each}={value}" for each in names)
            raw = cookies.encode("utf-8", "surrogateescape").decode("latin-1")
            verdicts.judge(
                "stranger", Client(raise_request_exception=False), Sent("GET", address, what, headers={"Cookie": raw})
            )
    verdicts.finish(200)


@some_and_all
def test_a_hostile_file_breaks_nothing(site: Site, every: int) -> None:
    verdicts = Verdicts(site, every)
    for who, client, method, address, asked in watched(site, ["POST"]):
        if not asked.files:
            continue
        for about, name in FILE_NAMES.items():
            for what, content in (FILES | {"gzip": b"\x1f\x8b" + b"x" * 100}).items():
                file = file_part(name, content)
                sent = request_of(site, method, address, f"{what}, name {about}", asked, file=file)
                verdicts.judge(who, client, sent)
    verdicts.finish(300)


# The API, from its description


def resolved(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema or "anyOf" in schema:
        if "anyOf" in schema:
            schema = next((one for one in schema["anyOf"] if one.get("type") != "null"), {})
        else:
            schema = root["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def example(schema: dict[str, Any], root: dict[str, Any], site: Site, name: str = "") -> Any:
    """Something valid, as small as possible."""
    plain = resolved(schema, root)
    if plain.get("type") == "object":
        return {key: example(part, root, site, key) for key, part in plain.get("properties", {}).items()}
    if plain.get("type") == "array":
        return [example(plain["items"], root, site, name)]
    if "default" in schema and schema["default"] is not None:
        return schema["default"]
    return {"integer": 100, "number": 0.5, "boolean": False}.get(plain.get("type", ""), "small")


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to everything in a JSON value, itself included."""
    yield way
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield from places(part, (*way, key))


def with_raw(value: Any, way: tuple[Any, ...], raw: str) -> bytes:
    """The JSON text of a value in which one place is this piece of text."""
    mark = "-the-hostile-place-"
    copy = json.loads(json.dumps(value))
    if not way:
        return raw.encode()
    inside = copy
    for key in way[:-1]:
        inside = inside[key]
    inside[way[-1]] = mark
    return json.dumps(copy).replace(f'"{mark}"', raw).encode()


def operations() -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    root = api.get_openapi_schema()
    for path, methods in root["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation, dict(root)


@some_and_all
def test_a_hostile_value_in_the_api_breaks_nothing(site: Site, every: int) -> None:
    verdicts = Verdicts(site, every)
    people: list[tuple[str, dict[str, str]]] = [
        ("stranger", {}),
        ("account", {"Authorization": f"Bearer {site.secret}"}),
    ]
    for method, path, operation, root in operations():
        for who, headers in people:
            for sent in hostile_requests(site, method, path, operation, root):
                verdicts.judge(who, Client(raise_request_exception=False), sent._replace(headers=headers))
    verdicts.finish(2_000)


def hostile_requests(
    site: Site, method: str, path: str, operation: dict[str, Any], root: dict[str, Any]
) -> Iterator[Sent]:
    parameters = operation.get("parameters", [])
    query = {part["name"]: site.value(part["name"]).encode() for part in parameters if part["in"] == "query"}
    in_path = {part["name"]: site.value(part["name"]) for part in parameters if part["in"] == "path"}
    address = path.format_map(in_path)
    for name in query:
        for what, value in TEXTS.items():
            yield Sent(method, address, f"{what} in {name}", query | {name: value})
    for name in in_path:
        for what, value in TEXTS.items():
            if len(value) < 10_000:
                hostile = in_path | {name: value.decode("utf-8", "replace").replace("/", "")}
                yield Sent(method, path.format_map(hostile), f"{what} in {name}", query)
    contents = operation.get("requestBody", {}).get("content", {})
    for kind, content in contents.items():
        if kind == "application/json":
            body = example(content["schema"], root, site)
            for way in places(body):
                for what, raw in JSON.items():
                    yield Sent(method, address, f"{what} in {way}", query, with_raw(body, way, raw), kind)
        else:
            for what, value in TEXTS.items():
                yield Sent(method, address, f"{what} as the body", query, value, kind)
