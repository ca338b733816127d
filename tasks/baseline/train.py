"""SVD-PPMI vectors from prescribed text (Levy, Goldberg & Dagan 2015; docs/protocol.md §3.2)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from tasks.baseline.corpus_text import corpus_lines, prescribed_lines
from tasks.baseline.counting import MINIMUM_COUNT, cooccurrences, encode
from tasks.baseline.ppmi import ppmi
from tasks.baseline.svd import singular_vectors
from tasks.blocks import Matrix
from tasks.datasets.paragraphs import plain_paragraphs
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable
from tasks.progress import Progress, no_progress
from tasks.suite import Suite
from tasks.vectors import Embedding

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
    lines : the text, tokens joined by spaces; windows end at line ends.
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
        the text has too few frequent words for this many dimensions.
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
    return Embedding.of(f"SVD-PPMI ({suite.id})", words, matrix)


def train_on(corpus: Path, language: str, suite: Suite, progress: Progress = no_progress) -> tuple[Embedding, str]:
    """A baseline in another language: the suite's method on a text of the operator's.

    Parameters
    ----------
    corpus : as ``tasks corpus --dump`` writes it, or any text with one paragraph a line, plain or packed; it is brought
        into the prescribed form, which leaves a text in that form as it is.
    language : ISO 639-1.

    Returns
    -------
    embedding : of the suite's number of dimensions.
    sha256 : of the text that it was trained on.

    Raises
    ------
    InputError
        the text has too few frequent words for this many dimensions, or it is not UTF-8.
    DamagedData
        the file is cut off.
    """
    lines = _Hashed(prescribed_lines(plain_paragraphs(corpus), language))
    words, matrix = train(lines, suite.baseline_dimensions, progress)
    name = f"SVD-PPMI ({suite.id}, {language})"
    return Embedding.of(name, words, matrix, language), lines.sha256


def _checked(suite: Suite, lines: Iterable[str]) -> Iterator[str]:
    """Pass on the lines; raise DataUnavailable at the end unless their hash is the suite's."""
    hashed = _Hashed(lines)
    yield from hashed
    if suite.corpus.sha256 not in (None, hashed.sha256):
        raise DataUnavailable(
            suite.corpus.dataset,
            f"The text made from {suite.corpus.title} is not the prescribed text of suite {suite.id}: its SHA-256 is "
            f"{hashed.sha256}, not {suite.corpus.sha256}. Fetch the corpus again.",
        )


class _Hashed:
    """Lines that are hashed while they are read once."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines, self._digest = lines, hashlib.sha256()

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self._digest.update(line.encode("utf-8") + b"\n")
            yield line

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()
