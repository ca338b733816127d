"""Metrics: arrays in, numbers out. No file, device, path or log."""

from tasks.metrics.accuracy import accuracy
from tasks.metrics.correlation import pearson, spearman
from tasks.metrics.cosine import paired_cosines, unit_rows
from tasks.metrics.spans import TagScheme, f1, f1_of_counts, span_counts, span_counts_batch, spans

__all__ = [
    "TagScheme",
    "accuracy",
    "f1",
    "f1_of_counts",
    "paired_cosines",
    "pearson",
    "span_counts",
    "span_counts_batch",
    "spans",
    "spearman",
    "unit_rows",
]
