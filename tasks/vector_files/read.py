"""Reading a vector file into memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tasks.blocks import Matrix
from tasks.vector_files.scan import scan
from tasks.vector_files.source import Limits, WordsToCompose, no_word_list
from tasks.vectors import Embedding, content_hash

_DEFAULT = Limits()


def read(
    path: Path | str,
    *,
    language: str = "en",
    limits: Limits = _DEFAULT,
    block_bytes: int | None = None,
    words: WordsToCompose = no_word_list,
) -> Embedding:
    """Read a vector file into memory (docs/protocol.md §1).

    Parameters
    ----------
    path : of any format of :mod:`tasks.vector_files.registry`, recognised by its content.
    language : ISO 639-1 code.
    limits, block_bytes, words : see :func:`tasks.vector_files.scan.scan`.

    Raises
    ------
    InputError
        the file is rejected.
    """
    path = Path(path)
    vectors = _InMemory()
    scanned = scan(path, vectors, limits=limits, block_bytes=block_bytes, words=words)
    matrix = vectors.matrix()
    sha256 = content_hash(vectors.words, matrix)
    return Embedding(
        path.name,
        vectors.words,
        matrix,
        sha256,
        language,
        scanned.warnings,
        open_vocabulary=scanned.open_vocabulary,
    )


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
