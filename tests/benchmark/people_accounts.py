"""Accounts for tests: the real sign-up needs a confirmed address, so these have one."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.test import Client

PASSWORD = "correct horse battery staple"


def person(name: str, **columns: Any) -> User:
    """A person with an account and a confirmed address."""
    user = User.objects.create_user(name, f"{name}@vectors.example", PASSWORD, **columns)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def browser_of(user: User) -> Client:
    """A browser in which this person is signed in, by the form, with the password."""
    client = Client()
    response = client.post("/account/login/", {"login": user.email, "password": PASSWORD})
    assert response.status_code == 302, response.content.decode()
    return client


def confirmed(client: Client) -> Client:
    """The same browser, after confirming the password for sensitive pages."""
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    return client
