"""Forms of accounts speak this site's words, and say what to do."""

from __future__ import annotations

import pytest
from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from django.test import Client

from benchmark.accounts.forms import AccountAdapter, MfaAdapter, password_rules
from tests.benchmark.people_accounts import browser_of, confirmed, person

pytestmark = pytest.mark.django_db
OPEN = ("/account/login/", "/account/signup/", "/account/password/reset/", "/account/password/reset/key/1-abc/")
OWN = (
    "/account/email/",
    "/account/password/change/",
    "/account/2fa/",
    "/account/2fa/totp/activate/",
    "/account/tokens",
)
BORROWED = ("Two-Factor", "Email Address", "Change Password", "Confirm Access", "Bad Token", "placeholder=")


@pytest.mark.parametrize("path", OPEN)
def test_pages_before_signing_in_use_the_sites_words(stranger: Client, path: str) -> None:
    page = stranger.get(path).content.decode()
    assert [words for words in BORROWED if words in page] == []


@pytest.mark.parametrize("path", OWN)
def test_pages_of_an_account_use_the_sites_words(path: str) -> None:
    response = confirmed(browser_of(person("ada"))).get(path)
    assert response.status_code == 200
    assert [words for words in BORROWED if words in response.content.decode()] == []


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("email", "", "Enter your e-mail address."),
        ("email", "ada", "This is not a valid e-mail address"),
        ("username", "", "Choose a name."),
        ("username", "a b c", "A name may contain letters, digits"),
        ("username", "a", "Enter at least 3 characters."),
        ("password1", "", "Choose a password."),
    ],
)
def test_a_field_that_is_wrong_says_what_to_write(stranger: Client, field: str, value: str, sentence: str) -> None:
    page = stranger.post("/account/signup/", {field: value}).content.decode()
    assert sentence in page


def test_the_rules_for_passwords_name_the_length_that_is_asked_for(stranger: Client) -> None:
    assert "At least 10 characters" in password_rules()
    assert password_rules() in stranger.get("/account/signup/").content.decode()


def test_every_reworded_message_is_one_that_is_used() -> None:
    assert AccountAdapter.error_messages.keys() == DefaultAccountAdapter.error_messages.keys()
    assert MfaAdapter.error_messages.keys() == DefaultMFAAdapter.error_messages.keys()
