"""How much one person may upload. What failed through our fault, or was refused, does not count against the number."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import timedelta

from django.conf import settings
from django.db.models import Sum
from django.utils import timezone

from benchmark.accounts.models import Account
from benchmark.operations.models import Ticket
from benchmark.submissions.states import OPEN, State
from benchmark.templatetags.figures import size
from tasks.errors import InputError

DAY = timedelta(days=1)


class TooMuch(InputError):
    """The person asked for more than this site grants; ``retry_after`` says in how many seconds to try again."""

    retry_after: int = 3600


@dataclass(frozen=True)
class Bounds:
    """How much one person may bring; 0 is no bound."""

    open_uploads: int
    uploads_per_day: int
    bytes_per_day: int


def bounds_of(payer: str) -> Bounds:
    """The site's bounds, with those that the operator set for this account in their place."""
    names = [field.name for field in fields(Bounds)]
    kind, _, user = payer.partition(":")
    own = Account.objects.filter(user=int(user)).values(*names).first() if kind == "user" else None
    given = {name: value for name, value in (own or {}).items() if value is not None}
    return Bounds(**{name: getattr(settings, f"VECBOARD_{name.upper()}") for name in names} | given)


def authorize_submission(payer: str, announced_bytes: int = 0) -> None:
    """May this person bring another file now?

    Raises
    ------
    TooMuch
        too many files today, too many under way, or too many bytes today; says which and when it will be possible.
    """
    tickets, bounds = Ticket.objects.filter(payer=payer), bounds_of(payer)
    under_way = tickets.filter(submission__state__in=OPEN).count()
    if bounds.open_uploads and under_way >= bounds.open_uploads:
        raise _too_much(
            "too-many-open",
            f"{under_way} of your files are being measured or wait for it, which is the most at once. "
            "Wait until one is done, or cancel one.",
            600,
        )
    today = tickets.filter(created_at__gt=timezone.now() - DAY)
    counted = today.exclude(submission__state__in=(State.FAILED, State.REJECTED))
    per_day = bounds.uploads_per_day
    if per_day and counted.count() >= per_day:
        raise _too_much("too-many-today", f"You sent {per_day} files within a day, which is the most.", _wait(counted))
    bytes_per_day = bounds.bytes_per_day
    sent = today.exclude(submission__state=State.FAILED).aggregate(sum=Sum("submission__file_bytes"))["sum"] or 0
    if bytes_per_day and sent + announced_bytes > bytes_per_day:
        raise _too_much(
            "too-many-bytes", f"You sent {size(sent)} within a day; the most is {size(bytes_per_day)}.", _wait(today)
        )


def _too_much(code: str, message: str, retry_after: int) -> TooMuch:
    error = TooMuch(code, message)
    error.retry_after = retry_after
    return error


def _wait(counted: object) -> int:
    """Seconds until the oldest of a day's tickets is a day old."""
    oldest = counted.order_by("created_at").values_list("created_at", flat=True).first()  # type: ignore[attr-defined]
    left = (oldest + DAY - timezone.now()).total_seconds() if oldest else 3600
    return max(60, int(left))
