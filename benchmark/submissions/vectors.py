"""Where the vectors of an entry are, the nearest words in them, and the job that prepares them on this machine.

A look-up reads the prepared vectors, or the shipped excerpt.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from pathlib import Path

from benchmark import storage
from benchmark.operations.counting import TooMuch, computing
from benchmark.operations.kinds import JobContext, JobKind
from benchmark.operations.models import Job
from benchmark.shipped.load import lay_out
from benchmark.shipped.recipes import Excerpt
from benchmark.shipped.vectors import excerpt_of, why_without
from benchmark.submissions.models import Submission
from tasks.datasets.store import DataStore
from tasks.errors import VecboardError
from tasks.neighbours import COUNT, Neighbour, open_search
from tasks.prepared import is_whole, open_prepared
from tasks.text import split_words
from tasks.vectors import written_forms

log = logging.getLogger(__name__)
LONGEST_WORD = 200
PREPARE = "prepare_vectors"
"""Kind of the job that prepares an entry's vectors on this machine."""
NOT_HERE = "The vectors of this entry are not ready for look-up on this machine at the moment."
OF_ALL = 20_000
"""Milliseconds of look-ups a minute for all visitors, as each reads the whole matrix."""
BUSY = "Too many words are being looked up on this site. Try again in a minute."


class Place(Enum):
    """Where the vectors of an entry are. All pages and pickers show what :func:`place_of` finds."""

    HERE = auto()
    """Whole and prepared on this machine, or trained on it (the baseline)."""
    STORED = auto()
    """In the uploaded file, from which a worker prepares them."""
    EXCERPT = auto()
    """Only an excerpt ships with the program; a worker rebuilds the whole vectors when they are first needed."""
    TRAINABLE = auto()
    """Of a baseline or a shipped entry: a worker makes them when they are first needed."""
    GONE = auto()


@dataclass(frozen=True)
class Answer:
    """Neighbours of a word, or the ``problem`` and its ``code``; ``excerpt`` if only an excerpt was searched.

    ``can_be_prepared``: a worker can prepare the missing vectors on request.
    """

    word: str
    spelling: str = ""
    neighbours: tuple[Neighbour, ...] = ()
    code: str = ""
    problem: str = ""
    excerpt: Excerpt | None = None
    can_be_prepared: bool = False

    @property
    def words(self) -> list[str]:
        """The words, if several were entered: a look-up takes one. Otherwise empty."""
        return split_words(self.word) if self.code == "several-words" else []


def directory_of(submission: Submission) -> Path:
    """Directory of an entry's prepared vectors on this machine; it may not exist."""
    return storage.prepared_root() / (submission.held_sha256 or "none")


def prepared_directory(submission: Submission) -> Path | None:
    """Directory of an entry's prepared vectors on this machine, for a baseline that of its training."""
    if is_whole(directory_of(submission)):
        return directory_of(submission)
    if not submission.is_baseline or not submission.held_sha256:
        return None
    trained = DataStore.default().data_dir / "baseline-vectors" / submission.held_sha256
    return trained if is_whole(trained) else None


def place_of(submission: Submission) -> Place:
    """Where its vectors are; looks at no more than the names of folders for most entries of a board."""
    if prepared_directory(submission):
        return Place.HERE
    if submission.file_key:
        return Place.STORED
    if excerpt_of(submission):
        return Place.EXCERPT
    return Place.TRAINABLE if submission.has_vectors else Place.GONE


def has_whole_vectors(submission: Submission) -> bool:
    """Whether its whole vectors are here, or a worker can prepare or make them on request."""
    return submission.has_vectors or prepared_directory(submission) is not None


def can_be_prepared(submission: Submission) -> bool:
    """Whether its whole vectors are not here, but a worker can prepare or make them on request."""
    return submission.has_vectors and prepared_directory(submission) is None


def reason_without(submission: Submission) -> str:
    """Reason why its whole vectors cannot be read now, and the remedy; empty if they can."""
    place = place_of(submission)
    if place == Place.HERE:
        return ""
    return NOT_HERE if place == Place.STORED else why_without(submission)


@lru_cache(maxsize=1_000)
def known_words(
    directory: Path, words: tuple[str, ...], forms: Callable[[str], tuple[str, ...]] = written_forms
) -> frozenset[str]:
    """Those of the words that prepared vectors have in one of their forms; one pass over the vocabulary, then cached.

    Raises
    ------
    VecboardError
        the vectors cannot be opened.
    """
    present = {form for word in words for form in forms(word)}.intersection(open_prepared(directory, name="").words)
    return frozenset(word for word in words if not present.isdisjoint(forms(word)))


def stand_in(submission: Submission) -> Excerpt | None:
    """The excerpt to search, if neither the prepared vectors nor their file are on this machine."""
    return excerpt_of(submission) if place_of(submission) == Place.EXCERPT else None


def can_be_looked_up(submission: Submission) -> bool:
    """Whether words can be looked up, perhaps after a worker has prepared the vectors."""
    return place_of(submission) != Place.GONE


def that_can_be_looked_up(words: Sequence[str], submissions: Iterable[Submission]) -> list[str]:
    """Those of the words that one of the entries has in its vectors or excerpt on this machine; all if none is here."""
    places = [_searched(submission, stand_in(submission)) for submission in submissions]
    try:
        vocabularies = [known_words(directory, tuple(words)) for directory in places if is_whole(directory)]
    except VecboardError:
        vocabularies = []
    return [word for word in words if not vocabularies or any(word in vocabulary for vocabulary in vocabularies)]


def _searched(submission: Submission, excerpt: Excerpt | None) -> Path:
    return excerpt.directory if excerpt else prepared_directory(submission) or directory_of(submission)


def ask(submission: Submission, word: str, count: int = COUNT) -> Answer:
    """The ``count`` nearest words, or the reason why there are none.

    A word is looked up as given; if it is unknown, without the separators of a list.

    Raises
    ------
    TooMuch
        the look-ups of all visitors exceed the limit per minute.
    """
    word = word.strip()[:LONGEST_WORD]
    excerpt = stand_in(submission)
    directory = _searched(submission, excerpt)
    if not is_whole(directory):
        problem = NOT_HERE if excerpt else reason_without(submission)
        return Answer(word, code="not-prepared", problem=problem, can_be_prepared=can_be_looked_up(submission))
    if not word:
        return Answer(word, code="no-word", problem="Give a word: ?word=…", excerpt=excerpt)
    try:
        with computing("look-ups", OF_ALL, BUSY):
            nearest, listed = _nearest(directory, word, count), split_words(word)
            if nearest is None and len(listed) == 1:
                nearest = _nearest(directory, listed[0], count)
    except TooMuch:
        raise
    except VecboardError as error:
        return Answer(word, code="not-prepared", problem=str(error))
    if nearest is None and len(listed) > 1:
        problem = f"These are {len(listed)} words. Look up one at a time."
        return Answer(word, code="several-words", problem=problem, excerpt=excerpt)
    if nearest is None:
        where = f"among the {excerpt.words:,} words kept" if excerpt else "in the vocabulary of this file"
        return Answer(word, code="unknown-word", problem=f"“{word}” is not {where}.", excerpt=excerpt)
    return Answer(word, *nearest, excerpt=excerpt)


@lru_cache(maxsize=1_000)
def _nearest(directory: Path, word: str, count: int) -> tuple[str, tuple[Neighbour, ...]] | None:
    """A word as spelled in the file and its neighbours, if known; cached, as directories never change."""
    search = open_search(directory)
    row = search.row_of(word)
    return None if row is None else (search.embedding.words[row], tuple(search.nearest(row, count)))


def prepare_vectors(job: Job, context: JobContext) -> None:
    """Prepare an entry's vectors, or make them; before that the shipped excerpt, if there is one."""
    submission = Submission.objects.filter(pk=job.subject).first()
    if submission is None:
        return
    if excerpt := stand_in(submission):
        lay_out(excerpt)
    if not submission.has_vectors:  # they could not be made
        return
    vectors = context.open_vectors(submission)
    if submission.is_baseline and vectors.sha256 != submission.held_sha256:
        remade = "" if vectors.sha256 == submission.vectors_sha256 else vectors.sha256
        Submission.objects.filter(pk=submission.pk).update(remade_sha256=remade)


def give_up(job: Job, reason: str) -> None:
    """Log the failure, and keep the reason for the pages of a baseline."""
    log.error("The vectors of %s could not be prepared: %s.", job.subject, reason)
    Submission.objects.filter(pk=job.subject, is_baseline=True, file_key="").update(vectors_problem=reason)


KINDS = {PREPARE: JobKind(prepare_vectors, give_up)}
