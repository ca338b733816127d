"""Mail: messages to owners, an outbox of rows, and a job for each message and recipient."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from smtplib import SMTPRecipientsRefused, SMTPResponseException
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage, send_mail
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.smtp import EmailBackend
from django.core.mail.message import sanitize_address
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from benchmark.accounts.models import Account, Mail
from benchmark.operations.kinds import JobContext, JobKind, Store, in_tries
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from tasks.errors import Fault
from workers import queue

THIS_MACHINE = "http://127.0.0.1:8000"  # without SITE_URL, as workers have no request whose host they could use
SUBJECTS = {State.DONE: "Report ready", State.FAILED: "Evaluation failed", State.REJECTED: "File rejected"}


def tell_owner(submission_id: str, **_signal: object) -> bool:
    """Mail the end of a submission to its owner's confirmed address, unless the owner wants no mail.

    Re-measurements by the site send no mail.
    """
    submission = Submission.objects.select_related("owner", "report").get(pk=submission_id)
    address = _address_of(submission)
    if address is None or State(submission.state) not in SUBJECTS:
        return False
    subject = f"[Vecboard] {SUBJECTS[State(submission.state)]}: {submission.display_name}"
    text = render_to_string("accounts/mail/finished.txt", _context(submission))
    send_mail(subject, text, settings.DEFAULT_FROM_EMAIL, [address])
    return True


def _address_of(submission: Submission) -> str | None:
    owner = submission.owner
    if owner is None or not owner.is_active:
        return None
    account, _ = Account.objects.get_or_create(user=owner)
    if not account.mail_when_finished:
        return None
    confirmed = EmailAddress.objects.filter(user=owner, verified=True).order_by("-primary").first()
    return confirmed.email if confirmed else None


def _context(submission: Submission) -> dict[str, object]:
    page = "reports:report" if submission.state == State.DONE else "submissions:status"
    site = settings.SITE_URL or THIS_MACHINE
    return {
        "submission": submission,
        "error": (submission.error or {}).get("message", ""),
        "link": f"{site}{reverse(page, args=[submission.pk])}",
        "account": f"{site}{reverse('accounts:home')}",
    }


KIND = "send_mail"
KEPT = timedelta(days=30)


class Outbox(BaseEmailBackend):
    """Django's mail backend for sites with a mail server: messages become rows, so no page waits for the server."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Queue each message separately for every recipient."""
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
    """Delete all mail to a deleted account."""
    addresses = EmailAddress.objects.filter(user=instance).values_list("email", flat=True)
    Mail.objects.filter(recipient__in=[instance.email, *addresses]).delete()


def forget_old_mail(now: datetime) -> None:
    """Delete the records of mail that was given up."""
    Mail.objects.filter(created_at__lt=now - KEPT).delete()


log = logging.getLogger(__name__)

TRIES = 8
"""Over 28 minutes, with growing pauses: servers that greylist unknown senders accept a later try."""
PERMANENT = 500
_ADDRESS = re.compile(r"(?<![^\s<>])[^\s<>]+@[^\s<>]+")


class NotSent(Fault):
    """The mail server is unreachable or refuses the message for now; the text has no addresses."""


def send(job: Job, _: JobContext) -> Store:
    """Hand the message to the mail server.

    Raises
    ------
    NotSent
        the message is to be retried.
    """
    mail = Mail.objects.get(pk=job.subject)
    if mail.recipient != Mail.NOBODY:
        server = EmailBackend()
        try:
            server.open()
            assert server.connection is not None
            server.connection.sendmail(mail.sender, [mail.recipient], bytes(mail.content))
        except SMTPRecipientsRefused as error:
            code, text = error.recipients[mail.recipient]
            reason = _in_words(server, f"refused the recipient: {code} {_decoded(text)}")
            if code >= PERMANENT:
                return partial(_record, mail.pk, reason)
            raise NotSent(reason) from None
        except SMTPResponseException as error:
            raise NotSent(_in_words(server, f"answered {error.smtp_code} {_decoded(error.smtp_error)}")) from None
        except OSError as error:
            raise NotSent(_in_words(server, f"cannot be used: {error}")) from None
        finally:
            with suppress(OSError):  # its answer about the message counts
                server.close()
    return Mail.objects.filter(pk=mail.pk).delete


def is_waiting(job: Job) -> bool:
    """Whether the message is still to be sent."""
    return Mail.objects.filter(pk=job.subject, given_up_at=None).exists()


def give_up(job: Job, reason: str) -> None:
    """Keep the reason for the operator, and delete the content."""
    _record(int(job.subject), f"Not sent {in_tries(job)}: {reason}")


def _record(mail: int, reason: str) -> None:
    Mail.objects.filter(pk=mail).update(content=b"", given_up_at=timezone.now(), reason=reason)
    log.error("Mail %s is given up. %s.", mail, reason)


def _in_words(server: EmailBackend, event: str) -> str:
    return _ADDRESS.sub("…", f"The mail server {server.host}:{server.port} {event}")


def _decoded(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer


KINDS = {KIND: JobKind(send, give_up, is_waiting, tries=lambda: TRIES, about="mail", rest_seconds=60)}
