"""Creating the first operator, as the page on operations describes it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core import mail
from django.core.management import call_command
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
    call_command("createsuperuser", "--noinput", "--username", "ops", "--email", "ops@vectors.example", verbosity=0)
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
