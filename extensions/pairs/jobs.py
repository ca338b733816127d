"""Jobs of comparisons: correlations of pairs; results are stored."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from benchmark.operations.kinds import JobContext
from extensions.pairs.cues import DRIFT, EVERY
from extensions.pairs.measure.comparison import compare_pair
from extensions.pairs.measure.drift import drift
from extensions.pairs.models import PairCorrelation
from extensions.shared.requested import figures_job
from tasks.political.compare import compare_cues, compare_every_word
from tasks.political.cues import random_cues
from tasks.political.secondary import Distribution
from tasks.political.vocabulary import common_vocabulary
from tasks.prepared import open_prepared
from tasks.vectors import Embedding

MOST_COMMON_WORDS = 100_000
"""Maximum number of common words that anchor the alignment, so that a job takes minutes at most."""


def correlate(pair: PairCorrelation, context: JobContext) -> dict[str, Any]:
    """One cell of a heat map."""
    cues = pair.cues if isinstance(pair.cues, list) else None
    comparison = compare_pair(*both(pair, context), cues)
    about = {"common_words": comparison.common_words, "reason": comparison.reason, "unknown": list(comparison.unknown)}
    return _mean(comparison.pearson) | about


def compare(pair: PairCorrelation, context: JobContext) -> dict[str, Any]:
    """One pair in detail."""
    return _moved(pair, context) if pair.cues == DRIFT.stored else closely(*both(pair, context), pair.cues)


def both(pair: PairCorrelation, context: JobContext) -> tuple[Embedding, Embedding]:
    return context.open_vectors(pair.left), context.open_vectors(pair.right)


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
        return _mean(every["pearson"]) | {"common_words": len(common), "reason": "", "closely": every}
    listed = isinstance(cues, list)
    details = compare_cues(common, cues if listed else random_cues(common.words), kendall=listed)
    reason = "" if details["pearson"] else "None of the cues is in both vocabularies."
    about = {"common_words": len(common), "reason": reason, "unknown": details["unknown"]}
    return _mean(details["pearson"]) | about | {"closely": details}


def moved(
    left: Embedding, right: Embedding, runs: tuple[Embedding, Embedding] | None = None, floor_of: str = ""
) -> dict[str, Any]:
    """Words that moved between two entries; two runs of the entry with the hash ``floor_of`` give the floor.

    Raises
    ------
    NoScore
        they have too few words in common.
    """
    changes = drift(left, right, runs=runs, most_common=MOST_COMMON_WORDS)
    details = asdict(changes) | {"floor_of": floor_of}
    return _mean(None) | {"common_words": changes.common, "reason": "", "closely": details}


def _moved(pair: PairCorrelation, context: JobContext) -> dict[str, Any]:
    """``moved`` with the floor of the first entry that has several runs."""
    entry = next((entry for entry in (pair.left, pair.right) if entry.run_files.exists()), None)
    if entry is None:
        return moved(*both(pair, context))
    again = open_prepared(context.run_directories(entry, 1)[0], name="another run")
    return moved(*both(pair, context), (context.open_vectors(entry), again), entry.vectors_sha256)


def _mean(distribution: Distribution | None) -> dict[str, Any]:
    mean, se, n = (distribution["mean"], distribution["se"], distribution["n"]) if distribution else (None, None, 0)
    return {"mean": mean, "se": se, "n": n}


_PAIRS = PairCorrelation.objects.select_related("left", "right")
NO_CORRELATION: dict[str, object] = _mean(None) | {"common_words": 0, "closely": None}
KINDS = {
    "correlate": figures_job("pair", _PAIRS, correlate, NO_CORRELATION),
    "compare": figures_job("pair", _PAIRS, compare, NO_CORRELATION, lacks=lambda pair: "closely" not in pair.figures),
}
