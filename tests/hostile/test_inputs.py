"""Hostile values in every field of every form and every parameter break nothing.

Addresses come from the URL configuration, field names from the names that a view reads: a new page or field is covered
without a new line here.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client

from extensions.people.tests.conftest import study
from tests.benchmark.conftest import own_files, submission
from tests.hostile.asked import Asked, noted
from tests.hostile.everywhere import Site
from tests.hostile.judging import (
    FORM,
    LONGEST_IN_AN_ADDRESS,
    Given,
    Sent,
    Verdicts,
    answer,
    encoded,
    site,
    some_and_all,
)
from tests.hostile.values import CHARSETS, FILE_NAMES, FILES, TEXTS

__all__ = ["own_files", "site", "study", "submission"]
pytestmark = pytest.mark.django_db
BOUNDARY = "hostile"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"
ROUNDS = 4
"""Most requests to find the fields of a view that reads more fields once others have values."""


def asked_by(site: Site, client: Client, method: str, address: str) -> Asked:
    """Names that a view reads, given plausible values for those that it read before."""
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
    """A request with plausible values in the URL and, with a body, in a form; some of them changed."""
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


def watched(verdicts: Verdicts, method: str) -> Iterator[tuple[str, Client, str, Asked]]:
    """Each address by each person with the names that it asks for; once if it asks both for the same."""
    site = verdicts.site
    for address in filter(verdicts.tries, site.addresses()):
        before: Asked | None = None
        for who, client in everyone(site):
            asked = asked_by(site, client, method, address)
            if asked != before and len(asked):
                yield who, client, address, asked
            before = asked


@some_and_all
@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
def test_a_hostile_value_in_a_field_breaks_nothing(site: Site, method: str, every: int) -> None:
    verdicts = Verdicts(site, every, at_some_addresses=True)
    for who, client, address, asked in watched(verdicts, method):
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
            posted = Sent("POST", address, charset, {}, body, f"{MULTIPART}; charset={charset}")
            for sent in (asked, posted):
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
    verdicts = Verdicts(site, every, at_some_addresses=True)
    for who, client, address, asked in watched(verdicts, "POST"):
        if not asked.files:
            continue
        for about, name in FILE_NAMES.items():
            for what, content in (FILES | {"gzip": b"\x1f\x8b" + b"x" * 100}).items():
                file = file_part(name, content)
                sent = request_of(site, "POST", address, f"{what}, name {about}", asked, file=file)
                verdicts.judge(who, client, sent)
    verdicts.finish(300)
