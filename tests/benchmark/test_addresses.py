"""Links of a site with a public address, requests under other host names, and forms from other origins."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.test import Client, override_settings

from benchmark.operations.counting import Limit
from benchmark.urls import LOGGED_HOSTS
from tests.benchmark.conftest import Make
from tests.benchmark.people_accounts import browser_of, confirmed, person

pytestmark = pytest.mark.django_db
SITE = "https://vecboard.example:8443"
public = override_settings(SITE_URL=SITE)


@public
def test_an_upload_is_answered_with_links_of_the_public_address(stranger: Client, vector_file: Path) -> None:
    with vector_file.open("rb") as file:
        sent = stranger.post("/api/v1/submissions", {"name": "small", "file": file}).json()
    assert sent["status_url"] == f"{SITE}/s/{sent['id']}"
    assert sent["owner_url"].startswith(f"{SITE}/s/{sent['id']}/owner/")
    status = stranger.get(sent["owner_url"].removeprefix(SITE), follow=True).content.decode()
    assert sent["owner_url"] in status
    assert "testserver" not in status


@public
@pytest.mark.parametrize("path", ["/", "/api/v1/", "/api/v1/openapi.json", "/r/{id}", "/api/v1/submissions/{id}"])
def test_no_page_names_the_host_of_the_request(stranger: Client, submission: Make, path: str) -> None:
    answer = stranger.get(path.format(id=submission().pk))
    assert answer.status_code == 200
    assert "testserver" not in answer.content.decode()


@public
def test_mails_about_accounts_link_to_the_public_address(stranger: Client) -> None:
    stranger.post("/account/password/reset/", {"email": person("ada").email})
    assert f"{SITE}/account/password/reset/key/" in mail.outbox[0].body
    assert mail.outbox[0].body.rstrip().endswith(f"Vecboard, {SITE}")


@public
def test_a_token_is_shown_with_a_command_for_the_public_address() -> None:
    page = confirmed(browser_of(person("ada"))).post("/account/tokens", {"name": "my script", "scope": "read"})
    assert f"{SITE}/api/v1/me" in page.content.decode()


def test_without_a_public_address_links_have_the_host_of_the_request(stranger: Client, vector_file: Path) -> None:
    with vector_file.open("rb") as file:
        sent = stranger.post("/api/v1/submissions", {"name": "small", "file": file}, headers={"Host": "localhost:81"})
    assert sent.json()["owner_url"].startswith("http://localhost:81/s/")


@pytest.mark.parametrize("path", ["/", "/metrics", "/api/v1/", "/s/abcdefghijkl"])
def test_another_host_name_is_refused_by_name(client: Client, caplog: pytest.LogCaptureFixture, path: str) -> None:
    with caplog.at_level(logging.WARNING):
        answer = client.get(path, headers={"Host": "web:8000"})
    assert answer.status_code == 400
    said = answer.json()["error"]["message"] if path.startswith("/api/") else answer.content.decode()
    assert "This site has no host name “web:8000”." in said
    assert [record.getMessage() for record in caplog.records if record.name == "vecboard.hosts"] == [
        "Refused a request for the host name 'web:8000', which is not in ALLOWED_HOSTS."
    ]


def test_strangers_cannot_fill_the_log_with_host_names(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    assert Limit("logged-hosts", 10, 60) == LOGGED_HOSTS
    with caplog.at_level(logging.WARNING):
        for number in range(15):
            client.get("/readyz", headers={"Host": f"{'x' * 5_000}{number}.example"})
    lines = [record.getMessage() for record in caplog.records if record.name == "vecboard.hosts"]
    assert 10 <= len(lines) <= 11  # the minute may end meanwhile
    assert all(len(line) < 250 for line in lines)


def sent_from(origin: str, **settings: Any) -> str:
    """The page after a form from this origin."""
    browser = Client(enforce_csrf_checks=True)
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get("/account/login/").content.decode())
    assert token is not None
    with override_settings(**settings):
        form = {"csrfmiddlewaretoken": token[1], "login": "eve@vectors.example", "password": "none"}
        return browser.post("/account/login/", form, headers={"Origin": origin}).content.decode()


def test_a_form_from_another_origin_is_refused_with_both_addresses() -> None:
    page = sent_from("https://testserver:8443")
    assert "sent from https://testserver:8443, but the address of this site is http://testserver." in page
    assert "This form came from another address" in page
    assert "expired" not in page


def test_a_form_from_the_public_address_is_accepted() -> None:
    assert "The address or the password is wrong." in sent_from(SITE, CSRF_TRUSTED_ORIGINS=[SITE])
