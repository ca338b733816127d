"""Metrics: arrays in, numbers out. No file, device, path or log."""

from tasks.metrics.accuracy import accuracy
from tasks.metrics.correlation import pearson, spearman
from tasks.metrics.spans import TagScheme, f1, f1_of_counts, span_counts, span_counts_batch, spans

__all__ = [
    "TagScheme",
    "accuracy",
    "f1",
    "f1_of_counts",
    "pearson",
    "span_counts",
    "span_counts_batch",
    "spans",
    "spearman",
]
