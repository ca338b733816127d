"""Reading a vector file into memory, and checking one without keeping it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tasks.base import Progress, no_progress
from tasks.blocks import Matrix
from tasks.vector_files.limits import Limits
from tasks.vector_files.scan import scan
from tasks.vector_files.spool import Spool
from tasks.vectors import Embedding, FileWarning, content_hash

_DEFAULT = Limits()


@dataclass(frozen=True)
class Summary:
    """What a check finds in a valid file.

    Parameters
    ----------
    words : distinct words, V.
    dimensions : D.
    sha256 : content hash of words and matrix (:func:`tasks.vectors.content_hash`).
    warnings : what was counted but not rejected.
    """

    words: int
    dimensions: int
    sha256: str
    warnings: tuple[FileWarning, ...]


def read(
    path: Path | str,
    *,
    name: str | None = None,
    language: str = "en",
    limits: Limits = _DEFAULT,
    require_gzip: bool = False,
    progress: Progress = no_progress,
    block_bytes: int | None = None,
) -> Embedding:
    """Read a vector file into memory (PROTOCOL.md §1).

    Parameters
    ----------
    path : text or word2vec binary, plain or gzipped; detected from the content.
    name : display name of the vectors; the file's name by default.
    language : ISO 639-1 code.
    limits, require_gzip, progress, block_bytes : see :func:`tasks.vector_files.scan.scan`.

    Raises
    ------
    InputError
        the file is rejected.
    """
    path = Path(path)
    vectors = _InMemory()
    scanned = scan(path, vectors, limits=limits, require_gzip=require_gzip, progress=progress, block_bytes=block_bytes)
    matrix = vectors.matrix()
    sha256 = content_hash(vectors.words, matrix)
    return Embedding(name or path.name, vectors.words, matrix, sha256, language, scanned.warnings)


def check(
    path: Path | str,
    *,
    limits: Limits = _DEFAULT,
    require_gzip: bool = False,
    progress: Progress = no_progress,
    block_bytes: int | None = None,
) -> Summary:
    """Check a vector file as :func:`read` does, in little memory: the matrix goes through a temporary file.

    Raises
    ------
    InputError
        the file is rejected.
    """
    with TemporaryDirectory(prefix="vecboard-check-") as directory, Spool(Path(directory)) as spool:
        scanned = scan(
            Path(path), spool, limits=limits, require_gzip=require_gzip, progress=progress, block_bytes=block_bytes
        )
        sha256, _ = spool.finish()
    return Summary(scanned.words, scanned.layout.dimensions, sha256, scanned.warnings)


@dataclass
class _InMemory:
    """Grows its matrix in place, so that reading never holds it twice."""

    words: list[str] = field(default_factory=list)
    _rows: Matrix = field(default_factory=lambda: np.empty((0, 0), np.float32))

    def begin(self, dimensions: int) -> None:
        self._rows = np.empty((0, dimensions), np.float32)

    def add(self, words: list[str], rows: Matrix) -> None:
        start, end = len(self.words), len(self.words) + len(rows)
        if end > len(self._rows):
            self._resize(end + end // 4)
        self._rows[start:end] = rows
        self.words += words

    def matrix(self) -> Matrix:
        """The float32 matrix, read-only, shape (V, D)."""
        self._resize(len(self.words))
        self._rows.flags.writeable = False
        return self._rows

    def _resize(self, rows: int) -> None:
        self._rows.resize((rows, self._rows.shape[1]), refcheck=False)
