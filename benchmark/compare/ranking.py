"""Do two sets of vectors rank words alike? Correlations of pairs of entries over cues, as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache

from benchmark.compare.models import PairCorrelation, cues_key
from benchmark.compare.picked import Picked, pairs
from benchmark.templatetags.figures import correlation
from tasks.errors import InputError
from tasks.political.cues import parse_cues, political_cues
from workers import queue

MOST_CUES = 50
ASK_AGAIN_SECONDS = 600
NO_FILE = "The vectors of {name} are not kept on this site."


@dataclass(frozen=True)
class PairCell:
    """``state``: same, known, waiting, open (nobody has asked yet) or impossible, with its reason."""

    state: str
    figures: dict[str, Any] | None = None
    reason: str = ""

    @property
    def text(self) -> str:
        return correlation(self.figures["mean"]) if self.figures and self.figures.get("mean") is not None else "–"

    @property
    def shade(self) -> int:
        return round(abs(self.figures["mean"]) * 4) if self.figures and self.figures.get("mean") is not None else 0


@dataclass(frozen=True)
class HeatMap:
    cues: tuple[str, ...]
    rows: tuple[tuple[Picked, tuple[PairCell, ...]], ...]
    problem: str = ""

    def has(self, state: str) -> bool:
        return any(cell.state == state for _, cells in self.rows for cell in cells)

    @property
    def is_open(self) -> bool:
        return self.has("open")

    @property
    def is_waiting(self) -> bool:
        return self.has("waiting")


def cues_of(typed: str, entries: Sequence[Picked]) -> tuple[str, ...]:
    """The typed list, or the political cues of the first entry's language.

    Raises
    ------
    InputError
        the list is empty or too long.
    """
    if not typed.strip():
        known = political_cues(entries[0].submission.language) or political_cues("en")
        return known.words if known else ()
    words = parse_cues(typed)
    if len(words) > MOST_CUES:
        raise InputError("too-many-cues", f"The list has {len(words)} cues; this page takes {MOST_CUES}.", field="cues")
    return tuple(words)


def heat_map(entries: Sequence[Picked], typed: str) -> HeatMap:
    """What is known of every pair; one query."""
    try:
        cues = cues_of(typed, entries)
    except InputError as error:
        return HeatMap((), (), str(error))
    hashes = {entry.submission.vectors_sha256 for entry in entries}
    rows = PairCorrelation.objects.filter(cues_key=cues_key(cues), left_sha256__in=hashes, right_sha256__in=hashes)
    known = {(row.left_sha256, row.right_sha256): row for row in rows}
    return HeatMap(cues, tuple((a, tuple(_cell(a, b, known) for b in entries)) for a in entries))


def _cell(a: Picked, b: Picked, known: dict[tuple[str, str], PairCorrelation]) -> PairCell:
    if a.submission.vectors_sha256 == b.submission.vectors_sha256:
        return PairCell("same")
    row = known.get(_order(a, b))
    if row is not None and row.figures is not None:
        return PairCell("known", row.figures, row.figures.get("reason", ""))
    for one in (a, b):
        if not one.submission.file_key:
            return PairCell("impossible", reason=NO_FILE.format(name=one.name))
    return PairCell("waiting" if row is not None else "open")


def _order(a: Picked, b: Picked) -> tuple[str, str]:
    first, second = sorted((a.submission.vectors_sha256, b.submission.vectors_sha256))
    return first, second


def ask(entries: Sequence[Picked], cues: Sequence[str]) -> None:
    """Let a worker compute every pair that is not known; a pair is asked for once in ten minutes at most."""
    for a, b in pairs(entries):
        left_sha256, right_sha256 = _order(a, b)
        if left_sha256 == right_sha256 or not a.submission.file_key or not b.submission.file_key:
            continue
        left, right = (a, b) if a.submission.vectors_sha256 == left_sha256 else (b, a)
        row, _ = PairCorrelation.objects.get_or_create(
            left_sha256=left_sha256,
            right_sha256=right_sha256,
            cues_key=cues_key(cues),
            defaults={"left": left.submission, "right": right.submission, "cues": list(cues)},
        )
        if row.figures is None and cache.add(f"correlate-{row.pk}", 1, ASK_AGAIN_SECONDS):
            queue.enqueue_correlation(row.pk)
