from __future__ import annotations

from django.db.models.signals import pre_delete
from django.utils import timezone

from benchmark.features import Feature, Link


class AccountsConfig(Feature):
    name = "benchmark.accounts"
    urls = "views"
    jobs = "jobs"
    verbose_name = "API tokens"  # allauth has a section "Accounts" on the operator's pages
    prefix = "account/"
    links = (
        Link("Your account", "accounts:home", "account", ("accounts",), visitors=("account",)),
        Link("API tokens", "accounts:tokens", "account", visitors=("account",)),
        Link("Sign out", "account_logout", "account", visitors=("account",)),
        Link("Sign in", "account_login", "account", ("account_signup",), visitors=("submissions", ""), returns=True),
    )

    def ready(self) -> None:
        from django.contrib.auth.models import User

        from benchmark.accounts.jobs import forget_mail_of, tell_owner
        from benchmark.submissions.models import ended

        ended.connect(tell_owner, dispatch_uid="mail-to-owner")
        pre_delete.connect(forget_mail_of, sender=User, dispatch_uid="mail-of-account")

    def tidy(self) -> None:
        from benchmark.accounts.jobs import forget_old_mail

        forget_old_mail(timezone.now())
