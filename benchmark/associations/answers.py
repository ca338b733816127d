"""A question answered by the prepared vectors of each entry, or why it cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.http import HttpRequest

from benchmark.associations.lists import Asked
from benchmark.compare.picked import Marked
from benchmark.compare.ranking import NO_FILE
from benchmark.explore.neighbours import NOT_HERE, directory_of, is_prepared
from benchmark.operations.counting import count
from benchmark.operations.people import payer_of
from benchmark.operations.quotas import TooMuch
from benchmark.submissions.models import Submission
from tasks.associations.weat import AssociationAnswer, associate
from tasks.datasets.store import DataStore
from tasks.errors import VecboardError
from tasks.prepared import excerpt, open_prepared
from tasks.suites import SUITES

PER_HOUR = 400
"""So many entries may one visitor ask within an hour: the longest lists take half a second of each."""
_HOUR = 3_600


@dataclass(frozen=True)
class Answered:
    """An entry with its answer, or the ``problem``; ``can_be_prepared``: a worker can lay its vectors out again."""

    entry: Marked
    answer: AssociationAnswer | None = None
    problem: str = ""
    can_be_prepared: bool = False


def answers(request: HttpRequest, entries: Sequence[Marked], asked: Asked) -> list[Answered]:
    """Every entry's answer, in order.

    Raises
    ------
    TooMuch
        this visitor has asked too often within the hour.
    """
    who = payer_of(request)
    for _ in entries:
        if count(f"associations:{who}", _HOUR) > PER_HOUR:
            message = f"You asked more than {PER_HOUR} entries within an hour; try again later, or use the command."
            raise TooMuch("too-many-tests", message, field=None)
    return [_answered(entry, asked) for entry in entries]


def _answered(entry: Marked, asked: Asked) -> Answered:
    submission = entry.submission
    directory = prepared_directory(submission)
    if directory is None:
        if submission.file_key:
            return Answered(entry, problem=NOT_HERE, can_be_prepared=True)
        return Answered(entry, problem=NO_FILE.format(name=entry.name))
    try:
        whole = open_prepared(directory, name=entry.name, language=submission.language)
    except VecboardError:
        return Answered(entry, problem=NOT_HERE, can_be_prepared=bool(submission.file_key))
    return Answered(entry, associate(excerpt(whole, asked.words), SUITES[submission.suite].look_up, asked.question))


def prepared_directory(submission: Submission) -> Path | None:
    """Where an entry's vectors are laid out on this machine; a baseline's are where it was trained."""
    if is_prepared(submission):
        return directory_of(submission)
    if not submission.is_baseline or not submission.vectors_sha256:
        return None
    trained = DataStore.default().data_dir / "baseline-vectors" / submission.vectors_sha256
    return trained if (trained / "meta.json").is_file() else None
