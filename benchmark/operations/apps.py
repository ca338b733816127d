from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning, register
from django.db.models.signals import post_save, pre_delete, pre_migrate

from benchmark.features import Feature
from benchmark.operations.logs import without_secrets

TOKEN_CHARACTERS = 24
DIFFERENT_CHARACTERS = 8
QUIET: dict[str, Any] = {  # accounts and cookies are off by default
    "include_local_variables": False,
    "max_request_body_size": "never",  # form data
}


def scrubbed(event: Any, _: Any) -> Any:
    """Remove secrets from the URL of an error report."""
    request = event.get("request", {})
    if "url" in request:
        event["request"] = request | {"url": without_secrets(request["url"])}
    return event


class OperationsConfig(Feature):
    name = "benchmark.operations"
    urls = "monitoring"

    def ready(self) -> None:
        from benchmark.operations.quotas import give_ticket, keep_ticket
        from benchmark.operations.schema import refuse_rewritten
        from benchmark.submissions.models import Submission

        post_save.connect(give_ticket, sender=Submission, dispatch_uid="ticket")
        pre_delete.connect(keep_ticket, sender=Submission, dispatch_uid="ticket")
        pre_migrate.connect(refuse_rewritten, sender=self, dispatch_uid="rewritten")
        logging.captureWarnings(True)
        if settings.SENTRY_DSN:
            import sentry_sdk

            sentry_sdk.init(dsn=settings.SENTRY_DSN, before_send=scrubbed, **QUIET)

    def tidy(self) -> None:
        from benchmark.operations import retention

        retention.tidy()


@register(deploy=True)
def weak_settings(app_configs: Any = None, **_: Any) -> list[CheckMessage]:
    """Warnings about settings that protect less than they seem to; none repeats a secret.

    The web server logs them once at its start; ``manage.py check --deploy`` shows them with Django's own.
    """
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
