"""SVD-PPMI vectors from prescribed text (Levy, Goldberg & Dagan 2015; PROTOCOL.md §3)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import numpy as np

from tasks.base import Progress, no_progress
from tasks.baseline.corpus_text import corpus_lines
from tasks.baseline.counting import MINIMUM_COUNT, cooccurrences, encode
from tasks.baseline.ppmi import ppmi
from tasks.baseline.svd import singular_vectors
from tasks.blocks import Matrix
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable
from tasks.suite import Suite
from tasks.vectors import Embedding, content_hash

# Shares of the work on the ten-million-word corpus, for the progress bar.
_READ, _COUNTED, _WEIGHTED = 0.25, 0.45, 0.5


def train(
    lines: Iterable[str],
    dimensions: int,
    progress: Progress = no_progress,
    *,
    minimum_count: int = MINIMUM_COUNT,
) -> tuple[list[str], Matrix]:
    """Count, compute PPMI, decompose.

    Parameters
    ----------
    lines : the text, tokens joined by blanks; windows end at line ends.
    dimensions : D.
    progress : called with the share done and the current step.
    minimum_count : minimum occurrences of a word.

    Returns
    -------
    words : V words by descending frequency, ties by first occurrence.
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
    left, values = singular_vectors(
        information, dimensions, progress=lambda share, what: progress(_WEIGHTED + share * (1 - _WEIGHTED), what)
    )
    progress(1.0, "done")
    return text.words, np.ascontiguousarray(left * np.sqrt(values), dtype=np.float32)


def train_for(suite: Suite, store: DataStore, progress: Progress = no_progress) -> Embedding:
    """The baseline's vectors of a suite, trained on its corpus.

    Raises
    ------
    DataUnavailable
        the corpus is missing or damaged, or its text is not the prescribed one.
    """
    words, matrix = train(_checked(suite, corpus_lines(suite, store)), suite.baseline_dimensions, progress)
    return Embedding(f"SVD-PPMI ({suite.id})", words, matrix, content_hash(words, matrix))


def _checked(suite: Suite, lines: Iterable[str]) -> Iterator[str]:
    """Pass on the lines; raise DataUnavailable at the end unless their hash is the suite's."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode("utf-8") + b"\n")
        yield line
    if suite.corpus.sha256 not in (None, digest.hexdigest()):
        raise DataUnavailable(
            suite.corpus.dataset,
            f"The text made from {suite.corpus.title} is not the prescribed text of suite {suite.id}: its SHA-256 is "
            f"{digest.hexdigest()}, not {suite.corpus.sha256}. Fetch the corpus again.",
        )
