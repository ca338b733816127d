"""Mail leaves the site through here: stored as rows, which workers send. No page waits for a mail server."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.message import sanitize_address
from django.db import transaction

from benchmark.accounts.models import Mail
from workers import queue

KIND = "send_mail"
KEPT = timedelta(days=30)


class Outbox(BaseEmailBackend):
    """Django's mail backend of a site with a mail server."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Queue each message once for every recipient."""
        with transaction.atomic():
            for message in email_messages:
                encoding = message.encoding or settings.DEFAULT_CHARSET
                common = {
                    "sender": sanitize_address(message.from_email, encoding),
                    "subject": message.subject[:200],
                    "content": message.message().as_bytes(linesep="\r\n"),  # type: ignore[call-arg]
                }
                for recipient in message.recipients():
                    mail = Mail.objects.create(recipient=sanitize_address(recipient, encoding), **common)
                    queue.enqueue(KIND, mail.pk)
        return len(email_messages)


def forget_mail_of(instance: User, **_signal: Any) -> None:
    """A deleted account gets no more mail, and no record of its address stays."""
    addresses = EmailAddress.objects.filter(user=instance).values_list("email", flat=True)
    Mail.objects.filter(recipient__in=[instance.email, *addresses]).delete()


def forget_old_mail(now: datetime) -> None:
    """Delete the records of mail that was given up."""
    Mail.objects.filter(created_at__lt=now - KEPT).delete()
