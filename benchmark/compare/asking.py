"""Asking the workers for correlations of pairs of entries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from benchmark.compare.cues import EVERY, RANDOM, Cues
from benchmark.compare.models import PairCorrelation, is_due
from benchmark.compare.picked import Marked, pairs
from benchmark.compare.ranking import has_vectors, known_pairs, order
from benchmark.operations import page_jobs
from benchmark.submissions.models import Submission

ASK_AGAIN = timedelta(minutes=10)
"""What failed through no fault of the vectors can be asked for again after this time."""


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
