"""Accounts: signing up, signing in, deleting, and the texts of their forms."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from benchmark.settings import PASSWORD_HASHERS
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from tests.benchmark.conftest import Make
from tests.benchmark.people_accounts import PASSWORD, browser_of, confirmed, person
from tests.benchmark.reports import TOKEN

pytestmark = pytest.mark.django_db
NEW = {"email": "ada@vectors.example", "username": "ada", "password1": PASSWORD, "password2": PASSWORD}


@pytest.fixture
def mail_server(settings: Any) -> None:
    """As with EMAIL_HOST: addresses are confirmed, and messages are sent."""
    settings.SENDS_MAIL, settings.ACCOUNT_EMAIL_NOTIFICATIONS = True, True
    settings.ACCOUNT_EMAIL_VERIFICATION, settings.MFA_ALLOW_UNVERIFIED_EMAIL = "mandatory", False


def link_in(message: Any) -> str:
    found = re.search(r"http://testserver(/\S+)", message.body)
    assert found, message.body
    return found.group(1)


def test_without_a_mail_server_an_account_opens_at_once_and_no_page_promises_mail(stranger: Client) -> None:
    for path in ("/account/signup/", "/submit"):
        assert "e-mail when" not in stranger.get(path).content.decode()
    assert "cannot send you a link" in stranger.get("/account/password/reset/").content.decode()
    assert stranger.post("/account/signup/", NEW).url == "/mine"
    for path in ("/account/", "/account/email/", "/account/2fa/totp/activate/"):
        page = stranger.get(path, follow=True).content.decode()
        assert "onfirm your e-mail" not in page
        assert "not confirmed" not in page
        assert "E-mail me" not in page
    assert mail.outbox == []


@pytest.mark.usefixtures("mail_server")
def test_an_account_works_once_its_address_is_confirmed(stranger: Client) -> None:
    stranger.post("/account/signup/", NEW)
    assert stranger.get("/mine").status_code == 302
    link = link_in(mail.outbox[0])
    stranger.get(link)
    assert not EmailAddress.objects.get().verified, "a mail scanner that follows the link confirms nothing"
    stranger.post(link)
    assert EmailAddress.objects.get().verified
    assert browser_of(User.objects.get()).get("/mine").status_code == 200


def test_the_password_is_kept_as_an_argon2_hash_that_no_other_one_fits(settings: Any) -> None:
    settings.PASSWORD_HASHERS = PASSWORD_HASHERS  # the other tests use a cheap one
    ada = person("ada")
    assert ada.password.startswith("argon2$")
    assert browser_of(ada).get("/mine").status_code == 200
    assert not ada.check_password("something else")


@pytest.mark.parametrize("password", ["short", "password123", "123456789012"])
def test_a_weak_password_is_refused_at_its_field(stranger: Client, password: str) -> None:
    page = stranger.post("/account/signup/", NEW | {"password1": password, "password2": password})
    assert 'class="error"' in page.content.decode()
    assert not User.objects.exists()


def test_many_wrong_passwords_end_the_guessing(stranger: Client) -> None:
    user = person("ada")
    for _ in range(20):
        stranger.post("/account/login/", {"login": user.email, "password": "something else"})
    stranger.post("/account/login/", {"login": user.email, "password": PASSWORD})
    assert stranger.get("/mine").status_code == 302


def test_a_forgotten_password_is_set_again_by_mail(stranger: Client) -> None:
    user = person("ada")
    stranger.post("/account/password/reset/", {"email": user.email})
    page = stranger.get(link_in(mail.outbox[0]), follow=True)
    path = page.request["PATH_INFO"]
    stranger.post(path, {"password1": "another long passphrase", "password2": "another long passphrase"})
    user.refresh_from_db()
    assert user.check_password("another long passphrase")


def test_a_second_factor_is_asked_for_once_it_is_set_up(stranger: Client) -> None:
    user = person("ada")
    TOTP.activate(user, generate_totp_secret())
    response = stranger.post("/account/login/", {"login": user.email, "password": PASSWORD})
    assert response.url.startswith("/account/2fa/authenticate/")
    assert stranger.get("/mine").status_code == 302


def test_signing_out_takes_a_click_not_a_link(stranger: Client) -> None:
    client = browser_of(person("ada"))
    client.get("/account/logout/")
    assert client.get("/mine").status_code == 200
    client.post("/account/logout/")
    assert client.get("/mine").status_code == 302


def test_sign_in_with_github_is_offered_only_if_its_keys_are_set(stranger: Client, settings: Any) -> None:
    assert "GitHub" not in stranger.get("/account/login/").content.decode()
    keys = {"client_id": "id", "secret": "s", "key": ""}
    settings.SOCIALACCOUNT_PROVIDERS = {"github": {"APPS": [keys]}}
    assert "GitHub" in stranger.get("/account/login/").content.decode()
    page = stranger.get("/account/github/login/")
    assert "form-action 'self' https://github.com" in page["Content-Security-Policy"]


@pytest.mark.parametrize(
    "path",
    [
        "/account/login/",
        "/account/signup/",
        "/account/password/reset/",
        "/account/",
        "/account/2fa/",
        "/account/email/",
    ],
)
def test_pages_of_accounts_need_nothing_inline(path: str) -> None:
    page = browser_of(person("ada")).get(path, follow=True).content.decode()
    assert "<h1" in page
    assert "style=" not in page
    assert "<script>" not in page


def test_a_submission_without_an_account_can_be_put_into_one(submission: Make) -> None:
    row = submission(State.DONE)
    client = browser_of(person("ada"))
    assert client.post(f"/s/{row.pk}/adopt").status_code == 403
    client.get(f"/s/{row.pk}/owner/{TOKEN}")
    client.post(f"/s/{row.pk}/adopt")
    row.refresh_from_db()
    assert row.owner is not None
    assert row.name in client.get("/mine").content.decode()


def test_nobody_takes_over_what_belongs_to_an_account(submission: Make) -> None:
    row = submission(State.DONE, owner=person("ada"))
    client = browser_of(person("eve"))
    client.get(f"/s/{row.pk}/owner/{TOKEN}")
    client.post(f"/s/{row.pk}/adopt")
    row.refresh_from_db()
    assert row.owner.username == "ada"


@pytest.mark.parametrize(("choice", "left"), [("keep", 1), ("delete", 0)])
def test_an_account_is_deleted_with_or_without_its_entries(submission: Make, choice: str, left: int) -> None:
    user = person("ada")
    submission(State.DONE, owner=user)
    confirmed(browser_of(user)).post("/account/delete", {"entries": choice})
    assert not User.objects.exists()
    assert Submission.objects.count() == left


@pytest.mark.usefixtures("mail_server")
def test_a_changed_password_is_reported_by_mail(mailoutbox: list[Any]) -> None:
    client = confirmed(browser_of(person("ada")))
    new = "another long passphrase"
    client.post("/account/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new})
    assert User.objects.get().check_password(new)
    (message,) = mailoutbox
    assert message.to == ["ada@vectors.example"]
    assert "If this was not you" in message.body
    assert "127.0.0.1" in message.body


@pytest.mark.usefixtures("mail_server")
def test_a_second_factor_that_is_taken_off_is_reported_by_mail(mailoutbox: list[Any]) -> None:
    user = person("ada")
    client = confirmed(browser_of(user))
    TOTP.activate(user, generate_totp_secret())
    client.post("/account/2fa/totp/deactivate/")
    assert ["If this was not you" in message.body for message in mailoutbox] == [True]


def test_behind_a_proxy_the_guessing_of_one_visitor_locks_nobody_else_out(settings: Any) -> None:
    settings.VECBOARD_PROXIES = 1
    user = person("ada")
    for nth in range(12):  # the limit for one address is ten failures a minute
        wrong = {"login": f"nobody{nth}@example.org", "password": "something else"}
        Client().post("/account/login/", wrong, headers={"X-Forwarded-For": "203.0.113.66"})
    right = {"login": user.email, "password": PASSWORD}
    signs_in = [
        Client().post("/account/login/", right, headers={"X-Forwarded-For": address}).status_code
        for address in ("203.0.113.66", "203.0.113.7")
    ]
    assert [status == 302 for status in signs_in] == [False, True]
