from __future__ import annotations

from benchmark.features import Feature, Link


class AccountsConfig(Feature):
    name = "benchmark.accounts"
    verbose_name = "API tokens"  # beside allauth's own "Accounts" on the operator's pages
    prefix = "account/"
    header = (Link("Account", "accounts:home", here=("accounts", "account_login")),)

    def ready(self) -> None:
        from benchmark.accounts.mail import tell_owner
        from benchmark.submissions.moves import ended

        ended.connect(tell_owner, dispatch_uid="mail-to-owner")
