"""Confusions, spans by type and unknown words."""

from __future__ import annotations

import numpy as np

from tasks.extrinsic.families import class_detail, confusion, span_detail, unknown_words
from tasks.metrics.spans import TagScheme, span_counts_batch, span_counts_by_kind

TAGS = ("B-LOC", "B-PER", "I-LOC", "I-PER", "O")


def ids(*tags: str) -> np.ndarray:
    return np.array([TAGS.index(tag) for tag in tags])


def test_a_confusion_counts_gold_in_rows_and_predictions_in_columns() -> None:
    counts = confusion(np.array([0, 0, 1, 2]), [np.array([0, 1, 1, 1])], 3)
    assert counts.tolist() == [[1, 1, 0], [0, 1, 0], [0, 1, 0]]


def test_confusions_of_seeds_are_summed() -> None:
    gold = np.array([0, 1])
    detail = class_detail(["no", "yes"], gold, [np.array([0, 1]), np.array([1, 1])])
    assert detail == {"labels": ["no", "yes"], "confusion": [[1, 1], [0, 2]], "seeds": 2}


def test_spans_are_counted_by_type() -> None:
    gold = ids("B-PER", "I-PER", "O", "B-LOC", "O")
    predicted = ids("B-PER", "I-PER", "O", "B-PER", "B-LOC")
    detail = span_detail(TAGS, gold, [predicted], np.array([0, 5]), TagScheme.from_tags(TAGS))
    assert detail == {"LOC": [0, 1, 1], "PER": [1, 1, 0]}


def test_counts_by_type_add_up_to_the_counts_that_score() -> None:
    rng = np.random.default_rng(1)
    gold, predicted = rng.integers(0, len(TAGS), 500), rng.integers(0, len(TAGS), 500)
    offsets, scheme = np.arange(0, 501, 10), TagScheme.from_tags(TAGS)
    whole = span_counts_batch(gold, predicted, offsets, scheme).sum(axis=0)
    assert span_counts_by_kind(gold, predicted, offsets, scheme).sum(axis=0).tolist() == whole.tolist()


def test_unknown_words_come_commonest_first() -> None:
    words = ["a", "ant", "yak", "zebra"]
    unknown = unknown_words(np.array([0, 3, 2, 3, 1]), words, is_known=np.array([True, False, False, False]))
    assert unknown == {"tokens": 4, "types": 3, "commonest": [["zebra", 2], ["ant", 1], ["yak", 1]]}
