"""Do two sets of vectors rank words alike? Correlations of pairs of entries over cues, as a heat map and closely."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from benchmark.compare.cues import EVERY, RANDOM, Cues
from benchmark.compare.models import PairCorrelation, is_due
from benchmark.compare.picked import Marked, pairs
from benchmark.operations import page_jobs
from benchmark.submissions.models import Submission
from benchmark.templatetags.figures import correlation, decimals

ASK_AGAIN = timedelta(minutes=10)
"""What failed through no fault of the vectors can be asked for again after this time."""
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
        rows = [(entry, cells) for entry, cells in self.rows if not has_vectors(entry.submission)]
        return [entry for entry, cells in rows if any(cell.state == "impossible" for cell in cells)]

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


def has_vectors(submission: Submission) -> bool:
    """Whether a worker can open its vectors: its file is kept, or it is a baseline, which can be retrained."""
    return bool(submission.vectors_sha256 and (submission.file_key or submission.is_baseline))


def _cell(a: Marked, b: Marked, known: Known) -> PairCell:
    if a is b or (a.submission.vectors_sha256 and a.submission.vectors_sha256 == b.submission.vectors_sha256):
        return PairCell(b, "same")
    row = known.get(order(a.submission, b.submission))
    if row is not None and row.figures is not None:
        return PairCell(b, "known", row.figures, row.figures.get("reason", ""))
    for one in (a, b):
        if not has_vectors(one.submission):
            return PairCell(b, "impossible", reason=NO_FILE.format(name=one.name))
    return PairCell(b, "waiting" if row is not None else "open")


def order(a: Submission, b: Submission) -> tuple[str, str]:
    """The two hashes, the smaller first: a pair is kept once."""
    first, second = sorted((a.vectors_sha256, b.vectors_sha256))
    return first, second


def ask(entries: Sequence[Marked], cues: Cues) -> None:
    """Let a worker compute every pair that is not known.

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
    with page_jobs.asking():
        rows = _rows_of(wanted.values(), [cues])
        due = [row.pk for row in rows if may_be_asked(row.figures, row.asked_at)]
        page_jobs.ask("correlate", due)
        _note_asked(row for row in rows if row.pk in due or not is_due(row.figures))


def ask_closely(a: Submission, b: Submission, cues: Cues) -> None:
    """Let a worker compare two entries over cues, over random words, and over every word.

    Raises
    ------
    TooMuch
        this person already has too many open requests.
    """
    if not _can_be_compared(a, b):
        return
    with page_jobs.asking():
        rows = _rows_of([(a, b)], [cues, RANDOM, EVERY])
        unseen = [row for row in rows if not is_due(row.figures) and "closely" not in row.figures]
        due = [row.pk for row in rows if row in unseen or may_be_asked(row.figures, row.asked_at)]
        page_jobs.ask("compare", due)
        _note_asked(row for row in rows if row.pk in due or not is_due(row.figures))


def may_be_asked(figures: dict[str, object] | None, asked_at: datetime) -> bool:
    """Whether figures are to be computed now: there are none, or the last try failed some time ago."""
    return figures is None or (is_due(figures) and asked_at < timezone.now() - ASK_AGAIN)


def _rows_of(wanted: Collection[tuple[Submission, Submission]], sets: Sequence[Cues]) -> list[PairCorrelation]:
    """A row for every pair and set of cues, in the order of the sets; made where there is none."""
    entries = [entry for pair in wanted for entry in pair]
    before = known_pairs(entries, sets)
    new = [_new_row(a, b, cues) for a, b in wanted for cues in sets if order(a, b) not in before[cues.key]]
    PairCorrelation.objects.bulk_create(new, ignore_conflicts=True)
    after = known_pairs(entries, sets) if new else before
    keys = dict.fromkeys(cues.key for cues in sets)
    return [after[key][order(a, b)] for key in keys for a, b in wanted]


def _note_asked(rows: Iterable[PairCorrelation]) -> None:
    """What is asked for is kept (``benchmark.compare.retention``)."""
    PairCorrelation.objects.filter(pk__in=[row.pk for row in rows]).update(asked_at=timezone.now())


def _can_be_compared(a: Submission, b: Submission) -> bool:
    return a.vectors_sha256 != b.vectors_sha256 and has_vectors(a) and has_vectors(b)


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
