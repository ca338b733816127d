"""Badges of entries."""

from __future__ import annotations

from dataclasses import dataclass

from benchmark.leaderboard.columns import MEAN_RANK, MEANS
from benchmark.leaderboard.models import Entry
from benchmark.leaderboard.table import completed, current, place_in_words
from benchmark.submissions.models import Submission
from tasks.suites import SUITES

_WIDTH_OF_A_LETTER = 6.6
_PADDING = 10
_MARK = 18
"""Width of the mark before the text of a badge."""


@dataclass(frozen=True)
class Badge:
    left: str
    right: str
    description: str

    @property
    def left_width(self) -> int:
        return _MARK + _width(self.left)

    @property
    def width(self) -> int:
        return self.left_width + _width(self.right)

    @property
    def left_middle(self) -> float:
        return (_MARK + self.left_width) / 2

    @property
    def right_middle(self) -> float:
        return (self.left_width + self.width) / 2


def _width(text: str) -> int:
    return round(len(text) * _WIDTH_OF_A_LETTER) + 2 * _PADDING


def badge_of(submission: Submission) -> Badge:
    """Overall error reduction and rank under the entry's suite version, or a note that it has no report yet.

    In languages without downstream tasks, the mean rank.
    """
    suite = SUITES[submission.suite].title if submission.suite in SUITES else submission.suite
    entry = Entry.objects.filter(report=submission.report_id).first() if submission.report_id else None
    left = f"Vecboard {suite}"
    if entry is None:
        return Badge(left, "no report yet", f"{submission.display_name} has no report yet.")
    table = completed(current(entry.suite, entry.version)[0], [entry.report_id])
    text, key = "no mean", MEANS[0].key
    if score := table.score(entry.report_id, key):
        text = f"{MEANS[0].write(score[0])} %"
    elif score := table.score(entry.report_id, MEAN_RANK.key):
        text, key = f"mean rank {MEAN_RANK.write(score[0])}", MEAN_RANK.key
    place = place_in_words(table.place(table.row_of[entry.report_id], key))
    right = f"{text} · rank {place}" if place else text
    return Badge(left, right, f"{submission.display_name} on {suite} version {entry.version}: {right}")
