"""One pass over a vector file: inflate, parse, check, and take the vectors into memory or into the prepared form."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

import numpy as np

from tasks.files import of_archive
from tasks.formats.problems import folder_given
from tasks.formats.registry import Opened, opened
from tasks.formats.source import ReadRequest, StoredFile
from tasks.formats.tally import Tally
from tasks.prepared import Prepared, Spool, put
from tasks.processes import Progress, no_progress
from tasks.vectors import Embedding, FileWarning, Matrix, content_hash


class Sink(Protocol):
    """Takes the vectors that are kept, in order."""

    def begin(self, dimensions: int) -> None:
        """Called once with the dimensions, before the first vector."""

    def add(self, words: list[str], rows: Matrix) -> None:
        """Take words and their float32 rows, shape (len(words), D)."""


def read(request: ReadRequest | Path | str, *, language: str = "en") -> Embedding:
    """Read a vector file into memory (docs/protocol.md §1).

    Parameters
    ----------
    request : the file and how to read it, or only its path.
    language : ISO 639-1 code.

    Raises
    ------
    InputError
        the file is rejected.
    """
    request = _as_request(request)
    vectors = _InMemory()
    found, warnings = _scan(request, vectors, no_progress)
    matrix, is_open = vectors.matrix(), found.reading.open_vocabulary
    sha256 = content_hash(vectors.words, matrix)
    return Embedding(request.path.name, vectors.words, matrix, sha256, language, warnings, open_vocabulary=is_open)


def prepare(request: ReadRequest | Path | str, root: Path | str, *, progress: Progress = no_progress) -> Prepared:
    """Read, check and store a vector file in one pass, with memory use that does not grow with its dimensions.

    Safe to run twice at once: both write the same bytes, and the first to finish renames its directory.

    Parameters
    ----------
    request : the file and how to read it, or only its path; its ``scratch`` is not used.
    root : directory that holds the prepared vectors; created if it is missing.
    progress : called after each block with the share of the file read, in [0, 1].

    Raises
    ------
    InputError
        the file is rejected; nothing is left behind.
    """
    root = Path(root)
    root.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".partial-", dir=root, ignore_cleanup_errors=True) as scratch:
        found = prepare_in_scratch(replace(_as_request(request), scratch=Path(scratch)), progress)
        return replace(found, directory=put(found.directory, root / found.sha256))


def prepare_in_scratch(request: ReadRequest, progress: Progress) -> Prepared:
    """Like :func:`prepare`, but the prepared form stays in the folder ``scratch``, for the caller to move."""
    assert request.scratch is not None
    directory = request.scratch / "prepared"
    directory.mkdir()
    with Spool(directory) as spool:
        found, warnings = _scan(request, spool, progress)
        progress(1.0, "storing")
        is_open = found.reading.open_vocabulary
        sha256 = spool.finish(warnings, is_open)
    return Prepared(spool.words, spool.dimensions, warnings, found.read_as, is_open, sha256, directory)


def _as_request(request: ReadRequest | Path | str) -> ReadRequest:
    return request if isinstance(request, ReadRequest) else ReadRequest(Path(request))


def _scan(request: ReadRequest, sink: Sink, progress: Progress) -> tuple[Opened, tuple[FileWarning, ...]]:
    """Check everything in a file and give its vectors to ``sink``; return its format and the warnings."""
    path, member = (request.path, request.member) if request.member else of_archive(request.path)
    if path.is_dir():
        raise folder_given(path)
    with TemporaryDirectory(prefix=".partial-", dir=request.scratch) as folder:
        found = opened(StoredFile(replace(request, path=path, member=member, scratch=Path(folder))))
        reading, tally = found.reading, Tally(found.reading, request.limits)
        sink.begin(reading.dimensions)
        for block in reading.blocks:
            kept, rows = tally.keep(block)
            if kept:
                sink.add(kept, rows)
            share = tally.lines / reading.promised if reading.promised else found.source.share
            progress(min(share, 1.0), "reading")
        return found, (*reading.warnings, *tally.finish())


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
