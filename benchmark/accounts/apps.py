from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "benchmark.accounts"
    verbose_name = "API tokens"  # beside allauth's own "Accounts" on the operator's pages
