"""Details behind a score: confused classes, missed spans, out-of-vocabulary words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.extrinsic.columns import Ints
from tasks.metrics.spans import TagScheme, span_counts_by_kind
from tasks.secondary import Confusions, UnknownWords

MOST_UNKNOWN_WORDS = 25


def confusion(gold: Ints, predictions: Sequence[Ints], classes: int) -> Ints:
    """How often each gold class was predicted as each class, summed over seeds.

    Parameters
    ----------
    gold : class ids of the test examples or tokens, shape (n,).
    predictions : one array of the same shape per seed.
    classes : number of classes.

    Returns
    -------
    int64, shape (classes, classes)
        rows are gold, columns predicted; the sum is n times the number of seeds.
    """
    counts = np.zeros(classes * classes, dtype=np.int64)
    for predicted in predictions:
        counts += np.bincount(gold * classes + predicted, minlength=classes * classes)
    return counts.reshape(classes, classes)


def class_detail(labels: Sequence[str], gold: Ints, predictions: Sequence[Ints]) -> Confusions:
    """JSON object of :func:`confusion`: ``labels`` in the order of rows and columns, ``confusion``, ``seeds``."""
    counts = confusion(gold, predictions, len(labels))
    return {"labels": list(labels), "confusion": counts.tolist(), "seeds": len(predictions)}


def span_detail(
    labels: Sequence[str], gold: Ints, predictions: Sequence[Ints], offsets: Ints, scheme: TagScheme
) -> dict[str, list[int]]:
    """[true positives, false positives, false negatives] by span type, summed over seeds."""
    kinds = {label.partition("-")[2]: int(kind) for label, kind in zip(labels, scheme.kind, strict=True) if kind >= 0}
    counts = sum(span_counts_by_kind(gold, predicted, offsets, scheme) for predicted in predictions)
    return {name: np.asarray(counts)[kind].tolist() for name, kind in sorted(kinds.items())}


def unknown_words(tokens: Ints, words: Sequence[str], known: NDArray[np.bool_]) -> UnknownWords:
    """Out-of-vocabulary test words: how many, and the most frequent with their counts (ties by spelling).

    Parameters
    ----------
    tokens : index of each token's word, shape (tokens,).
    words : in alphabetical order.
    known : which of the words are not out of vocabulary, shape (words,).
    """
    counts = np.bincount(tokens, minlength=len(words)) * ~known
    commonest = np.argsort(-counts, kind="stable")[: min(MOST_UNKNOWN_WORDS, np.count_nonzero(counts))]
    return {
        "tokens": int(counts.sum()),
        "types": int(np.count_nonzero(counts)),
        "commonest": [[words[i], int(counts[i])] for i in commonest],
    }
