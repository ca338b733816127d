"""Keep a board's present values under their hash, for its permanent links (:mod:`benchmark.leaderboard.frozen`)."""

from __future__ import annotations

import hashlib
import zlib

from django.db.models import Q, QuerySet, Sum
from django.http import Http404
from django.utils import timezone

from benchmark.fields import one_at_a_time
from benchmark.leaderboard.models import FrozenStanding, Standing
from benchmark.leaderboard.query import DIGITS
from benchmark.operations.counting import TooMuch, current_payer, left_for, share_of
from benchmark.operations.quotas import DAY

MOST_A_DAY = 24
"""Frozen boards a day, of all visitors together: asking again for the same values takes no space."""
MOST_BYTES = 2_000_000_000
"""That frozen boards may take in the database, compressed."""


def freeze(suite: str, version: int) -> str:
    """Keep the present values of a board; return the digits that name them. The same values are kept once.

    Raises
    ------
    Http404
        the board has no values yet.
    TooMuch
        too many were frozen today, or frozen boards take too much room, in all or by this payer.
    """
    body = Standing.objects.filter(suite=suite, version=version).values_list("body", flat=True).first()
    if body is None:
        raise Http404("This board has no ranks yet; they appear minutes after the first report.")
    digest = hashlib.sha256(bytes(body)).hexdigest()
    with one_at_a_time("frozen boards"):
        if not FrozenStanding.objects.filter(pk=digest).exists():
            packed = zlib.compress(bytes(body))
            payer = current_payer.get()
            _authorize(payer, len(packed))
            FrozenStanding.objects.create(
                digest=digest, suite=suite, version=version, payer=payer, size=len(packed), body=packed
            )
    return digest[:DIGITS]


def _authorize(payer: str, size: int) -> None:
    instead = "The downloads beside the board contain the same values."
    ever, own = FrozenStanding.objects.all(), FrozenStanding.objects.filter(payer=payer)
    today = Q(frozen_at__gt=timezone.now() - DAY)
    if left_for(own.filter(today).count(), ever.filter(today).count(), MOST_A_DAY) < 1:
        message = (
            f"This site freezes at most {MOST_A_DAY} boards within a day, {share_of(MOST_A_DAY)} of them for one "
            f"person. {instead}"
        )
        raise TooMuch("too-many-frozen", message, field=None)
    if left_for(_bytes(own), _bytes(ever), MOST_BYTES) < size:
        raise TooMuch("no-room-to-freeze", f"This site has no room for more frozen boards. {instead}", field=None)


def _bytes(frozen: QuerySet[FrozenStanding]) -> int:
    return frozen.aggregate(sum=Sum("size"))["sum"] or 0
