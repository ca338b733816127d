"""Names of entries that a reader could take for another entry's or the baseline's."""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from pathlib import Path

from benchmark.submissions.models import Submission

BASELINE = "baseline"


@cache
def _taken_for() -> dict[int, str]:
    lines = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    groups = " ".join(line for line in lines if not line.startswith("#")).split()
    return str.maketrans({character: group[0] for group in groups for character in group})


@lru_cache(4096)
def skeleton(name: str) -> str:
    """What the eye reads: the name without case, blanks, punctuation and accents, in the letters that it is taken for.

    Two names with one skeleton are confusable as in UTS #39, section 4, which keeps case, blanks and punctuation.
    """
    taken = unicodedata.normalize("NFKC", name).casefold().translate(_taken_for())
    apart = unicodedata.normalize("NFD", taken)
    # Marks of a class (accents) go; vowel signs, of class 0, are letters of their own.
    return "".join(c for c in apart if not unicodedata.combining(c) and unicodedata.category(c)[0] in "LMN")


def resembling(suite: str) -> dict[str, str]:
    """Name of the earlier entry, of another owner, that each listed entry of a suite could be taken for."""
    entries = Submission.objects.on_board(suite).order_by("-is_baseline", "created_at", "pk")
    first: dict[str, Submission] = {}
    taken: dict[str, str] = {}
    for entry in entries.only("name", "visibility", "owner_id", "is_baseline"):
        seen = skeleton(entry.display_name)
        earlier = first.setdefault(seen, entry)
        if not entry.is_baseline and skeleton(BASELINE) in seen:
            taken[entry.pk] = "the baseline"
        elif earlier is not entry and (entry.owner_id is None or entry.owner_id != earlier.owner_id):
            taken[entry.pk] = f"“{earlier.display_name}”"
    return taken
