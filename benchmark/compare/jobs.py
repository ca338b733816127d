"""What pages of comparisons ask of the workers: correlations of pairs, and deviations from people's lists.

Figures are stored for later requests.
"""

from __future__ import annotations

import logging
from dataclasses import asdict
from functools import partial
from typing import Any

from benchmark.compare.cues import DRIFT, EVERY
from benchmark.compare.models import ListDeviation, PairCorrelation
from benchmark.operations.kinds import JobContext, JobKind, Store
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from tasks.associations.drift import drift
from tasks.baseline.vectors import baseline_vectors
from tasks.datasets.store import DataStore
from tasks.errors import VecboardError
from tasks.political.compare import compare_cues, compare_every_word, compare_pair
from tasks.political.cues import random_cues
from tasks.political.human import human_deviation
from tasks.political.ranking import Distribution
from tasks.political.vocabulary import common_vocabulary
from tasks.prepared import open_prepared
from tasks.suites import SUITES
from tasks.vectors import Embedding

log = logging.getLogger(__name__)

REST_SECONDS = 30
MOST_COMMON_WORDS = 100_000
"""At most this many common words anchor the alignment, so that a worker finishes within minutes."""
FAILED = "It could not be computed, through no fault of the vectors: {reason}."
NO_DEVIATION: dict[str, Any] = {"full": None, "within": None, "cues": {}}
NO_CUE_KNOWN = "None of the cues is in the vocabulary together with a word of its list."


def correlate(job: Job, context: JobContext) -> Store:
    """Compute one cell of a heat map."""
    pair = _pair(job)
    try:
        cues = pair.cues if isinstance(pair.cues, list) else None
        found = compare_pair(*both(pair, context), cues)
        figures = _mean(found.pearson) | {"common_words": found.common_words, "reason": found.reason}
    except VecboardError as error:
        figures = _refused(str(error))
    return partial(_keep, pair.pk, figures)


def compare(job: Job, context: JobContext) -> Store:
    """Compare one pair in detail."""
    pair = _pair(job)
    try:
        figures = _moved(pair, context) if pair.cues == DRIFT.stored else closely(*both(pair, context), pair.cues)
    except VecboardError as error:
        figures = _refused(str(error)) | {"closely": None}
    return partial(_keep, pair.pk, figures)


def is_uncorrelated(job: Job) -> bool:
    """Whether the pair's figures are still to be computed."""
    pair = PairCorrelation.objects.filter(pk=job.subject).first()
    return pair is not None and pair.is_due


def is_uncompared(job: Job) -> bool:
    """Whether the pair's figures, or their details, are still to be computed."""
    pair = PairCorrelation.objects.filter(pk=job.subject).first()
    return pair is not None and (pair.is_due or "closely" not in pair.figures)


def give_up_pair(job: Job, reason: str) -> None:
    """Store why figures not yet computed are missing; known ones stay."""
    if is_uncorrelated(job):
        details = {"closely": None, "tries": job.tries}
        _keep(int(job.subject), _refused(FAILED.format(reason=reason)) | details)


def _pair(job: Job) -> PairCorrelation:
    return PairCorrelation.objects.select_related("left", "right").get(pk=job.subject)


def _keep(pk: int, figures: dict[str, Any]) -> None:
    PairCorrelation.objects.filter(pk=pk).update(figures=figures)


def opened(submission: Submission, context: JobContext) -> Embedding:
    """An entry's vectors; the baseline's are the ones trained on this machine from the prescribed corpus.

    Raises
    ------
    VecboardError
        they are not available here.
    """
    if submission.is_baseline and not submission.file_key:
        return baseline_vectors(SUITES[submission.suite], DataStore.default())
    return context.open_vectors(submission)


def both(pair: PairCorrelation, context: JobContext) -> tuple[Embedding, Embedding]:
    """The vectors of a pair."""
    return opened(pair.left, context), opened(pair.right, context)


def closely(left: Embedding, right: Embedding, cues: Any) -> dict[str, Any]:
    """Figures of two entries with all details of a comparison.

    Parameters
    ----------
    cues : words, or the name of a set derived from the two vocabularies.

    Raises
    ------
    NoScore
        they have too few words in common.
    """
    common = common_vocabulary(left, right)
    if cues == EVERY.stored:
        every = compare_every_word(common)
        return _mean(every.pearson) | {"common_words": len(common), "reason": "", "closely": every.as_dict()}
    listed = isinstance(cues, list)
    found = compare_cues(common, cues if listed else random_cues(common.words), kendall=listed)
    reason = "" if found.pearson else "None of the cues is in both vocabularies."
    return _mean(found.pearson) | {"common_words": len(common), "reason": reason, "closely": found.as_dict()}


def moved(
    left: Embedding, right: Embedding, runs: tuple[Embedding, Embedding] | None = None, floor_of: str = ""
) -> dict[str, Any]:
    """Which words moved between two entries; with two runs of the entry with the hash ``floor_of``, their floor.

    Raises
    ------
    NoScore
        they have too few words in common.
    """
    found = drift(left, right, runs=runs, most_common=MOST_COMMON_WORDS)
    details = asdict(found) | {"floor_of": floor_of}
    return _mean(None) | {"common_words": found.common, "reason": "", "closely": details}


def _moved(pair: PairCorrelation, context: JobContext) -> dict[str, Any]:
    """The same, with the floor of the first entry that has several runs."""
    one = next((one for one in (pair.left, pair.right) if one.run_files.exists()), None)
    if one is None:
        return moved(*both(pair, context))
    again = open_prepared(context.run_directories(one, 1)[0], name="another run")
    return moved(*both(pair, context), (opened(one, context), again), one.vectors_sha256)


def _mean(found: Distribution | None) -> dict[str, Any]:
    return {"mean": found.mean if found else None, "se": found.se if found else None, "n": found.n if found else 0}


def _refused(reason: str) -> dict[str, Any]:
    log.info("Two entries cannot be compared: %s", reason)
    return _mean(None) | {"common_words": 0, "reason": reason}


def deviate(job: Job, context: JobContext) -> Store:
    """Compute one entry's deviation, and delete the lists."""
    row = ListDeviation.objects.select_related("submission").get(pk=job.subject)
    try:
        found = human_deviation(opened(row.submission, context), row.words)
        figures = found.as_dict() | {"reason": "" if found.full else NO_CUE_KNOWN}
    except VecboardError as error:
        figures = NO_DEVIATION | {"reason": str(error)}
    return partial(_keep_deviation, row.pk, figures)


def is_without_figures(job: Job) -> bool:
    """Whether the figures are still to be computed."""
    row = ListDeviation.objects.filter(pk=job.subject, words__isnull=False).first()
    return row is not None and row.is_due


def give_up_deviation(job: Job, reason: str) -> None:
    """Store why there are no figures, and delete the lists."""
    _keep_deviation(int(job.subject), NO_DEVIATION | {"reason": FAILED.format(reason=reason), "tries": job.tries})


def _keep_deviation(pk: int, figures: dict[str, Any]) -> None:
    ListDeviation.objects.filter(pk=pk).update(figures=figures, words=None)


KINDS = {
    "correlate": JobKind(correlate, give_up_pair, is_uncorrelated, about="pair", rest_seconds=REST_SECONDS),
    "compare": JobKind(compare, give_up_pair, is_uncompared, about="pair", rest_seconds=REST_SECONDS),
    "deviate": JobKind(deviate, give_up_deviation, is_without_figures, about="deviation", rest_seconds=REST_SECONDS),
}
