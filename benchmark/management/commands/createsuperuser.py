"""``manage.py createsuperuser``: the first operator, by the address that signs in."""

from __future__ import annotations

from typing import Any

from allauth.account.utils import filter_users_by_email
from allauth.utils import generate_unique_username
from django.contrib.auth.management.commands import createsuperuser
from django.contrib.auth.models import User
from django.core.management.base import CommandError


class Command(createsuperuser.Command):
    """Django's, which asks for a name first; here names are made of addresses unless they are given."""

    help = "Create an operator; asks for address and password."

    def handle(self, *args: Any, **options: Any) -> str | None:
        asks = options["interactive"] and self.stdin.isatty()
        while asks and not options["email"]:
            options["email"] = self.get_input_data(User._meta.get_field("email"), "E-mail address: ")
        if options["email"] and filter_users_by_email(options["email"]):
            raise CommandError(f"There is an account with the address {options['email']} already.")
        options["username"] = options["username"] or generate_unique_username([options["email"] or "operator"])
        super().handle(*args, **options)
        if options["verbosity"] >= 1:
            self.stdout.write(f"Sign in with {options['email']}; the account's name is {options['username']}.")
        return None
