"""Metrics: arrays in, numbers out. No file, device, path or log."""

from tasks.metrics.catalogue import (
    ACCURACY,
    DISTANCE_RATIO,
    EFFECT_SIZE,
    LOG_RANK_DEVIATION,
    MEAN_COSINE_DIFFERENCE,
    MEAN_PEARSON,
    PRECISION_AT_1,
    QVEC,
    QVEC_CCA,
    SPAN_F1,
    SPEARMAN,
    TRUSTWORTHINESS,
)
from tasks.metrics.metric import METRICS, Answers, Metric, count_outcomes, metric_named

__all__ = [
    "ACCURACY",
    "DISTANCE_RATIO",
    "EFFECT_SIZE",
    "LOG_RANK_DEVIATION",
    "MEAN_COSINE_DIFFERENCE",
    "MEAN_PEARSON",
    "METRICS",
    "PRECISION_AT_1",
    "QVEC",
    "QVEC_CCA",
    "SPAN_F1",
    "SPEARMAN",
    "TRUSTWORTHINESS",
    "Answers",
    "Metric",
    "count_outcomes",
    "metric_named",
]
