"""The prepared form of vectors: read and checked once, then opened instantly by every job that evaluates them.

``<root>/<content sha256>/`` holds ``words.txt`` (UTF-8, a newline after each), ``offsets.npy`` (int64, where each word
begins), ``matrix.npy`` (float32, C order) and ``meta.json``. A directory of that name is complete: it is written under
another name and then renamed.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import BinaryIO, Self, TypedDict, overload

import numpy as np
from numpy.typing import NDArray

from tasks.errors import VecboardError
from tasks.vectors import (
    UNKNOWN,
    Embedding,
    FileWarning,
    Matrix,
    Moments,
    Precomputed,
    Steps,
    block_rows,
    moments_of,
    row_blocks,
    steps_in,
)

FORMAT_VERSION = 2
META_FILE = "meta.json"
WORDS_FILE = "words.txt"
OFFSETS_FILE = "offsets.npy"
MATRIX_FILE = "matrix.npy"
_WORDS_AT_A_TIME = 65_536
_NPY_HEADER_BYTES = 128
"""NumPy pads a header to a multiple of 64 bytes, and that of one or two dimensions needs more than 64."""
_READ_BYTES = 1 << 20


@dataclass(frozen=True)
class Prepared:
    """A vector file that has been read: its contents and its prepared form.

    Parameters
    ----------
    words : distinct ones, V.
    dimensions : D.
    warnings : what was accepted with a warning.
    read_as : the format in a few words.
    open_vocabulary : whether the vectors were composed for a list of words.
    model_bytes : size of the model or of numbers narrower than float32, which take the vectors' place on a device; 0
        for other vectors of words.
    sha256 : content hash of words and matrix, and the name of their directory.
    directory : of the prepared form.
    """

    words: int
    dimensions: int
    warnings: tuple[FileWarning, ...]
    read_as: str
    open_vocabulary: bool
    model_bytes: int
    sha256: str
    directory: Path


def open_prepared(directory: Path | str, *, name: str, language: str = "en", in_memory: bool = False) -> Embedding:
    """Open prepared vectors; the matrix and the words stay on disk and are read as needed.

    Parameters
    ----------
    directory : ``Prepared.directory``.
    name : display name of the vectors.
    language : ISO 639-1 code.
    in_memory : read everything now.

    Raises
    ------
    VecboardError
        the directory is missing, damaged, or of a later version.
    """
    directory = Path(directory)
    try:
        meta = json.loads((directory / META_FILE).read_text(encoding="utf-8"))
        if meta["format_version"] != FORMAT_VERSION:
            raise ValueError(f"it has format version {meta['format_version']}, not {FORMAT_VERSION}")
        matrix = np.load(directory / MATRIX_FILE, mmap_mode=None if in_memory else "r")
        matrix.flags.writeable = False
        words = list(StoredWords(directory)) if in_memory else StoredWords(directory)
        if matrix.shape != (meta["words"], meta["dimensions"]) or len(words) != meta["words"]:
            raise ValueError("its files do not match")
        steps = meta["steps"]
        stored_steps = None if steps is None else Steps(steps["size"], _moments(steps["moments"]))
        computed = Precomputed(_moments(meta["moments"]), stored_steps)
    except (OSError, ValueError, KeyError, IndexError, TypeError, EOFError) as error:
        message = f"The prepared vectors in “{directory.name}” cannot be opened ({error}). Prepare the file again."
        raise VecboardError(message) from error
    warnings = tuple(FileWarning(**warning) for warning in meta["warnings"])
    return Embedding(name, words, matrix, meta["sha256"], language, warnings, computed, meta["open_vocabulary"])


def is_whole(directory: Path) -> bool:
    """Whether a prepared form exists and can be opened; a crash may leave truncated or empty files."""
    if not directory.is_dir():  # of most entries of a board; an exception would take ten times as long
        return False
    try:
        open_prepared(directory, name="")
    except VecboardError:
        return False
    return True


def files_of(directory: Path) -> tuple[tuple[int, int], ...]:
    """Identity and size of the mapped files that there are.

    Once they change, vectors are opened again: reading a mapping beyond the end of its file kills the process.
    """
    paths = (directory / name for name in (WORDS_FILE, OFFSETS_FILE, MATRIX_FILE))
    return tuple((path.stat().st_ino, path.stat().st_size) for path in paths if path.exists())


class StoredMoments(TypedDict):
    mean: list[float]
    standard_deviation: float


def _moments(stored: StoredMoments) -> Moments:
    return Moments(np.array(stored["mean"], dtype=np.float64), stored["standard_deviation"])


class StoredWords(Sequence[str]):
    """The words of prepared vectors, read from disk on demand.

    Parameters
    ----------
    directory : of the prepared vectors.
    """

    def __init__(self, directory: Path) -> None:
        self._offsets: NDArray[np.int64] = np.load(directory / OFFSETS_FILE, mmap_mode="r")
        self._path = directory / WORDS_FILE
        self._text: NDArray[np.uint8] = np.memmap(self._path, dtype=np.uint8, mode="r")
        if int(self._offsets[-1]) != len(self._text):
            raise ValueError("its words do not fit their offsets")

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            return self._between(start, stop) if step == 1 else [self[i] for i in range(start, stop, step)]
        row = range(len(self))[place]
        return self._between(row, row + 1)[0]

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), _WORDS_AT_A_TIME):
            yield from self._between(start, min(start + _WORDS_AT_A_TIME, len(self)))

    def row_of(self, word: str) -> int:
        """The row of exactly this word, ``UNKNOWN`` if out of vocabulary; searches the text, without an index."""
        line = word.encode("utf-8", "surrogatepass") + b"\n"
        if not word or b"\n" in line[:-1]:
            return UNKNOWN
        if self._bytes[: len(line)] == line:
            return 0
        place = self._bytes.find(b"\n" + line)
        return UNKNOWN if place < 0 else int(np.searchsorted(self._offsets, place + 1))

    @cached_property
    def _bytes(self) -> mmap.mmap:
        with self._path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def _between(self, start: int, stop: int) -> list[str]:
        if stop <= start:
            return []
        text = self._text[int(self._offsets[start]) : int(self._offsets[stop]) - 1]
        return text.tobytes().decode("utf-8").split("\n")


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

    def finish(self, warnings: tuple[FileWarning, ...], open_vocabulary: bool) -> str:
        """Complete and sync all files; return the content hash (as :func:`tasks.vectors.content_hash`)."""
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
        steps = steps_in(self.rows)
        meta = {
            "format_version": FORMAT_VERSION,
            "sha256": digest.hexdigest(),
            "words": self.words,
            "dimensions": self.dimensions,
            "open_vocabulary": open_vocabulary,
            "warnings": [asdict(warning) for warning in warnings],
            "moments": _plain(moments),
            "steps": None if steps is None else {"size": steps.size, "moments": _plain(steps.moments)},
        }
        with (self.directory / META_FILE).open("w", encoding="utf-8") as meta_file:
            json.dump(meta, meta_file, ensure_ascii=False, indent=1)
            meta_file.flush()
            os.fsync(meta_file.fileno())
        for file in self.files:
            os.fsync(file.fileno())
        return digest.hexdigest()

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


def _plain(moments: Moments) -> StoredMoments:
    return {"mean": moments.mean.tolist(), "standard_deviation": moments.standard_deviation}


def store(embedding: Embedding, root: Path | str) -> Path:
    """Store vectors from memory in the prepared form; return their directory.

    Raises
    ------
    ValueError
        a word holds a newline.
    """
    root = Path(root)
    root.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".partial-", dir=root, ignore_cleanup_errors=True) as scratch:
        directory = Path(scratch) / "prepared"
        directory.mkdir()
        with Spool(directory) as spool:
            spool.begin(embedding.dimensions)
            start = 0
            for rows in row_blocks(embedding.matrix):
                words = list(embedding.words[start : start + len(rows)])
                if any("\n" in word for word in words):
                    raise ValueError("A word with a newline cannot be stored.")
                spool.add(words, rows)
                start += len(rows)
            sha256 = spool.finish(embedding.warnings, embedding.open_vocabulary)
        return put(directory, root / sha256)


def put(directory: Path, final: Path) -> Path:
    """Move a complete directory to its name, unless another writer has stored the same vectors there meanwhile.

    A damaged one is replaced.
    """
    directory.chmod(final.parent.stat().st_mode & 0o777)  # same permissions as the parent directory
    try:
        directory.rename(final)
    except OSError:
        if is_whole(final):
            return final
        damaged = final.with_name(f".partial-damaged-{directory.name}")
        final.rename(damaged)
        directory.rename(final)
        shutil.rmtree(damaged, ignore_errors=True)
    return final
