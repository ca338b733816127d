"""Word and co-occurrence counts of a text, without a Python loop over pairs of tokens (docs/protocol.md §3.2)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tasks.processes import Progress, no_progress

WINDOW = 5
"""Tokens on each side; a token at distance d has weight (6 - d) / 5 (docs/protocol.md §3.2)."""
MINIMUM_COUNT = 10
"""Rarer words keep their place in the window but are not counted."""
Weighting = Literal["linear", "harmonic"]
"""Weight of a token at distance d in a window of w: (w + 1 - d) / w, or 1 / d as in GloVe."""
NOT_COUNTED = -1
_LINES_A_CHUNK = 4_000
_TOKENS_A_CHUNK = 2_000_000


@dataclass(frozen=True)
class Text:
    """A text as word numbers.

    Parameters
    ----------
    words : the V counted words by descending frequency, ties by first occurrence.
    tokens : int32, shape (n,): word number at every position, ``NOT_COUNTED`` for rarer words, and ``gap`` times
        ``NOT_COUNTED`` after each line, so that no window of that size reaches into the next one.
    gap : the largest window that may be counted.
    """

    words: list[str]
    tokens: NDArray[np.int32]
    gap: int = WINDOW


def encode(
    lines: Iterable[str],
    *,
    minimum_count: int = MINIMUM_COUNT,
    gap: int = WINDOW,
    progress: Progress = no_progress,
) -> Text:
    """Encode a text in one pass.

    Parameters
    ----------
    lines : tokens joined by spaces.
    minimum_count : rarer words are not counted.
    gap : empty positions after each line: the largest window that can be used.
    progress : called after every few thousand lines, always with share 0, as the length is not known.

    Returns
    -------
    Text
        uses 4 bytes per token of memory.
    """
    numbers: dict[str, int] = {}
    chunks: list[NDArray[np.int32]] = []
    left, done = iter(lines), 0
    while chunk := list(islice(left, _LINES_A_CHUNK)):
        chunks.append(_encode_chunk(chunk, numbers, gap))
        done += len(chunk)
        progress(0.0, f"reading the text: {done:,} lines")
    tokens = np.concatenate(chunks) if chunks else np.empty(0, dtype=np.int32)
    del chunks
    counts = np.bincount(tokens[tokens >= 0], minlength=len(numbers)).astype(np.int64)
    # Numbers were given in the order of first occurrence, so a stable sort settles equal frequencies.
    by_frequency = np.argsort(-counts, kind="stable")
    frequent = by_frequency[: np.count_nonzero(counts >= minimum_count)]
    renumber = np.full(len(numbers) + 1, NOT_COUNTED, dtype=np.int32)  # the last entry is where NOT_COUNTED points
    renumber[frequent] = np.arange(len(frequent), dtype=np.int32)
    spelled = list(numbers)
    return Text([spelled[i] for i in frequent.tolist()], renumber[tokens], gap)


def _encode_chunk(lines: list[str], numbers: dict[str, int], gap: int) -> NDArray[np.int32]:
    end_of_line = [NOT_COUNTED] * gap
    encoded: list[int] = []
    for line in lines:
        encoded.extend([numbers.setdefault(word, len(numbers)) for word in line.split()])
        encoded.extend(end_of_line)
    return np.array(encoded, dtype=np.int32)


def cooccurrences(
    text: Text, *, window: int = WINDOW, weighting: Weighting = "linear", progress: Progress = no_progress
) -> sparse.csr_array:
    """Weighted co-occurrence counts: entry (w, c) sums the weight of d over all occurrences of c at distance d of a w.

    Parameters
    ----------
    window : tokens on each side.
    weighting : how the weight depends on the distance.

    Returns
    -------
    scipy.sparse.csr_array, float64, shape (V, V)
        symmetric; column numbers sorted, no duplicate entries.

    Raises
    ------
    ValueError
        the window is below 1, or wider than the gap between the lines of the text.
    """
    if not 1 <= window <= text.gap:
        raise ValueError(f"a window of {window} does not fit lines that are {text.gap} places apart")
    weights, unit = whole_weights(window, weighting)
    size = len(text.words)
    waiting: list[tuple[int, sparse.csr_array]] = []
    for start in range(0, len(text.tokens), _TOKENS_A_CHUNK):
        level, counted = 0, _count_chunk(text.tokens, start, size, weights)
        # Only sums of equally many chunks are added: each count is copied log(chunks) times, not chunks times.
        while waiting and waiting[-1][0] == level:
            level, counted = level + 1, waiting.pop()[1] + counted
        waiting.append((level, counted))
        progress(min(1.0, (start + _TOKENS_A_CHUNK) / len(text.tokens)), "counting co-occurrences")
    total = sparse.csr_array((size, size), dtype=np.int64)
    while waiting:
        total = total + waiting.pop()[1]
    # Whole numbers up to here: the order of additions cannot matter. Each pair was counted once, from its left word.
    both = (total + total.T).tocsr().astype(np.float64)
    both.data /= unit
    both.sort_indices()
    return both


def whole_weights(window: int, weighting: Weighting) -> tuple[list[int], int]:
    """Weights of the distances 1 … window as integers, and the divisor of their sums."""
    if weighting == "linear":
        return [window + 1 - distance for distance in range(1, window + 1)], window
    unit = math.lcm(*range(1, window + 1))
    return [unit // distance for distance in range(1, window + 1)], unit


def _count_chunk(tokens: NDArray[np.int32], start: int, size: int, weights_by_distance: list[int]) -> sparse.csr_array:
    """Integer counts of the pairs whose left token is in this chunk; the right one may be beyond it."""
    stop = min(start + _TOKENS_A_CHUNK, len(tokens))
    rows, columns, weights = [], [], []
    for distance, weight in enumerate(weights_by_distance, start=1):
        right = tokens[start + distance : stop + distance]
        left = tokens[start : start + len(right)]
        counted = (left >= 0) & (right >= 0)
        rows.append(left[counted])
        columns.append(right[counted])
        weights.append(np.full(len(rows[-1]), weight, dtype=np.int64))
    pairs = sparse.coo_array(
        (np.concatenate(weights), (np.concatenate(rows), np.concatenate(columns))), shape=(size, size)
    )
    return pairs.tocsr()
