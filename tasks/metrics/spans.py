"""Spans in tagged sentences, by the rule of conlleval (Tjong Kim Sang & Buchholz 2000; docs/protocol.md §2.3).

A ``B-`` tag opens a span; so does an ``I-`` tag at the start of a sentence, after ``O``, or after another type. A span
ends before the next tag that opens one, before ``O``, and with its sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Scores = NDArray[np.float32] | NDArray[np.float64]


def _parse(tag: str) -> tuple[str, str]:
    """``B-NP`` → (B, NP); ``O`` → (O, "")."""
    place, _, kind = tag.partition("-")
    if place not in ("B", "I", "O"):
        raise ValueError(f"{tag!r} is not a BIO tag: tags are O, B-TYPE and I-TYPE")
    return place, "" if place == "O" else kind


@dataclass(frozen=True)
class TagScheme:
    """Meaning of tag ids for spans.

    Parameters
    ----------
    begin : bool, shape (tags,): the tag always opens a span.
    kind : int, shape (tags,): number of the span's type; -1 for ``O``.
    """

    begin: NDArray[np.bool_]
    kind: Ints

    @classmethod
    def from_tags(cls, tags: Sequence[str]) -> TagScheme:
        """The scheme of tag strings in the order of their ids; ValueError if one is not a BIO tag."""
        parsed = [_parse(tag) for tag in tags]
        kinds = {kind: number for number, kind in enumerate(sorted({kind for place, kind in parsed if place != "O"}))}
        return cls(
            begin=np.array([place == "B" for place, _ in parsed], dtype=bool),
            kind=np.array([-1 if place == "O" else kinds[kind] for place, kind in parsed], dtype=np.int64),
        )


def span_counts_batch(gold: Ints, predicted: Ints, offsets: Ints, scheme: TagScheme) -> Ints:
    """Counts of spans in sentences, without a loop over tokens; a span is right if both ends and the type agree.

    Parameters
    ----------
    gold, predicted : tag ids of all tokens, shape (n,).
    offsets : where each sentence begins, and n at the end, shape (sentences + 1,), non-decreasing.
    scheme : meaning of the tag ids.

    Returns
    -------
    int64, shape (sentences, 3)
        true positives, false positives, false negatives.

    Raises
    ------
    ValueError
        the arrays do not match in length.

    >>> scheme = TagScheme.from_tags(["O", "B-NP", "I-NP"])
    >>> gold, predicted = np.array([1, 2, 0, 1]), np.array([1, 2, 0, 0])
    >>> span_counts_batch(gold, predicted, np.array([0, 3, 4]), scheme).tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    if gold.shape != predicted.shape or offsets[0] != 0 or offsets[-1] != len(gold):
        raise ValueError("gold tags, predicted tags and sentence offsets do not match")
    gold_kind, gold_ends = _spans_by_start(gold, offsets, scheme)
    predicted_kind, predicted_ends = _spans_by_start(predicted, offsets, scheme)
    opens_gold, opens_predicted = gold_ends > 0, predicted_ends > 0
    right = opens_gold & (gold_ends == predicted_ends) & (gold_kind == predicted_kind)
    right_of, gold_of, predicted_of = (_by_sentence(flags, offsets) for flags in (right, opens_gold, opens_predicted))
    return np.stack([right_of, predicted_of - right_of, gold_of - right_of], axis=1)


def span_counts_by_kind(gold: Ints, predicted: Ints, offsets: Ints, scheme: TagScheme) -> Ints:
    """True positives, false positives and false negatives of each type over all sentences.

    Parameters
    ----------
    gold, predicted, offsets, scheme : as :func:`span_counts_batch` takes them.

    Returns
    -------
    int64, shape (types, 3)
        rows in the order of ``scheme.kind``.
    """
    gold_kind, gold_ends = _spans_by_start(gold, offsets, scheme)
    predicted_kind, predicted_ends = _spans_by_start(predicted, offsets, scheme)
    right = (gold_ends > 0) & (gold_ends == predicted_ends) & (gold_kind == predicted_kind)
    kinds = int(scheme.kind.max(initial=-1)) + 1
    matched, of_gold, of_predicted = (
        np.bincount(kind[flags], minlength=kinds)
        for kind, flags in ((gold_kind, right), (gold_kind, gold_ends > 0), (predicted_kind, predicted_ends > 0))
    )
    return np.stack([matched, of_predicted - matched, of_gold - matched], axis=1)


def _spans_by_start(tags: Ints, offsets: Ints, scheme: TagScheme) -> tuple[Ints, Ints]:
    """Type of every token, and for tokens that open a span the first token after it (0 elsewhere), each shape (n,)."""
    kind = scheme.kind[tags]
    ends = np.zeros(len(tags), dtype=np.int64)
    if len(tags) == 0:
        return kind, ends
    opens = scheme.begin[tags]
    opens[1:] |= kind[1:] != kind[:-1]
    opens[offsets[:-1][offsets[:-1] < len(tags)]] = True
    # A token that opens a span, or is outside, ends the previous one: `opens` is true at the first of several outside.
    breaks = np.flatnonzero(opens)
    ends[breaks] = np.append(breaks[1:], len(tags))
    ends[kind < 0] = 0
    return kind, ends


def _by_sentence(flags: NDArray[np.bool_], offsets: Ints) -> Ints:
    """Number of set flags in each sentence; sentences may be empty."""
    running = np.concatenate([[0], np.cumsum(flags, dtype=np.int64)])
    return np.asarray(running[offsets[1:]] - running[offsets[:-1]])


def f1_of_counts(tp: Scores, fp: Scores, fn: Scores) -> Scores:
    """Harmonic means of precision and recall, 2tp / (2tp + fp + fn); 0 where all three are 0.

    >>> f1_of_counts(*np.float64([[3, 0], [1, 0], [2, 0]])).round(3).tolist()
    [0.667, 0.0]
    """
    everything = 2 * tp + fp + fn
    scores: Scores = np.divide(2 * tp, everything, out=np.zeros_like(everything), where=everything > 0)
    return scores
