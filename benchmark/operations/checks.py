"""Settings that work, but protect less than they seem to: named at the start of the site and by ``manage.py check``."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning, register

TOKEN_CHARACTERS = 24
DIFFERENT_CHARACTERS = 8


@register
def weak_settings(app_configs: Any = None, **_: Any) -> list[CheckMessage]:
    """One warning for each; none repeats a secret."""
    weak: list[CheckMessage] = []
    token = settings.METRICS_TOKEN or ""
    if token and (len(token) < TOKEN_CHARACTERS or len(set(token)) < DIFFERENT_CHARACTERS):
        weak.append(
            Warning(
                "METRICS_TOKEN can be guessed; anyone who guesses it can read /metrics.",
                hint=f"Use at least {TOKEN_CHARACTERS} random characters, as `openssl rand -hex 24` writes them.",
                id="vecboard.W001",
            )
        )
    if "*" in settings.ALLOWED_HOSTS:
        weak.append(
            Warning(
                "ALLOWED_HOSTS=* lets the site answer to any host name, which other sites' pages can exploit.",
                hint="List the hosts of this site, separated by commas; /healthz answers to any host name regardless.",
                id="vecboard.W002",
            )
        )
    return weak
