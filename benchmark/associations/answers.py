"""Questions answered by the prepared vectors of each entry, or why they cannot be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from django.http import HttpRequest

from benchmark.associations.lists import Asked, AskedAxis
from benchmark.compare.picked import Marked
from benchmark.explore.neighbours import NOT_HERE, directory_of, is_prepared
from benchmark.operations.counting import Limit, TooMuch, computing, payer_of, spend
from benchmark.shipped.rebuilding import why_without
from benchmark.submissions.models import Submission
from tasks.associations.axes import FormulaAnswer, Projection, project, solve
from tasks.associations.weat import AssociationAnswer, associate, shown
from tasks.datasets.store import DataStore
from tasks.errors import VecboardError
from tasks.neighbours import open_search
from tasks.prepared import excerpt, is_whole, open_prepared
from tasks.suites import SUITES
from tasks.vectors import Embedding

ENTRIES = Limit("associations", 400, 3_600)
"""Entries that one visitor may test within an hour: the longest lists take most of a second of each."""
OF_ALL = 30_000
"""Milliseconds of each minute that the answers to all visitors may take: half of one core."""
BUSY = (
    "Too many association tests and axes are being requested from this site. Try again in a minute, or use the "
    "command on your own machine."
)


_A = TypeVar("_A")


@dataclass(frozen=True, kw_only=True)
class _Reply:
    """What an entry answers; without its vectors, the ``problem``."""

    entry: Marked
    problem: str = ""

    @property
    def can_be_prepared(self) -> bool:
        """Whether a worker can lay the missing vectors out again."""
        return bool(self.problem and self.entry.submission.file_key)


@dataclass(frozen=True, kw_only=True)
class Answered(_Reply):
    """An entry with its answer."""

    answer: AssociationAnswer | None = None

    @property
    def left_out(self) -> str:
        """A sentence about known words that do not count."""
        return shown(self.answer.left_out) if self.answer else ""


@dataclass(frozen=True, kw_only=True)
class Placed(_Reply):
    """An entry with words on an axis and the solution of a formula, where they were asked."""

    projection: Projection | None = None
    formula: FormulaAnswer | None = None


def answers(request: HttpRequest, entries: Sequence[Marked], asked: Asked) -> list[Answered]:
    """Every entry's answer, in order.

    Raises
    ------
    TooMuch
        this visitor has asked too often within the hour, or all visitors together too much within the minute.
    """
    return _each(request, entries, lambda entry: _answered(entry, asked))


def places(request: HttpRequest, entries: Sequence[Marked], asked: AskedAxis) -> list[Placed]:
    """Every entry's places and neighbours, in order; raises as :func:`answers`."""
    return _each(request, entries, lambda entry: _placed(entry, asked))


def _each(request: HttpRequest, entries: Sequence[Marked], answer: Callable[[Marked], _A]) -> list[_A]:
    """Ask entry by entry, within the visitor's bound and within that of all visitors."""
    who = payer_of(request)
    found = []
    for entry in entries:
        if not spend(ENTRIES, who):
            message = (
                f"You tested more than {ENTRIES.most} entries within an hour; try again later, or use the command."
            )
            raise TooMuch("too-many-tests", message, field=None)
        with computing("associations", OF_ALL, BUSY):
            found.append(answer(entry))
    return found


def _answered(entry: Marked, asked: Asked) -> Answered:
    whole = _opened(entry.submission, prepared_directory(entry.submission))
    if whole is None:
        return Answered(entry=entry, problem=_problem(entry))
    look_up = SUITES[entry.submission.suite].look_up
    return Answered(entry=entry, answer=associate(excerpt(whole, asked.words), look_up, asked.question))


def _placed(entry: Marked, asked: AskedAxis) -> Placed:
    directory = prepared_directory(entry.submission)
    whole = _opened(entry.submission, directory)
    if whole is None or directory is None:
        return Placed(entry=entry, problem=_problem(entry))
    part = excerpt(whole, [*asked.axis.positive, *asked.axis.negative, *asked.words]) if asked.has_axis else None
    look_up = SUITES[entry.submission.suite].look_up
    return Placed(
        entry=entry,
        projection=None if part is None else project(part, look_up, asked.axis, asked.words),
        formula=solve(open_search(directory), asked.terms) if asked.terms else None,
    )


def _opened(submission: Submission, directory: Path | None) -> Embedding | None:
    """The vectors of an entry, from disk; None if they are not on this machine."""
    try:
        return None if directory is None else open_prepared(directory, name=submission.display_name)
    except VecboardError:
        return None


def _problem(entry: Marked) -> str:
    return NOT_HERE if entry.submission.file_key else why_without(entry.submission)


def prepared_directory(submission: Submission) -> Path | None:
    """Where an entry's vectors are laid out on this machine; a baseline's are where it was trained."""
    if is_prepared(submission):
        return directory_of(submission)
    if not submission.is_baseline or not submission.vectors_sha256:
        return None
    trained = DataStore.default().data_dir / "baseline-vectors" / submission.vectors_sha256
    return trained if is_whole(trained) else None
