"""Asking the workers for correlations of pairs of entries."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.utils import timezone

from benchmark.compare.cues import DRIFT, EVERY, RANDOM, Cues
from benchmark.compare.models import ListDeviation, PairCorrelation, Requested
from benchmark.compare.picked import Marked, pairs
from benchmark.compare.ranking import known_pairs, order
from benchmark.operations import quotas
from benchmark.submissions.models import Submission


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
    with quotas.asking():
        rows = _rows_of(wanted.values(), [cues])
        ask_for("correlate", PairCorrelation, rows)


def ask_closely(a: Submission, b: Submission, cues: Cues) -> None:
    """Let a worker compare two entries over cues, random words and every word, and see which words moved.

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
        ask_for("compare", PairCorrelation, rows, also=unseen)


def ask_for(
    kind: str,
    model: type[PairCorrelation] | type[ListDeviation],
    rows: Sequence[Requested],
    also: Collection[Requested] = (),
) -> list[int]:
    """Let a worker compute the figures that may be requested now; the keys of their rows.

    What is requested, or was looked at, is kept (``benchmark.compare.retention``).

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
    """A row for every pair and set of cues, in the order of the sets; made where there is none."""
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
