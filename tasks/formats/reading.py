"""The registry of formats, and one pass over a vector file: inflate, parse, check, and take the vectors into memory or
into the prepared form.

The first format that recognises a file reads it. A new one is a module here and a line in ``FORMATS``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

import numpy as np

from tasks.errors import InputError
from tasks.files import of_archive
from tasks.formats.archives import GZIPPED, MEMBER, TAR, ZIPPED
from tasks.formats.arrays import ARROW, NUMPY_ARRAYS, PARQUET
from tasks.formats.fasttext import FASTTEXT
from tasks.formats.format import Format, Reading
from tasks.formats.problems import Problem, folder_given
from tasks.formats.source import ByteSource, ReadRequest, StoredFile
from tasks.formats.tally import Tally
from tasks.formats.text import TEXT
from tasks.formats.token_models import LONE_SAFETENSORS, TOKEN_MODEL
from tasks.formats.word2vec import WORD2VEC_BINARY
from tasks.prepared import Prepared, Spool, put
from tasks.processes import Progress, no_progress
from tasks.vectors import Embedding, FileWarning, Matrix, content_hash

_KINDS = (
    (b"PK\x05\x06", "an empty zip archive"),
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zXZ\x00", "compressed with xz"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
    (b"\x93NUMPY", "a NumPy array without its words (put it into a zip archive with a word list, one word per line)"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
)
_PICKLES = tuple(b"\x80" + bytes([protocol]) for protocol in range(2, 6))


def _kind(beginning: bytes) -> str:
    return next((kind for magic, kind in _KINDS if beginning.startswith(magic)), "")


def _refuse(source: ByteSource) -> ByteSource:
    raise Problem.UNKNOWN_FORMAT(kind=_kind(source.beginning))


def _is_of_torch(names: tuple[str, ...]) -> bool:
    return any(name.endswith("/data.pkl") for name in names)


def _refuse_pickled(source: ByteSource) -> ByteSource:
    raise (Problem.PICKLED_BY_TORCH if _is_of_torch(source.names) else Problem.PICKLED)(name=source.name)


UNREAD = Format("unread", "", lambda beginning, _: bool(_kind(beginning)), _refuse)
# By itself, as gensim and many programs save objects, or in an archive, as PyTorch does.
PICKLED = Format(
    "pickle", "", lambda beginning, names: beginning.startswith(_PICKLES) or _is_of_torch(names), _refuse_pickled
)


FORMATS: tuple[Format, ...] = (
    GZIPPED, TAR, ZIPPED, TOKEN_MODEL, PICKLED, NUMPY_ARRAYS, MEMBER, PARQUET, ARROW, FASTTEXT, LONE_SAFETENSORS,
    UNREAD, WORD2VEC_BINARY, TEXT,
)  # fmt: skip
"""In the order in which they are asked; text takes the rest."""


@dataclass(frozen=True)
class Opened:
    """A file whose format is known.

    Parameters
    ----------
    reading : its vectors.
    source : of their bytes: the file itself, or the one packed in it.
    read_as : the format in a few words, as in “text in gzip”, and what was taken for words and numbers.
    """

    reading: Reading
    source: ByteSource
    read_as: str


def opened(source: ByteSource) -> Opened:
    """Recognise a file, and the file packed in it, and begin to read.

    Raises
    ------
    InputError
        the file's beginning is rejected. Where an error of its bytes ends the beginning, that is the one raised.
    """
    names: list[str] = []
    while True:
        form = next(form for form in FORMATS if form.recognise(source.beginning, source.names))
        if form.name:
            names.insert(0, form.name)
        try:
            found = form.read(source)
        except InputError as problem:
            raise source.failure or problem from None
        if isinstance(found, Reading):
            taken = f" ({found.taken})" if found.taken else ""
            return Opened(found, found.source or source, " in ".join(names) + taken)
        source = found


def member_of(request: ReadRequest) -> ByteSource:
    """The bytes of the requested member of a zip archive, whatever it is, within the limits.

    Raises
    ------
    InputError
        ``bad-zip``, ``no-such-member``, ``empty``; taking the bytes raises what unpacking does.
    """
    folder = ZIPPED.read(StoredFile(request))
    assert isinstance(folder, ByteSource)
    found = MEMBER.read(folder)
    assert isinstance(found, ByteSource)
    return found


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
