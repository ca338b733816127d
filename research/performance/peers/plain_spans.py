"""Spans of one sentence after the other, without arrays: what :mod:`tasks.metrics.spans` counts."""

from __future__ import annotations

from collections.abc import Sequence

Span = tuple[int, int, str]
"""First token, first token after it, type."""


def spans(tags: Sequence[str]) -> set[Span]:
    """Spans of one sentence of BIO tags."""
    complete: set[Span] = set()
    start, open_kind = 0, None
    for i, tag in enumerate([*tags, "O"]):
        place, _, kind = tag.partition("-")
        if open_kind is not None and (place != "I" or kind != open_kind):
            complete.add((start, i, open_kind))
            open_kind = None
        if place != "O" and open_kind is None:
            start, open_kind = i, kind
    return complete


def span_counts(gold: Sequence[str], predicted: Sequence[str]) -> tuple[int, int, int]:
    """(true positives, false positives, false negatives) of one sentence."""
    gold_spans, predicted_spans = spans(gold), spans(predicted)
    right = len(gold_spans & predicted_spans)
    return right, len(predicted_spans) - right, len(gold_spans) - right
