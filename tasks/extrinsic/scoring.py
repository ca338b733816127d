"""From predicted classes to scores and per-example outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tasks.metrics.spans import TagScheme, f1, span_counts_batch

Ints = NDArray[np.int64]


class Scorer(Protocol):
    """Knows the gold labels of one split."""

    @property
    def columns(self) -> tuple[str, ...]:
        """What each column counts."""
        ...

    @property
    def gold(self) -> Ints:
        """Class ids of everything that is scored, shape (n,)."""
        ...

    def outcomes(self, predicted: Ints) -> NDArray[np.int64]:
        """Counts of each example (sentence, text or pair), shape (examples, len(columns))."""
        ...


@dataclass(frozen=True)
class LabelScorer:
    """One label an example."""

    gold: Ints
    columns: tuple[str, ...] = ("correct", "total")

    def outcomes(self, predicted: Ints) -> NDArray[np.int64]:
        return np.stack([predicted == self.gold, np.ones(len(self.gold), dtype=bool)], axis=1).astype(np.int64)


@dataclass(frozen=True)
class TagScorer:
    """One tag a token; the example is the sentence.

    Parameters
    ----------
    gold : tag ids of all tokens, shape (n,).
    offsets : where each sentence begins, and n at the end, shape (sentences + 1,).
    scheme : how tags make spans; None where tags are no spans (POS).
    """

    gold: Ints
    offsets: Ints
    scheme: TagScheme | None

    @property
    def columns(self) -> tuple[str, ...]:
        spans = () if self.scheme is None else ("tp", "fp", "fn")
        return ("correct", "total", *spans)

    def outcomes(self, predicted: Ints) -> NDArray[np.int64]:
        correct = np.add.reduceat((predicted == self.gold).astype(np.int64), self.offsets[:-1])
        counts = [correct[:, None], np.diff(self.offsets)[:, None]]
        if self.scheme is not None:
            counts.append(span_counts_batch(self.gold, predicted, self.offsets, self.scheme))
        return np.concatenate(counts, axis=1)


def score_of(metric: str, columns: tuple[str, ...], outcomes: NDArray[np.generic]) -> float:
    """Score of a whole split from its outcomes, by the metric's name."""
    sums = dict(zip(columns, outcomes.sum(axis=0, dtype=np.float64).tolist(), strict=True))
    if metric == "span F1":
        return f1(sums["tp"], sums["fp"], sums["fn"])
    return float(sums["correct"] / sums["total"])
