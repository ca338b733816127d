"""Permanent links: a board's values as they were on a day, named by their hash.

Only figures and ranks are frozen. Names, and who may see an entry, are those of today: an entry that was withdrawn or
deleted since does not appear on frozen boards. Its figures stay in what is stored, which the hash is of.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.http import Http404

from benchmark.leaderboard.models import FrozenStanding
from benchmark.leaderboard.query import DIGITS
from benchmark.leaderboard.table import Table, unpacked

MOST_IN_MEMORY = 4


@dataclass(frozen=True)
class Frozen:
    """``digest`` as addresses name it."""

    digest: str
    when: datetime
    table: Table


@lru_cache(maxsize=MOST_IN_MEMORY)
def frozen(suite: str, version: int, digits: str) -> Frozen:
    """Values that were frozen before.

    Raises
    ------
    Http404
        none have this hash.
    """
    named = FrozenStanding.objects.filter(suite=suite, version=version, digest__startswith=digits)
    row = named.first() if len(digits) == DIGITS else None
    if row is None:
        raise Http404(f"No frozen values of this board have the hash “{digits}”. The link is cut off or wrong.")
    return Frozen(digits, row.frozen_at, unpacked(zlib.decompress(bytes(row.body))))
