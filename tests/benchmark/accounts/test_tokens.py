"""API tokens: made once, kept as a hash, with a scope, until they are revoked."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from benchmark.accounts.models import ApiToken
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from tests.benchmark.conftest import Make
from tests.benchmark.people_accounts import browser_of, confirmed, person

pytestmark = pytest.mark.django_db


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def make(client: Client, scope: str) -> str:
    page = client.post("/account/tokens", {"name": "my script", "scope": scope}).content.decode()
    found = re.search(r'value="(vec_[^"]+)"', page)
    assert found, page
    return found.group(1)


def test_a_token_is_shown_once_and_kept_as_a_hash(stranger: Client) -> None:
    client = confirmed(browser_of(person("ada")))
    secret = make(client, "read")
    assert secret not in client.get("/account/tokens").content.decode()
    row = ApiToken.objects.get()
    assert secret not in (row.secret_hash, row.hint)
    assert stranger.get("/api/v1/me", headers=bearer(secret)).json()["name"] == "ada"


def test_tokens_ask_for_the_password_once_more() -> None:
    response = browser_of(person("ada")).get("/account/tokens")
    assert response.url == "/account/reauthenticate/?next=%2Faccount%2Ftokens"


def test_a_reading_token_reads_what_its_owner_may_see(submission: Make, stranger: Client) -> None:
    user = person("ada")
    row = submission(State.DONE, owner=user, visibility="private")
    _, secret = ApiToken.objects.issue(user, "script", "read")
    assert stranger.get(f"/api/v1/submissions/{row.pk}").status_code == 404
    assert stranger.get(f"/api/v1/submissions/{row.pk}", headers=bearer(secret)).status_code == 200


def test_a_reading_token_changes_nothing(submission: Make, stranger: Client) -> None:
    user = person("ada")
    row = submission(State.RUNNING, owner=user)
    _, secret = ApiToken.objects.issue(user, "script", "read")
    response = stranger.post(f"/api/v1/submissions/{row.pk}/cancel", headers=bearer(secret))
    assert (response.status_code, response.json()["error"]["code"]) == (403, "read-only")


def test_a_writing_token_submits_for_its_account(stranger: Client, vector_file: Path) -> None:
    _, secret = ApiToken.objects.issue(person("ada"), "script", "write")
    form = {"name": "small", "file": BytesIO(vector_file.read_bytes())}
    assert stranger.post("/api/v1/submissions", form, headers=bearer(secret)).status_code == 202
    row = Submission.objects.get()
    assert row.owner is not None
    cancelled = stranger.post(f"/api/v1/submissions/{row.pk}/cancel", headers=bearer(secret))
    assert cancelled.json()["state"] == "cancelled"


def test_a_token_has_no_rights_on_entries_of_others(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING, owner=person("ada"))
    _, secret = ApiToken.objects.issue(person("eve"), "script", "write")
    assert stranger.post(f"/api/v1/submissions/{row.pk}/cancel", headers=bearer(secret)).status_code == 403


def test_a_revoked_token_is_refused(stranger: Client) -> None:
    client = confirmed(browser_of(person("ada")))
    secret = make(client, "write")
    revoked, (_, kept) = ApiToken.objects.get(), ApiToken.objects.issue(person("eve"), "script", "read")
    client.post(f"/account/tokens/{revoked.pk}/revoke")
    response = stranger.get("/api/v1/me", headers=bearer(secret))
    assert (response.status_code, response.json()["error"]["code"]) == (401, "unknown-token")
    assert stranger.get("/api/v1/me", headers=bearer(kept)).json()["name"] == "eve"


def test_a_submissions_secret_is_not_called_a_missing_token(stranger: Client) -> None:
    response = stranger.get("/api/v1/me", headers=bearer("secret-of-a-submission"))
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (401, "unknown-token")
    assert "no account's token" in error["message"]
    assert "begins with “vec_”" in error["message"]
    assert stranger.get("/api/v1/me").json()["error"]["code"] == "no-token"


def test_nobody_revokes_the_token_of_another(stranger: Client) -> None:
    token, _ = ApiToken.objects.issue(person("ada"), "script", "read")
    assert browser_of(person("eve")).post(f"/account/tokens/{token.pk}/revoke").status_code == 404
    assert ApiToken.objects.exists()


def test_the_token_of_a_locked_account_stops_working(stranger: Client) -> None:
    user = person("ada")
    _, secret = ApiToken.objects.issue(user, "script", "read")
    user.is_active = False
    user.save()
    assert stranger.get("/api/v1/me", headers=bearer(secret)).status_code == 401


def test_the_last_use_is_noted(stranger: Client) -> None:
    token, secret = ApiToken.objects.issue(person("ada"), "script", "read")
    before = timezone.now()
    stranger.get("/api/v1/me", headers=bearer(secret))
    token.refresh_from_db()
    assert before <= token.last_used_at <= timezone.now()


def test_the_api_ignores_session_cookies(submission: Make) -> None:
    user = person("ada")
    client = browser_of(user)
    row = submission(State.RUNNING, owner=user)
    assert client.get("/api/v1/me").status_code == 401
    assert client.post(f"/api/v1/submissions/{row.pk}/cancel").status_code == 401


@pytest.mark.parametrize("path", ["submissions", "uploads", "suffices"])
@pytest.mark.parametrize("header", ["Bearer secret-of-a-submission", "Bearer vec_unknown", "vec_unknown", "Token abc"])
def test_nothing_begins_with_a_token_that_is_no_accounts(stranger: Client, path: str, header: str) -> None:
    response = stranger.post(f"/api/v1/{path}", {"name": "small"}, headers={"Authorization": header})
    assert (response.status_code, response.json()["error"]["code"]) == (401, "unknown-token")
    assert response["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Basic cHJveHk6"}])
def test_without_a_token_a_site_for_everybody_accepts_files(
    stranger: Client, vector_file: Path, headers: dict[str, str]
) -> None:
    form = {"name": "small", "file": BytesIO(vector_file.read_bytes())}
    assert stranger.post("/api/v1/submissions", form, headers=headers).status_code == 202
