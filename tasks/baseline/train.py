"""SVD-PPMI vectors from prescribed text (Levy, Goldberg & Dagan 2015; PROTOCOL.md §3)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tasks.base import Progress, no_progress
from tasks.baseline.counting import MINIMUM_COUNT, cooccurrences, encode
from tasks.baseline.ppmi import ppmi
from tasks.baseline.svd import singular_vectors
from tasks.vectors import Matrix

# Shares of the work on the ten-million-word corpus, for the progress bar.
_READ, _COUNTED, _WEIGHTED = 0.25, 0.45, 0.5


def train(
    lines: Iterable[str],
    dimensions: int,
    progress: Progress = no_progress,
    *,
    minimum_count: int = MINIMUM_COUNT,
) -> tuple[list[str], Matrix]:
    """Count, weigh, decompose.

    Parameters
    ----------
    lines : the text, tokens joined by blanks; windows end at line ends.
    dimensions : D.
    progress : told what goes on.
    minimum_count : occurrences that a word needs at least.

    Returns
    -------
    words : V words by falling frequency, words of equal frequency by their first occurrence.
    matrix : float32, shape (V, D): U·Σ^0.5, rows not normalised.

    Raises
    ------
    InputError
        the text has too few frequent words for so many dimensions.
    """
    text = encode(lines, minimum_count=minimum_count, progress=progress)
    counts = cooccurrences(text, progress=lambda share, what: progress(_READ + share * (_COUNTED - _READ), what))
    progress(_COUNTED, "weighing")
    information = ppmi(counts)
    del counts
    left, values = singular_vectors(information, dimensions, progress=lambda _, what: progress(_WEIGHTED, what))
    progress(1.0, "done")
    return text.words, np.ascontiguousarray(left * np.sqrt(values), dtype=np.float32)
