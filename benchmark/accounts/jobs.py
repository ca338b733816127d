"""Sending mail: a job for each message and recipient."""

from __future__ import annotations

import logging
import re
from contextlib import suppress
from functools import partial
from smtplib import SMTPRecipientsRefused, SMTPResponseException

from django.core.mail.backends.smtp import EmailBackend
from django.utils import timezone

from benchmark.accounts.models import Mail
from benchmark.accounts.outbox import KIND
from benchmark.operations.kinds import JobContext, JobKind, Store, in_tries
from benchmark.operations.models import Job

log = logging.getLogger(__name__)

TRIES = 8
"""Spread over 28 minutes by lengthening pauses: mail servers that greylist unknown senders accept a later try."""
PERMANENT = 500
_ADDRESS = re.compile(r"[^\s<>]+@[^\s<>]+")


class NotSent(Exception):
    """The mail server cannot be reached or refuses the message for now; says why, without any address."""


def send(job: Job, _: JobContext) -> Store:
    """Hand the message to the mail server.

    Raises
    ------
    NotSent
        to be tried again.
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
            with suppress(OSError):  # it has answered about the message, and that counts
                server.close()
    return partial(_delete, mail.pk)


def is_waiting(job: Job) -> bool:
    """Whether the message is still to be sent."""
    return Mail.objects.filter(pk=job.subject, given_up_at=None).exists()


def give_up(job: Job, reason: str) -> None:
    """Keep the reason for the operator, and delete the content."""
    _record(int(job.subject), f"Not sent {in_tries(job)}: {reason}")


def _delete(mail: int) -> None:
    Mail.objects.filter(pk=mail).delete()


def _record(mail: int, reason: str) -> None:
    Mail.objects.filter(pk=mail).update(content=b"", given_up_at=timezone.now(), reason=reason)
    log.error("Mail %s is given up. %s.", mail, reason)


def _in_words(server: EmailBackend, event: str) -> str:
    return _ADDRESS.sub("…", f"The mail server {server.host}:{server.port} {event}")


def _decoded(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer


KINDS = {KIND: JobKind(send, give_up, is_waiting, tries=lambda: TRIES, about="mail", rest_seconds=60)}
