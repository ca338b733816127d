"""Vectors on their way to disk: written block by block, then read once more for their hash and moments."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import numpy as np

from tasks.prepared import MATRIX_FILE, OFFSETS_FILE, WORDS_FILE
from tasks.vectors import Matrix, Moments, block_rows, moments_of

_NPY_HEADER_BYTES = 128
"""NumPy pads a header to a multiple of 64 bytes, and that of one or two dimensions needs more than 64."""
_READ_BYTES = 1 << 20


class Spool:
    """A sink that writes ``words.txt`` (a newline after each), ``offsets.npy`` and ``matrix.npy`` into a directory.

    Parameters
    ----------
    directory : exists and is empty.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.words = self.dimensions = self._position = 0
        self._words_file = (directory / WORDS_FILE).open("w+b")
        self._offsets_file = (directory / OFFSETS_FILE).open("w+b")
        self._matrix_file = (directory / MATRIX_FILE).open("w+b")

    @property
    def files(self) -> tuple[BinaryIO, ...]:
        return self._words_file, self._offsets_file, self._matrix_file

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in self.files:
            file.close()

    def begin(self, dimensions: int) -> None:
        """Leave room for the headers, which hold the number of words, known only at the end."""
        self.dimensions = dimensions
        for file in (self._offsets_file, self._matrix_file):
            file.write(bytes(_NPY_HEADER_BYTES))
        self._offsets_file.write(np.zeros(1, "<i8").data)

    def add(self, words: list[str], rows: Matrix) -> None:
        """Append words and their float32 rows, shape (len(words), D)."""
        encoded = [word.encode("utf-8") + b"\n" for word in words]
        ends = np.cumsum([len(word) for word in encoded], dtype="<i8") + self._position
        self._position = int(ends[-1])
        self.words += len(words)
        self._words_file.write(b"".join(encoded))
        self._offsets_file.write(ends.data)
        self._matrix_file.write(np.ascontiguousarray(rows, dtype="<f4").data)

    def finish(self) -> tuple[str, Moments]:
        """Complete the files; return the content hash (as :func:`tasks.vectors.content_hash`) and the moments."""
        shapes: tuple[tuple[BinaryIO, str, tuple[int, ...]], ...] = (
            (self._offsets_file, "<i8", (self.words + 1,)),
            (self._matrix_file, "<f4", (self.words, self.dimensions)),
        )
        for file, kind, shape in shapes:
            file.seek(0)
            np.lib.format.write_array_header_1_0(file, {"descr": kind, "fortran_order": False, "shape": shape})
            assert file.tell() == _NPY_HEADER_BYTES
        for file in self.files:
            file.flush()
        digest = hashlib.sha256()
        self._words_file.seek(0)
        while block := self._words_file.read(_READ_BYTES):
            digest.update(block)
        digest.update(f"{self.words} {self.dimensions}\n".encode())
        moments = moments_of(self._hashed_rows(digest))
        return digest.hexdigest(), moments

    def rows(self) -> Iterator[Matrix]:
        """The complete matrix, as the slices of :func:`tasks.vectors.row_blocks`."""
        self._matrix_file.seek(_NPY_HEADER_BYTES)
        size = block_rows(self.dimensions) * self.dimensions * 4
        while block := self._matrix_file.read(size):
            yield np.frombuffer(block, dtype="<f4").reshape(-1, self.dimensions)

    def _hashed_rows(self, digest: hashlib._Hash) -> Iterator[Matrix]:
        for block in self.rows():
            digest.update(block.data)
            yield block
