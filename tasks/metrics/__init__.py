"""Metrics: arrays in, numbers out. No file, device, path or log.

The tasks' metrics are declared here; a new one may also be declared with the task that uses it.
"""

from __future__ import annotations

import numpy as np

from tasks.metrics.metric import METRICS, Answers, Ints, Metric, Scores, Sums, count_outcomes, metric_named
from tasks.metrics.spans import TagScheme, f1_of_counts, span_counts_batch

__all__ = ["METRICS", "Answers", "Metric", "count_outcomes", "metric_named"]
"""Names from other modules, in addition to the metrics below."""


def _share(sums: Sums) -> Scores:
    right, total = np.broadcast_arrays(sums["correct"], sums["total"])
    shares: Scores = np.divide(right, total, out=np.full(right.shape, np.nan, right.dtype), where=total > 0)
    return shares


def _count_right(answers: Answers) -> Ints:
    right = answers.predicted == answers.gold
    return np.stack([answers.per_example(right), answers.per_example(np.ones_like(right))], axis=1)


def _count_spans(answers: Answers) -> Ints:
    if answers.offsets is None:
        raise ValueError("spans are counted in sentences; these answers have none")
    return span_counts_batch(answers.gold, answers.predicted, answers.offsets, TagScheme.from_tags(answers.labels))


_SHARES, _CORRELATIONS = (0.0, 1.0), (-1.0, 1.0)
ACCURACY = Metric(
    "accuracy", "Accuracy", "%", 2, bounds=_SHARES, columns=("correct", "total"), score=_share, count=_count_right,
    weight=lambda sums: sums["total"],
)  # fmt: skip
SPAN_F1 = Metric(
    "span F1", "Span F1", "%", 2, bounds=_SHARES, columns=("tp", "fp", "fn"), count=_count_spans,
    score=lambda sums: f1_of_counts(sums["tp"], sums["fp"], sums["fn"]),
    weight=lambda sums: 2 * sums["tp"] + sums["fp"] + sums["fn"],
)  # fmt: skip
PRECISION_AT_1 = Metric(
    "precision at 1", "Precision at 1", "%", 2, bounds=_SHARES, columns=("correct", "total"), score=_share,
    weight=lambda sums: sums["total"], units=("first pair", "second pair"), stratum="category",
)  # fmt: skip
"""For analogies, which combine a few hundred word pairs into thousands of questions (docs/protocol.md §8.1)."""
SPEARMAN = Metric("spearman", "Spearman ρ", "", 3, bounds=_CORRELATIONS)
MEAN_PEARSON = Metric("mean pearson", "Mean Pearson r", "", 3, bounds=_CORRELATIONS)
QVEC = Metric("qvec", "QVEC", "", 2)
QVEC_CCA = Metric("qvec-cca", "QVEC-CCA", "", 3, bounds=_SHARES)
DISTANCE_RATIO = Metric("distance ratio", "Distance ratio", "", 3)
TRUSTWORTHINESS = Metric("trustworthiness", "Trustworthiness", "", 3, bounds=_SHARES)
LOG_RANK_DEVIATION = Metric("log rank deviation", "Log rank deviation", "", 2, direction="lower")
MEAN_COSINE_DIFFERENCE = Metric("mean cosine difference", "Mean cosine difference", "", 3)
EFFECT_SIZE = Metric("effect size", "Effect size d", "", 2)
