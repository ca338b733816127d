"""An entry made private disappears with the response to that request from every cache of every process."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest

from tests.benchmark.reports import TOKEN
from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.redis]
TRIES = 6
"""Of each address, each on a connection of its own: two processes answer in turn."""
FILL = f"""
import django; django.setup()
from benchmark.leaderboard import jobs
from benchmark.fields import token_hash
from tests.benchmark.entries import submitted
known = {{"owner_token_hash": token_hash({TOKEN!r}), "file_key": ""}}
for pk, name in (("secretsecret", "A name to hide"), ("publicpublic", "A public one")):
    submitted(pk=pk, name=name, vectors_sha256="ab" * 32, **known)
submitted("queued", pk="openopenopen", name="A name to hide", **known)
jobs.compute("demo", 1)
"""
OF_THE_ENTRY = (
    *("/r/secretsecret", "/s/secretsecret", "/badge/secretsecret.svg"),
    *("/api/v1/submissions/secretsecret", "/api/v1/submissions/secretsecret/report"),
    *("/entries/secretsecret/neighbours", "/entries/secretsecret/map", "/entries/secretsecret/dimensions"),
    *("/compare?e=publicpublic&e=secretsecret", "/compare/heat?e=publicpublic&e=secretsecret"),
    "/api/v1/entries/secretsecret/neighbours?words=king",
    "/api/v1/compare?e=publicpublic&e=secretsecret",
    "/api/v1/associations?e=secretsecret&test=parties-morality",
    *("/s/openopenopen", "/api/v1/submissions/openopenopen"),
)
WITHOUT_VECTORS = {"/api/v1/entries/secretsecret/neighbours?words=king": 409}
"""The entry is there, but the site has no vectors of it."""
OF_ALL = ("/", "/?q=hide", "/embed", "/board.csv", "/board.json", "/practice", "/api/v1/leaderboard")


@pytest.fixture(params=["Redis", "files"])
def web(request: pytest.FixtureRequest) -> Iterator[Web]:
    """Two processes that share Redis or a directory; each also has its own memory."""
    server = Web()
    if request.param == "Redis":
        server.environment["REDIS_URL"] = request.getfixturevalue("redis_url")
    with server:
        server.python("-c", FILL)
        yield server


def get(web: Web, address: str, **headers: str) -> httpx.Response:
    return httpx.get(web.address + address, headers=headers, timeout=60)


def make_private(web: Web, entry: str) -> None:
    with httpx.Client(base_url=web.address, cookies={f"owner-{entry}": TOKEN}, timeout=60) as owner:
        page = owner.get(f"/s/{entry}/edit")
        secret = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
        assert secret is not None
        form = {"csrfmiddlewaretoken": secret[1], "name": "A name to hide", "visibility": "private"}
        answer = owner.post(f"/s/{entry}/edit", data=form, headers={"Referer": web.address})
        assert answer.status_code == 302, answer.text


def test_it_is_gone_at_once_from_both_processes(web: Web) -> None:
    before = {}
    for address in (*OF_THE_ENTRY, *OF_ALL):
        for _ in range(TRIES):
            answer = get(web, address)
            assert answer.status_code == WITHOUT_VECTORS.get(address, 200), (address, answer.status_code)
            # Caches between the site and a reader must revalidate it.
            control = answer.headers.get("Cache-Control", "")
            assert "no-cache" in control or "no-store" in control, (address, control)
        before[address] = answer.headers.get("ETag", "")
    assert any("A name to hide" in get(web, address).text for address in OF_ALL)

    for entry in ("secretsecret", "openopenopen"):
        make_private(web, entry)

    for address in OF_THE_ENTRY:
        for etag in {"", before[address]}:
            answers = [get(web, address, **({"If-None-Match": etag} if etag else {})) for _ in range(TRIES)]
            assert {answer.status_code for answer in answers} == {404}, (address, etag)
    for address in OF_ALL:
        answers = [get(web, address, **{"If-None-Match": before[address]}) for _ in range(TRIES)]
        assert {answer.status_code for answer in answers} == {200}, address
        assert all("A name to hide" not in answer.text for answer in answers), address
