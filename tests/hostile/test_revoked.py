"""A token or session that is revoked opens nothing from then on, in any process and out of any cache."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.web import Web

pytestmark = [pytest.mark.slow, pytest.mark.redis, pytest.mark.postgres]
TRIES = 6
"""Of each address, each on a connection of its own: two processes answer in turn."""
BEGIN = """
import django; django.setup()
from django.contrib.auth import get_user_model
from benchmark.accounts.models import ApiToken
ada = get_user_model().objects
"""
FILL = f"""{BEGIN}
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from benchmark.fields import token_hash
from tests.benchmark.entries import submitted
ada = ada.create_user("ada", "ada@vectors.example", "a long password 1")
submitted(pk="privateentry", name="Hers", vectors_sha256="ab" * 32, owner=ada, visibility="private", file_key="")
submitted("queued", pk="waitingentry", name="Hers", owner=ada, visibility="private", file_key="")
session = import_module(settings.SESSION_ENGINE).SessionStore()
session.update({{SESSION_KEY: str(ada.pk), HASH_SESSION_KEY: ada.get_session_auth_hash(),
    BACKEND_SESSION_KEY: settings.AUTHENTICATION_BACKENDS[0]}})
session.save()
print(ApiToken.objects.issue(ada, "CI", "write")[1], session.session_key)
"""
BY_TOKEN = (
    *("/api/v1/me", "/api/v1/submissions/privateentry", "/api/v1/submissions/privateentry/report"),
    "/api/v1/submissions/waitingentry",
)
BY_SESSION = ("/s/privateentry", "/r/privateentry", "/s/waitingentry", "/mine")
REVOKED = {
    "the token is revoked, the session ended": "ApiToken.objects.all().delete(); Session.objects.all().delete()",
    "the account is locked": "ada.update(is_active=False)",
    "the account is deleted": "ada.get().delete()",
}


@pytest.fixture(params=["files", "Redis", "PostgreSQL"])
def web(request: pytest.FixtureRequest) -> Iterator[Web]:
    """Two processes that share caches and a database; each also has its own memory."""
    server = Web(request.getfixturevalue("database_url") if request.param == "PostgreSQL" else "")
    if request.param == "Redis":
        server.environment["REDIS_URL"] = request.getfixturevalue("redis_url")
    with server:
        yield server


def answers(web: Web, address: str, known: dict[str, str], etag: str = "") -> list[httpx.Response]:
    headers = known | ({"If-None-Match": etag} if etag else {})
    return [httpx.get(web.address + address, headers=headers, timeout=60) for _ in range(TRIES)]


@pytest.mark.parametrize("how", REVOKED)
def test_it_opens_nothing_from_then_on(web: Web, how: str) -> None:
    token, session = web.python("-c", FILL).split()
    holders = {"Authorization": f"Bearer {token}"}, {"Cookie": f"sessionid={session}"}
    asked = [
        (address, known) for known, paths in zip(holders, (BY_TOKEN, BY_SESSION), strict=True) for address in paths
    ]
    before = {}
    for address, known in asked:
        found = answers(web, address, known)
        assert {answer.status_code for answer in found} == {200}, address
        before[address] = found[-1].headers.get("ETag", "")
    revoke = (
        f"{BEGIN}from django.contrib.sessions.models import Session\nada = ada.filter(username='ada')\n{REVOKED[how]}"
    )
    web.python("-c", revoke)
    for address, known in asked:
        for etag in {"", before[address]}:
            found = answers(web, address, known, etag)
            assert {answer.status_code for answer in found} <= {302, 401, 404}, (address, etag)
            assert not any("Hers" in answer.text for answer in found), address
