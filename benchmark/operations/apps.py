from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models.signals import post_save, pre_delete

from benchmark.features import Feature
from benchmark.operations import checks  # noqa: F401 - registers itself
from benchmark.operations.log_lines import without_secrets

QUIET: dict[str, Any] = {  # accounts and cookies are not sent unless asked for
    "include_local_variables": False,
    "max_request_body_size": "never",  # what people write in forms
}


def scrubbed(event: Any, _: Any) -> Any:
    """A report of an error, without owners' secrets in the address that failed."""
    request = event.get("request", {})
    if "url" in request:
        event["request"] = request | {"url": without_secrets(request["url"])}
    return event


class OperationsConfig(Feature):
    name = "benchmark.operations"

    def ready(self) -> None:
        from benchmark.operations.quotas import give_ticket, keep_ticket
        from benchmark.submissions.models import Submission

        post_save.connect(give_ticket, sender=Submission, dispatch_uid="ticket")
        pre_delete.connect(keep_ticket, sender=Submission, dispatch_uid="ticket")
        if settings.SENTRY_DSN:
            import sentry_sdk

            sentry_sdk.init(dsn=settings.SENTRY_DSN, before_send=scrubbed, **QUIET)

    def tidy(self) -> None:
        from benchmark.operations import retention

        retention.tidy()
