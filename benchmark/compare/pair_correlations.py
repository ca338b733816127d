"""Ranking correlations of pairs of entries over cues: stored ones, and requests to the workers."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils import timezone

from benchmark.compare.entries import LEAST, Marked, pairs
from benchmark.compare.models import ListDeviation, PairCorrelation, Requested
from benchmark.operations import quotas
from benchmark.shipped.vectors import can_be_rebuilt
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import correlation, decimals
from tasks.datasets import data_directory
from tasks.errors import InputError
from tasks.political.cues import CUE_LISTS, RANDOM_CUES, CueList, operator_lists, parse_cues, political_cues
from tasks.text import LeftOut

log = logging.getLogger(__name__)
MOST_CUES = 50
LONGEST = 2000
TYPED = "typed"


@dataclass(frozen=True)
class Cues:
    """A chosen set of cues; ``words`` is None if they depend on the two vocabularies."""

    id: str
    title: str
    words: tuple[str, ...] | None = None

    @property
    def stored(self) -> list[str] | str:
        """The form stored with a pair: the words, or the name of a set without words of its own."""
        return self.id if self.words is None else list(self.words)

    @property
    def key(self) -> str:
        """Hash of the words, independent of the list's name."""
        return hashlib.sha256(json.dumps(self.stored, ensure_ascii=False).encode()).hexdigest()

    @property
    def typed(self) -> str:
        """Content of the field for the visitor's own cues."""
        return ", ".join(self.words or ()) if self.id == TYPED else ""

    @property
    def query(self) -> dict[str, str]:
        """Query parameters of these cues."""
        return {"cues": self.typed} if self.id == TYPED else {"set": self.id}


RANDOM = Cues("random", f"{RANDOM_CUES} random words in both vocabularies")
EVERY = Cues("every", "Every word in both vocabularies")
DRIFT = Cues("drift", "Words that moved, after alignment and by neighbours")
"""Not a set of cues: requests the words that changed most."""


def offered() -> list[Cues]:
    """Sets to choose from: the political lists, the operator's, random words."""
    return [*(Cues(cues.id, cues.title, cues.words) for cues in _lists().values()), RANDOM]


def chosen(query: Mapping[str, str], language: str) -> Cues:
    """The typed cues, the chosen set, or by default the political list of a language.

    Parameters
    ----------
    query : ``cues`` and ``set`` of a URL or a form.

    Raises
    ------
    InputError
        the set does not exist, or the typed list is too long.
    """
    typed = query.get("cues", "")[:LONGEST]
    if typed.strip():
        words = parse_cues(typed)
        if len(words) > MOST_CUES:
            message = f"The list has {len(words)} cues; the limit is {MOST_CUES}."
            raise InputError("too-many-cues", message, field="cues")
        return Cues(TYPED, "Your own cues", tuple(words))
    name = query.get("set", "")
    if not name:
        own = political_cues(language) or CUE_LISTS["political-en"]
        return Cues(own.id, own.title, own.words)
    found = next((cues for cues in offered() if cues.id == name), None)
    if found is None:
        known = ", ".join(cues.id for cues in offered())
        raise InputError("no-cue-set", f"Unknown set of cues “{name[:60]}”; the sets are {known}.", field="set")
    return found


def _lists() -> dict[str, CueList]:
    """Built-in lists and the operator's; unreadable ones are logged and left out."""
    left_out = LeftOut()
    lists = CUE_LISTS | operator_lists(data_directory() / "cue-lists", left_out)
    if left_out.count:
        log.error(left_out.sentence("Cue lists of the operator"))
    return lists


NO_FILE = "This site does not keep the vectors of {name}."
Known = dict[tuple[str, str], PairCorrelation]


@dataclass(frozen=True)
class PairCell:
    """A cell of the heat map; ``other`` is the entry of its column.

    ``state`` is same, known, waiting, open (not requested yet) or impossible, with a reason.
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
        """Two decimals, for large maps."""
        return decimals(self.mean)

    @property
    def shade(self) -> str:
        """CSS class of its shade, by sign and strength."""
        return "" if self.mean is None else f"{'n' if self.mean < 0 else 'p'}{round(abs(self.mean) * 4)}"


@dataclass(frozen=True)
class HeatMap:
    """A symmetric matrix of entries."""

    rows: tuple[tuple[Marked, tuple[PairCell, ...]], ...] = ()

    def has(self, state: str) -> bool:
        return any(cell.state == state for _, cells in self.rows for cell in cells)

    @property
    def is_open(self) -> bool:
        return self.has("open")

    @property
    def without_file(self) -> list[Marked]:
        """Entries with blank pairs, because the site doesn't keep their vectors."""
        rows = [(entry, cells) for entry, cells in self.rows if not entry.submission.has_vectors]
        return [entry for entry, cells in rows if any(cell.state == "impossible" for cell in cells)]

    @property
    def can_be_rebuilt(self) -> bool:
        """Whether some missing vectors can be rebuilt."""
        return any(can_be_rebuilt(entry.submission) for entry in self.without_file)

    @property
    def is_impossible(self) -> bool:
        """Whether no pair is known or can be computed."""
        return bool(self.pairs) and all(cell.state == "impossible" for _, _, cell in self.pairs)

    @property
    def is_waiting(self) -> bool:
        return self.has("waiting")

    @property
    def pairs(self) -> list[tuple[Marked, Marked, PairCell]]:
        """Unordered pairs of different vectors."""
        above = ((a, cell.other, cell) for i, (a, cells) in enumerate(self.rows) for cell in cells[i + 1 :])
        return [pair for pair in above if pair[2].state != "same"]

    @property
    def known(self) -> list[tuple[Marked, Marked, PairCell]]:
        """Pairs with a correlation, the most similar first."""
        found = [pair for pair in self.pairs if pair[2].mean is not None]
        return sorted(found, key=lambda pair: -(pair[2].mean or 0.0))


def ranking_part(request: HttpRequest, entries: Sequence[Marked]) -> dict[str, object]:
    """Context of the section "Do they rank words alike?": the chosen cues, those on offer, and every pair."""
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
    """The stored correlation of every pair, in one query."""
    known = known_pairs([entry.submission for entry in entries], [cues])[cues.key]
    return HeatMap(tuple((a, tuple(_cell(a, b, known) for b in entries)) for a in entries))


def known_pairs(entries: Sequence[Submission], sets: Sequence[Cues]) -> dict[str, Known]:
    """Stored pairs of these vectors by the key of the cues, in one query."""
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
    """The two hashes, the smaller first, as pairs are stored once."""
    first, second = sorted((a.vectors_sha256, b.vectors_sha256))
    return first, second


def request_pairs(entries: Sequence[Marked], cues: Cues) -> None:
    """Request the missing pairs from a worker.

    Raises
    ------
    TooMuch
        this person already has too many open requests.
    """
    wanted = {
        order(a.submission, b.submission): (a.submission, b.submission)
        for a, b in pairs(entries)
        if _can_be_compared(a.submission, b.submission)
    }
    with quotas.asking():
        rows = _rows_of(wanted.values(), [cues])
        request_figures("correlate", PairCorrelation, rows)


def request_details(a: Submission, b: Submission, cues: Cues) -> None:
    """Request the comparison of two entries over cues, random words and every word, and of the words that moved.

    Raises
    ------
    TooMuch
        this person already has too many open requests.
    """
    if not _can_be_compared(a, b):
        return
    with quotas.asking():
        rows = _rows_of([(a, b)], [cues, RANDOM, EVERY, DRIFT])
        unseen = [row for row in rows if not row.is_due and "closely" not in row.figures]
        request_figures("compare", PairCorrelation, rows, also=unseen)


def request_figures(
    kind: str,
    model: type[PairCorrelation] | type[ListDeviation],
    rows: Sequence[Requested],
    also: Collection[Requested] = (),
) -> list[int]:
    """Request the figures that may be computed now; return the keys of their rows.

    Postpones the deletion of all rows that were viewed.

    Raises
    ------
    TooMuch
        this person already has too many open requests.
    """
    due = [row.pk for row in rows if row.may_be_asked or row in also]
    quotas.ask(kind, due)
    known = [row.pk for row in rows if not row.is_due]
    model.objects.filter(pk__in=due + known).update(asked_at=timezone.now())
    return due


def _rows_of(wanted: Collection[tuple[Submission, Submission]], sets: Sequence[Cues]) -> list[PairCorrelation]:
    """Get or create a row for every pair and set of cues, in the order of the sets."""
    entries = [entry for pair in wanted for entry in pair]
    before = known_pairs(entries, sets)
    new = [_new_row(a, b, cues) for a, b in wanted for cues in sets if order(a, b) not in before[cues.key]]
    PairCorrelation.objects.bulk_create(new, ignore_conflicts=True)
    after = known_pairs(entries, sets) if new else before
    keys = dict.fromkeys(cues.key for cues in sets)
    return [after[key][order(a, b)] for key in keys for a, b in wanted]


def _can_be_compared(a: Submission, b: Submission) -> bool:
    return a.vectors_sha256 != b.vectors_sha256 and a.has_vectors and b.has_vectors


def _new_row(a: Submission, b: Submission, cues: Cues) -> PairCorrelation:
    left, right = sorted((a, b), key=lambda submission: submission.vectors_sha256)
    return PairCorrelation(
        left=left,
        right=right,
        left_sha256=left.vectors_sha256,
        right_sha256=right.vectors_sha256,
        cues_key=cues.key,
        cues=cues.stored,
    )
