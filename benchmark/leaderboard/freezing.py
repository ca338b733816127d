"""Keep a board's present values under their hash, for its permanent links (:mod:`benchmark.leaderboard.frozen`)."""

from __future__ import annotations

import hashlib
import zlib

from django.db.models import Sum
from django.http import Http404
from django.utils import timezone

from benchmark.leaderboard.models import FrozenStanding, Standing
from benchmark.leaderboard.query import DIGITS
from benchmark.locks import one_at_a_time
from benchmark.operations.counting import TooMuch
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
        too many were frozen today, or frozen boards take too much room.
    """
    body = Standing.objects.filter(suite=suite, version=version).values_list("body", flat=True).first()
    if body is None:
        raise Http404("This board has no ranks yet; they appear minutes after the first report.")
    digest = hashlib.sha256(bytes(body)).hexdigest()
    with one_at_a_time("frozen boards"):
        if not FrozenStanding.objects.filter(pk=digest).exists():
            packed = zlib.compress(bytes(body))
            _authorize(len(packed))
            FrozenStanding.objects.create(digest=digest, suite=suite, version=version, size=len(packed), body=packed)
    return digest[:DIGITS]


def _authorize(size: int) -> None:
    instead = "The downloads beside the board contain the same values."
    today = FrozenStanding.objects.filter(frozen_at__gt=timezone.now() - DAY).count()
    if today >= MOST_A_DAY:
        message = f"{today} boards were frozen within a day, the limit of this site. {instead}"
        raise TooMuch("too-many-frozen", message, field=None)
    if (FrozenStanding.objects.aggregate(sum=Sum("size"))["sum"] or 0) + size > MOST_BYTES:
        raise TooMuch("no-room-to-freeze", f"This site has no room for more frozen boards. {instead}", field=None)
