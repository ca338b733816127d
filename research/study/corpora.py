"""The pairs that skip-gram is expected to learn from in the study's corpora."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from extensions.shared.measure.corpora import corpus
from research.study.store import LOCAL, REFERENCE, Results, settings
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable

SAMPLE = 1e-3
"""gensim's default: words of a larger share of the text are left out at random."""
_LONG = 5
"""A line with more expected words than five windows has practically never fewer words left than one."""


def describe_corpora(results: Results, store: DataStore) -> None:
    """Write the expected pairs of both corpora by window into ``corpora.json``, if it is missing and both are there."""
    if results.read("corpora") is not None:
        return
    pairs = {}
    for name in (LOCAL, REFERENCE):
        plans = [s.plan for s in settings() if s.corpus == name and s.plan.algorithm == "skip-gram"]
        windows = sorted({plan.window for plan in plans})
        try:
            lines = list(corpus(name, store).read())
        except DataUnavailable:
            return
        pairs[name] = {"pairs": expected_pairs(lines, windows, plans[0].minimum_count)}
    results.write("corpora", pairs)


def expected_pairs(lines: Sequence[str], windows: Sequence[int], minimum_count: int) -> dict[int, float]:
    """Pairs of word and context in one pass of gensim's skip-gram, by window: an expectation over its random choices.

    Rare words are removed first, then each occurrence of a frequent word with its probability. Every word left draws
    its window between 1 and w, so that a context at distance d counts with probability (w + 1 - d) / w.

    Parameters
    ----------
    lines : tokens joined by single spaces; no window reaches beyond its line.
    """
    counts = {
        word: n for word, n in Counter(w for line in lines for w in line.split(" ")).items() if n >= minimum_count
    }
    threshold = SAMPLE * sum(counts.values())
    chance_of = {word: min(1.0, (threshold / n) ** 0.5 + threshold / n) for word, n in counts.items()}
    widest = max(windows)
    distances = np.arange(1, widest + 1)
    beyond = np.zeros(widest)
    for line in lines:
        chances = [chance_of[word] for word in line.split(" ") if word in chance_of]
        expected = sum(chances)
        beyond += (
            np.maximum(expected - distances, 0.0) if expected > _LONG * widest else _words_beyond(chances, distances)
        )
    return {w: float(2 * sum(beyond[d - 1] * (w + 1 - d) / w for d in range(1, w + 1))) for w in windows}


def _words_beyond(chances: Sequence[float], distances: NDArray[np.int64]) -> NDArray[np.float64]:
    """Expectation of max(words left - d, 0) for each distance d, if every word is left with its own probability."""
    number = np.zeros(len(chances) + 1)
    number[0] = 1.0
    for chance in chances:
        number[1:] = number[1:] * (1 - chance) + number[:-1] * chance
        number[0] *= 1 - chance
    left = np.arange(len(number))
    beyond: NDArray[np.float64] = np.maximum(left - distances[:, None], 0) @ number
    return beyond
