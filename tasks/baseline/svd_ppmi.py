"""The baseline's vectors: PPMI, truncated SVD, training, and the form kept on this machine.

Levy, Goldberg & Dagan (2015); docs/protocol.md §3.2. A suite ships its baseline's scores, not its vectors: they take
tens of megabytes, and anyone can train them on the prescribed corpus. They are trained when first needed, then stored.
Results that compare an entry with these *vectors* (docs/protocol.md §5.4) name them by hash.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import ArpackError, LinearOperator, svds
from threadpoolctl import threadpool_limits

from tasks.base import digest
from tasks.baseline.corpus_text import corpus_lines, prescribed_lines
from tasks.baseline.counting import MINIMUM_COUNT, cooccurrences, encode
from tasks.datasets.paragraphs import plain_paragraphs
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, InputError, VecboardError
from tasks.files import write_whole
from tasks.prepared import open_prepared, store
from tasks.processes import Progress, no_progress
from tasks.suite import Suite
from tasks.vectors import Embedding, Matrix

CONTEXT_POWER = 0.75
"""α, the smoothing of the context distribution."""


def ppmi(counts: sparse.csr_array) -> sparse.csr_array:
    """max(0, log( #(w, c) · Σ_c' #(c')^α / (#(w) · #(c)^α) )), with #(w) and #(c) the row and column sums (k = 1).

    Parameters
    ----------
    counts : non-negative co-occurrence counts, shape (V, C).

    Returns
    -------
    scipy.sparse.csr_array, float64, shape (V, C)
        positive entries only; an empty row or column stays empty.

    >>> ppmi(sparse.csr_array([[0.0, 4.0], [4.0, 2.0]])).toarray().round(3).tolist()
    [[0.0, 0.553], [0.451, 0.0]]
    """
    counts = counts.tocsr()
    rows = np.asarray(counts.sum(axis=1)).ravel()
    contexts = np.asarray(counts.sum(axis=0)).ravel() ** CONTEXT_POWER
    with np.errstate(divide="ignore"):
        log_rows, log_contexts = np.log(rows), np.log(contexts)
        information = np.log(counts.data) + np.log(contexts.sum())
    information -= np.repeat(log_rows, np.diff(counts.indptr))
    information -= log_contexts[counts.indices]
    information = np.maximum(np.nan_to_num(information, nan=0.0, neginf=0.0), 0.0)
    result = sparse.csr_array((information, counts.indices.copy(), counts.indptr.copy()), shape=counts.shape)
    result.eliminate_zeros()
    return result


_SEED = 0


def singular_vectors(
    matrix: sparse.csr_array, dimensions: int, *, progress: Progress = no_progress
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Left singular vectors of the largest singular values.

    Lanczos (ARPACK) to full precision from a seeded start vector, which affects only the rounding.

    Parameters
    ----------
    matrix : shape (V, C).
    dimensions : d < min(V, C).
    progress : called at every product with the matrix; the share is a guess, as their number is not known.

    Returns
    -------
    U, float64, shape (V, d)
        the entry of largest absolute value of each column is positive (the first of equals).
    Σ, float64, shape (d,)
        in descending order.

    Raises
    ------
    InputError
        the matrix has too few rows for this many dimensions, or nothing to decompose.
    """
    if dimensions >= min(matrix.shape):
        raise InputError(
            "corpus-too-small",
            f"The text has {min(matrix.shape):,} words that are frequent enough, too few for {dimensions} dimensions. "
            "Give a longer text or fewer dimensions.",
            field=None,
        )
    start = np.random.default_rng(_SEED).standard_normal(min(matrix.shape))
    no_contexts = InputError(
        "no-contexts", "No two words stand together more often than by chance. Give running text.", field=None
    )
    if not matrix.nnz:
        raise no_contexts
    watched = _watched(matrix, dimensions, progress)
    try:
        with threadpool_limits(limits=1):  # the same order of sums on every machine
            vectors, unsorted, _ = svds(watched, k=dimensions, v0=start, which="LM", solver="arpack")
    except ArpackError:
        raise no_contexts from None
    falling = np.argsort(-unsorted, kind="stable")
    left: NDArray[np.float64] = np.asarray(vectors, dtype=np.float64)[:, falling]
    values: NDArray[np.float64] = unsorted.astype(np.float64)[falling]
    largest = left[np.abs(left).argmax(axis=0), np.arange(dimensions)]
    return left * np.where(largest < 0, -1.0, 1.0), values


def _watched(matrix: sparse.csr_array, dimensions: int, progress: Progress) -> LinearOperator:
    """The matrix as an operator that reports its products: often about seven per dimension."""
    transposed = matrix.T.tocsr()
    products = 0

    def times(by: sparse.csr_array, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        nonlocal products
        products += 1
        progress(1.0 - math.exp(-products / (4 * dimensions)), f"decomposing: {products} products")
        return np.asarray(by @ vector)

    return LinearOperator(
        matrix.shape,
        dtype=np.float64,
        matvec=lambda v: times(matrix, v),
        rmatvec=lambda v: times(transposed, v),
        matmat=lambda v: times(matrix, v),
        rmatmat=lambda v: times(transposed, v),
    )


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


def train_for(suite: Suite, data: DataStore, progress: Progress = no_progress) -> Embedding:
    """The baseline's vectors of a suite, trained on its corpus.

    Raises
    ------
    DataUnavailable
        the corpus is missing or damaged, or its text is not the prescribed one.
    """
    words, matrix = train(_checked(suite, corpus_lines(suite, data)), suite.baseline_dimensions, progress)
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


REVISION = 2
"""Increased when training gives other vectors from the same corpus."""
_POLL_SECONDS = 1.0


def baseline_vectors(suite: Suite, data: DataStore, progress: Progress = no_progress) -> Embedding:
    """The suite's SVD-PPMI vectors, memory-mapped from the data directory; trained first if missing.

    If two processes ask at once, one trains and the other waits. The directory is named by the inputs of the vectors,
    so that a new version of a suite with the same corpus uses the same vectors.

    Raises
    ------
    DataUnavailable
        the vectors and the corpus to train them on are both missing.
    """
    root = baseline_folder(data)
    if stored := _opened(root, suite):
        return stored
    root.mkdir(parents=True, exist_ok=True)
    with _alone(_lock_file(suite, data), progress):
        return _opened(root, suite) or keep(train_for(suite, data, progress), suite, data)


def has_baseline_vectors(suite: Suite, data: DataStore) -> bool:
    """Whether the suite's SVD-PPMI vectors are on this machine."""
    return _opened(baseline_folder(data), suite) is not None


def is_being_trained(suite: Suite, data: DataStore) -> bool:
    """Whether a process of this machine is training the suite's SVD-PPMI vectors."""
    try:
        with _lock_file(suite, data).open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _lock_file(suite: Suite, data: DataStore) -> Path:
    return baseline_folder(data) / f"{suite.id}.lock"


def baseline_folder(data: DataStore) -> Path:
    """Folder of the prepared vectors of baselines, which are named by their content hash."""
    return data.data_dir / "baseline-vectors"


def keep(embedding: Embedding, suite: Suite, data: DataStore) -> Embedding:
    """Store newly trained baseline vectors for later use."""
    root = baseline_folder(data)
    directory = store(embedding, root)
    note = _note(root, suite)
    write_whole(note, json.dumps({"sha256": directory.name, "name": embedding.name}))
    return _open(directory, embedding.name)


def _note(root: Path, suite: Suite) -> Path:
    """The small file that names this suite's prepared vectors."""
    depends_on = [REGISTRY[suite.corpus.dataset].sha256, suite.corpus.sha256, suite.baseline_dimensions, REVISION]
    return root / f"{suite.id}-{digest(depends_on)}.json"


def _opened(root: Path, suite: Suite) -> Embedding | None:
    try:
        stored = json.loads(_note(root, suite).read_text(encoding="utf-8"))
        return _open(root / stored["sha256"], stored["name"])
    except (OSError, ValueError, KeyError, VecboardError):
        return None


@lru_cache(maxsize=2)
def _open(directory: Path, name: str) -> Embedding:
    """Open prepared vectors, cached: the cells of a report run one after the other and share the word index."""
    return open_prepared(directory, name=name)


@contextmanager
def _alone(path: Path, progress: Progress) -> Iterator[None]:
    """Hold a lock, reporting progress while another process has it; the system releases a killed process's lock."""
    with path.open("a") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                progress(0.0, "waiting for the baseline's vectors, which another job is training")
                time.sleep(_POLL_SECONDS)
        yield
