"""With a token of an account: what is sent belongs to it."""

from __future__ import annotations

import io

import pytest

from tests.workers.running_site import Site, small_file
from vecboard import Client, Exit, Keyring, Refused
from vecboard.cli import main

ISSUE = """
import sys
from django.contrib.auth import get_user_model
from benchmark.accounts.models import ApiToken
user, _ = get_user_model().objects.get_or_create(username="ada", email="ada@vecboard.example")
print(ApiToken.objects.issue(user, "test", sys.argv[1])[1])
"""


def test_a_submission_with_a_token_from_the_environment_belongs_to_the_account(
    server: str, site: Site, keyring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VECBOARD_TOKEN", site.python(ISSUE, "write"))
    with Client(server, keyring=keyring) as client:
        accepted = client.submit(small_file(), "Ada's")
    query = "select username from submissions_submission s join auth_user u on u.id = s.owner_id where s.id = ?"
    assert site.rows(query, accepted.id) == [("ada",)]


def test_login_keeps_the_token_that_submit_sends(
    server: str, site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    token = site.python(ISSUE, "write")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{token}\n"))
    assert main(["login"]) == Exit.DONE
    assert Client(server).token == token
    assert token not in capsys.readouterr().out


def test_a_token_that_may_only_read_submits_nothing(server: str, site: Site, keyring: Keyring) -> None:
    with Client(server, site.python(ISSUE, "read"), keyring) as client, pytest.raises(Refused):
        client.submit(small_file(), "Not allowed")
