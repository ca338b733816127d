"""Do two sets of vectors rank words alike? Correlations of pairs of entries over cues, as a heat map and closely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest

from benchmark.compare.cues import Cues, chosen, offered
from benchmark.compare.models import PairCorrelation
from benchmark.compare.picked import LEAST, Marked
from benchmark.shipped.vectors import can_be_rebuilt
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import correlation, decimals
from tasks.errors import InputError

NO_FILE = "This site does not keep the vectors of {name}."
Known = dict[tuple[str, str], PairCorrelation]


@dataclass(frozen=True)
class PairCell:
    """``state``: same, known, waiting, open (nobody has asked yet) or impossible, with its reason.

    ``other`` is the entry of the cell's column.
    """

    other: Marked
    state: str
    figures: dict[str, Any] | None = None
    reason: str = ""

    @property
    def mean(self) -> float | None:
        return self.figures.get("mean") if self.figures else None

    @property
    def text(self) -> str:
        return correlation(self.mean)

    @property
    def short(self) -> str:
        """Two decimals: what a cell of a large map has room for."""
        return decimals(self.mean)

    @property
    def shade(self) -> str:
        """Class of its shade: how strong, and which sign."""
        return "" if self.mean is None else f"{'n' if self.mean < 0 else 'p'}{round(abs(self.mean) * 4)}"


@dataclass(frozen=True)
class HeatMap:
    """A row an entry, a cell for every entry; the same above and below the diagonal."""

    rows: tuple[tuple[Marked, tuple[PairCell, ...]], ...] = ()

    def has(self, state: str) -> bool:
        return any(cell.state == state for _, cells in self.rows for cell in cells)

    @property
    def is_open(self) -> bool:
        return self.has("open")

    @property
    def without_file(self) -> list[Marked]:
        """Entries whose pairs are blank because their vectors are not kept."""
        rows = [(entry, cells) for entry, cells in self.rows if not entry.submission.has_vectors]
        return [entry for entry, cells in rows if any(cell.state == "impossible" for cell in cells)]

    @property
    def can_be_rebuilt(self) -> bool:
        """Whether vectors of some of them can be made again."""
        return any(can_be_rebuilt(entry.submission) for entry in self.without_file)

    @property
    def is_impossible(self) -> bool:
        """No pair is known, and none can be computed."""
        return bool(self.pairs) and all(cell.state == "impossible" for _, _, cell in self.pairs)

    @property
    def is_waiting(self) -> bool:
        return self.has("waiting")

    @property
    def pairs(self) -> list[tuple[Marked, Marked, PairCell]]:
        """Each pair of different vectors once."""
        above = ((a, cell.other, cell) for i, (a, cells) in enumerate(self.rows) for cell in cells[i + 1 :])
        return [pair for pair in above if pair[2].state != "same"]

    @property
    def known(self) -> list[tuple[Marked, Marked, PairCell]]:
        """Pairs with a figure, the most alike first."""
        found = [pair for pair in self.pairs if pair[2].mean is not None]
        return sorted(found, key=lambda pair: -(pair[2].mean or 0.0))


def ranking_part(request: HttpRequest, entries: Sequence[Marked]) -> dict[str, object]:
    """What the part "Do they rank words alike?" shows: the cues, those on offer, and every pair."""
    if len(entries) < LEAST:
        return {"cues": None, "problem": "", "heat": HeatMap()}
    try:
        cues, problem = chosen(request.GET, entries[0].submission.language), ""
    except InputError as error:
        cues, problem = None, str(error)
    return {
        "cues": cues,
        "problem": problem,
        "typed": request.GET.get("cues", ""),
        "cue_sets": offered(),
        "heat": heat_map(entries, cues) if cues else HeatMap(),
        "cue_query": urlencode(cues.query) if cues else "",
        "kept": cues.query if cues else {},
    }


def heat_map(entries: Sequence[Marked], cues: Cues) -> HeatMap:
    """What is known of every pair; one query."""
    known = known_pairs([entry.submission for entry in entries], [cues])[cues.key]
    return HeatMap(tuple((a, tuple(_cell(a, b, known) for b in entries)) for a in entries))


def known_pairs(entries: Sequence[Submission], sets: Sequence[Cues]) -> dict[str, Known]:
    """Rows of pairs of these vectors, by the key of the cues; one query."""
    hashes = {entry.vectors_sha256 for entry in entries}
    keys = [cues.key for cues in sets]
    rows = PairCorrelation.objects.filter(cues_key__in=keys, left_sha256__in=hashes, right_sha256__in=hashes)
    found: dict[str, Known] = {key: {} for key in keys}
    for row in rows:
        found[row.cues_key][row.left_sha256, row.right_sha256] = row
    return found


def _cell(a: Marked, b: Marked, known: Known) -> PairCell:
    if a is b or (a.submission.vectors_sha256 and a.submission.vectors_sha256 == b.submission.vectors_sha256):
        return PairCell(b, "same")
    row = known.get(order(a.submission, b.submission))
    if row is not None and row.figures is not None:
        return PairCell(b, "known", row.figures, row.figures.get("reason", ""))
    for one in (a, b):
        if not one.submission.has_vectors:
            return PairCell(b, "impossible", reason=NO_FILE.format(name=one.name))
    return PairCell(b, "waiting" if row is not None else "open")


def order(a: Submission, b: Submission) -> tuple[str, str]:
    """The two hashes, the smaller first: a pair is kept once."""
    first, second = sorted((a.vectors_sha256, b.vectors_sha256))
    return first, second
