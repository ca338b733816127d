"""E-mail to the owner of a submission that is over."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse

from benchmark.accounts.models import Account
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State

SUBJECTS = {State.DONE: "Report ready", State.FAILED: "Evaluation failed", State.REJECTED: "File rejected"}


def tell_owner(submission_id: str, **_signal: object) -> bool:
    """Write to the owner's confirmed address, unless the owner wants no mail.

    Sent when a new submission ends by itself; nothing is sent for what the site measures again on its own account.
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
    return {
        "submission": submission,
        "error": (submission.error or {}).get("message", ""),
        "link": f"{settings.SITE_URL}{reverse(page, args=[submission.pk])}",
        "account": f"{settings.SITE_URL}{reverse('accounts:home')}",
    }
