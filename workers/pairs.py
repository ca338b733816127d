"""Ranking correlation of two entries over cues, stored for later requests."""

from __future__ import annotations

import logging
from typing import Any

from benchmark.compare.cues import EVERY
from benchmark.compare.models import PairCorrelation, is_due
from benchmark.submissions.models import Submission
from tasks.errors import VecboardError
from tasks.political.compare import compare_cues, compare_every_word, compare_pair
from tasks.political.cues import random_cues
from tasks.political.ranking import Distribution
from tasks.political.vocabulary import common_vocabulary
from tasks.vectors import Embedding
from workers import bounds, queue, reasons, vectors

log = logging.getLogger(__name__)

REST_SECONDS = 30
"""Delay before the first retry of a job that failed through no fault of the vectors; then twice as long."""
STOPPED = "The workers that computed it crashed, probably out of memory."


def correlate(pair_id: int) -> None:
    """Compute one cell of a heat map; does nothing if it is known or gone."""
    pair = PairCorrelation.objects.select_related("left", "right").filter(pk=pair_id).first()
    if pair is None or not is_due(pair.figures):
        return
    try:
        cues = pair.cues if isinstance(pair.cues, list) else None
        found = compare_pair(opened(pair.left), opened(pair.right), cues)
        figures = _mean(found.pearson) | {"common_words": found.common_words, "reason": found.reason}
    except VecboardError as error:
        figures = _refused(str(error))
    except Exception as error:
        again = failed("correlate", pair_id, pair.figures, error)
        figures = _refused(again["reason"]) | again
    PairCorrelation.objects.filter(pk=pair_id).update(figures=figures)


def compare(pair_id: int) -> None:
    """Compare one pair in detail; does nothing if that is done or the pair is gone."""
    pair = PairCorrelation.objects.select_related("left", "right").filter(pk=pair_id).first()
    if pair is None or not (is_due(pair.figures) or "closely" not in pair.figures):
        return
    try:
        figures = closely(opened(pair.left), opened(pair.right), pair.cues)
    except VecboardError as error:
        figures = _refused(str(error)) | {"closely": None}
    except Exception as error:
        again = failed("compare", pair_id, pair.figures, error)
        figures = _refused(again["reason"]) | {"closely": None} | again
    PairCorrelation.objects.filter(pk=pair_id).update(figures=figures)


def failed(job: str, pk: int, before: dict[str, Any] | None, error: Exception) -> dict[str, Any]:
    """Reason and number of a try that failed through our fault; sends the next one, within bounds."""
    tries = (before or {}).get("tries", 0) + 1
    log.exception("%s of %s failed, try %s of %s.", job, pk, tries, bounds.most_tries())
    if tries < bounds.most_tries():
        queue.enqueue_page_job(job, str(pk), REST_SECONDS * tries)
    reason = f"It could not be computed, through no fault of the vectors: {reasons.in_words(error)}."
    return {"reason": reason, "tries": tries}


def give_up(pair_id: int) -> None:
    """Store why figures not yet computed are missing; known ones stay."""
    pair = PairCorrelation.objects.filter(pk=pair_id).first()
    if pair is not None and is_due(pair.figures):
        figures = _refused(STOPPED) | {"closely": None, "tries": bounds.most_tries()}
        PairCorrelation.objects.filter(pk=pair_id).update(figures=figures)


def opened(submission: Submission) -> Embedding:
    """An entry's vectors; the baseline's are the ones trained on this machine from the prescribed corpus.

    Raises
    ------
    VecboardError
        they are not available here.
    """
    if submission.is_baseline and not submission.file_key:
        from tasks.baseline.vectors import baseline_vectors
        from tasks.datasets import DataStore
        from tasks.suites import SUITES

        return baseline_vectors(SUITES[submission.suite], DataStore.default())
    return vectors.embedding_of(submission)


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
    reason = "" if found.pearson else "None of the cues is known to both."
    return _mean(found.pearson) | {"common_words": len(common), "reason": reason, "closely": found.as_dict()}


def _mean(found: Distribution | None) -> dict[str, Any]:
    return {"mean": found.mean if found else None, "se": found.se if found else None, "n": found.n if found else 0}


def _refused(reason: str) -> dict[str, Any]:
    log.info("Two entries cannot be compared: %s", reason)
    return _mean(None) | {"common_words": 0, "reason": reason}
