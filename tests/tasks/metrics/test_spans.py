"""Spans against hand-made numbers, and the fast counts against the simple ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from research.performance.peers.plain_spans import span_counts, spans
from tasks.metrics.spans import TagScheme, f1_of_counts, span_counts_batch

TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC", "I-MISC")
SENTENCES = st.lists(
    st.lists(st.tuples(st.sampled_from(range(len(TAGS))), st.sampled_from(range(len(TAGS)))), max_size=9), max_size=9
)


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("B-PER I-PER O B-LOC", {(0, 2, "PER"), (3, 4, "LOC")}),
        ("O I-PER I-PER", {(1, 3, "PER")}),
        ("B-PER I-LOC I-LOC", {(0, 1, "PER"), (1, 3, "LOC")}),
        ("B-PER B-PER", {(0, 1, "PER"), (1, 2, "PER")}),
    ],
    ids=["inside tags extend a span", "a stray inside tag", "a change of type", "two begin tags"],
)
def test_what_opens_a_span(tags: str, expected: set[tuple[int, int, str]]) -> None:
    assert spans(tags.split()) == expected


def test_a_tag_outside_the_scheme_is_refused() -> None:
    with pytest.raises(ValueError, match="not a BIO tag"):
        TagScheme.from_tags(("O", "NN"))


def test_a_span_counts_only_with_both_ends_and_type_right() -> None:
    gold = ["B-PER", "I-PER", "O", "B-LOC", "O", "B-LOC"]
    predicted = ["B-PER", "O", "O", "B-PER", "O", "I-LOC"]
    assert span_counts(gold, predicted) == (1, 2, 2)


@given(SENTENCES)
def test_the_fast_span_counts_equal_the_plain_ones(sentences: list[list[tuple[int, int]]]) -> None:
    tokens = np.array([token for sentence in sentences for token in sentence], dtype=np.int64).reshape(-1, 2)
    offsets = np.cumsum([0] + [len(sentence) for sentence in sentences]).astype(np.int64)
    fast = span_counts_batch(tokens[:, 0], tokens[:, 1], offsets, TagScheme.from_tags(TAGS))
    plain = [span_counts([TAGS[g] for g, _ in s], [TAGS[p] for _, p in s]) for s in sentences]
    assert fast.tolist() == [list(counts) for counts in plain]
    assert fast.shape == (len(sentences), 3)


def test_sentence_offsets_must_cover_the_tokens() -> None:
    tags = np.zeros(4, dtype=np.int64)
    with pytest.raises(ValueError, match="do not match"):
        span_counts_batch(tags, tags, np.array([0, 3]), TagScheme.from_tags(TAGS))


def test_f1_is_the_harmonic_mean_of_precision_and_recall_and_that_of_nothing_found_is_zero() -> None:
    tp, fp, fn = np.array([[2, 1, 3], [0, 0, 0], [0, 3, 2]], dtype=np.float64).T
    expected = [2 * (2 / 3) * (2 / 5) / (2 / 3 + 2 / 5), 0, 0]
    assert f1_of_counts(tp, fp, fn) == pytest.approx(expected)
