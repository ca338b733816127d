"""Creating the first operator, as the page on operations describes it."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client

from tests.docs.blocks import DOCS

PASSWORD = "long and of this test"


@pytest.mark.django_db
@pytest.mark.parametrize("with_mail", [True, False])
def test_a_command_creates_the_first_operator_who_confirms_the_address_if_there_is_mail(
    with_mail: bool, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory" if with_mail else "none"
    assert "python manage.py createsuperuser" in (DOCS / "operations.md").read_text()
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    call_command("createsuperuser", "--noinput", "--email", "ops@vectors.example", verbosity=0)
    browser = Client()
    credentials = {"login": "ops@vectors.example", "password": PASSWORD}
    browser.post("/account/login/", credentials)
    if with_mail:
        assert browser.get("/operator/").status_code == 302, "not before the address is confirmed"
        link = re.search(r"http://testserver(/\S+)", str(mail.outbox[0].body))
        assert link is not None
        browser.post(link[1])
        browser.post("/account/login/", credentials)
    assert browser.get("/operator/").status_code == 200


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.django_db
def test_the_command_asks_for_address_and_password_and_makes_a_name_of_the_address(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = {"E-mail address: ": iter(["no address", "ops@vectors.example"])}
    monkeypatch.setattr("builtins.input", lambda asked: next(answers[asked]))
    monkeypatch.setattr("getpass.getpass", lambda *_: PASSWORD)
    call_command("createsuperuser", stdin=Terminal())
    operator = User.objects.get()
    assert (operator.username, operator.email, operator.is_superuser) == ("ops", "ops@vectors.example", True)
    assert operator.check_password(PASSWORD)
    assert "Sign in with ops@vectors.example; the account's name is ops." in capsys.readouterr().out
    with pytest.raises(CommandError, match="an account with the address OPS@"):
        call_command("createsuperuser", "--email", "OPS@vectors.example", stdin=Terminal())
