"""Freeze the current board: keep it under the hash of its values, for permanent links.

Only scores and ranks are frozen. Names, and who may see an entry, are those of today: an entry that was withdrawn or
deleted since does not appear on frozen boards. Its scores stay in what is stored, which the hash is of.
"""

from __future__ import annotations

import zlib

from django.db.models import Q, Sum
from django.http import Http404
from django.utils import timezone

from benchmark.fields import one_at_a_time
from benchmark.leaderboard.models import LOCK, ComputedBoard, ComputedBoardQuerySet
from benchmark.leaderboard.query import DIGITS
from benchmark.operations.counting import TooMuch, current_payer, left_for, share_of
from benchmark.operations.quotas import DAY

MOST_A_DAY = 24
"""Frozen boards a day, of all visitors together: asking again for the same values takes no space."""
MOST_BYTES = 2_000_000_000
"""That frozen boards may take in the database, compressed."""


def freeze(suite: str, version: int) -> str:
    """Keep the current board; return the digits that name its values. Equal values are kept once.

    Raises
    ------
    Http404
        the board has no values yet.
    TooMuch
        too many were frozen today, or frozen boards take too much room, in all or by this payer.
    """
    with one_at_a_time(LOCK):
        board = ComputedBoard.objects.current(suite).filter(version=version).defer("body").first()
        if board is None:
            raise Http404("This board has no ranks yet; they appear minutes after the first report.")
        if not ComputedBoard.objects.kept().filter(suite=suite, version=version, digest=board.digest).exists():
            body, payer = zlib.compress(board.table_bytes), current_payer.get()
            _authorize(payer, len(body))
            kept = {"body": body, "size": len(body), "payer": payer, "kept_at": timezone.now()}
            ComputedBoard.objects.filter(pk=board.pk).update(**kept)
    return board.digest[:DIGITS]


def _authorize(payer: str, size: int) -> None:
    instead = "The downloads beside the board contain the same values."
    ever = ComputedBoard.objects.kept()
    own, today = ever.filter(payer=payer), Q(kept_at__gt=timezone.now() - DAY)
    if left_for(own.filter(today).count(), ever.filter(today).count(), MOST_A_DAY) < 1:
        message = (
            f"This site freezes at most {MOST_A_DAY} boards within a day, {share_of(MOST_A_DAY)} of them for one "
            f"person. {instead}"
        )
        raise TooMuch("too-many-frozen", message, field=None)
    if left_for(_bytes(own), _bytes(ever), MOST_BYTES) < size:
        raise TooMuch("no-room-to-freeze", f"This site has no room for more frozen boards. {instead}", field=None)


def _bytes(boards: ComputedBoardQuerySet) -> int:
    return boards.aggregate(sum=Sum("size"))["sum"] or 0
