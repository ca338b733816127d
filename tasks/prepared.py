"""The prepared form of vectors: read and checked once, then opened instantly by every job that evaluates them.

``<root>/<content sha256>/`` holds ``words.txt`` (UTF-8, a newline after each), ``offsets.npy`` (int64, where each word
begins), ``matrix.npy`` (float32, C order) and ``meta.json``. A directory of that name is complete: it is written under
another name and then renamed.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TypedDict, overload

import numpy as np
from numpy.typing import NDArray

from tasks.errors import VecboardError
from tasks.vectors import UNKNOWN, Embedding, FileWarning, Moments, Precomputed, Steps, written_forms

FORMAT_VERSION = 2
META_FILE = "meta.json"
WORDS_FILE = "words.txt"
OFFSETS_FILE = "offsets.npy"
MATRIX_FILE = "matrix.npy"
_WORDS_AT_A_TIME = 65_536


def open_prepared(directory: Path | str, *, name: str, language: str = "en") -> Embedding:
    """Open prepared vectors; the matrix stays on disk and is read as needed.

    Parameters
    ----------
    directory : ``Prepared.directory`` of :func:`tasks.vector_files.prepare.prepare`.
    name : display name of the vectors.
    language : ISO 639-1 code.

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
        matrix = np.load(directory / MATRIX_FILE, mmap_mode="r")
        words = StoredWords(directory)
        if matrix.shape != (meta["words"], meta["dimensions"]) or len(words) != meta["words"]:
            raise ValueError("its files do not match")
    except (OSError, ValueError, KeyError, IndexError, TypeError, EOFError) as error:
        message = f"The prepared vectors in “{directory.name}” cannot be opened ({error}). Prepare the file again."
        raise VecboardError(message) from error
    warnings = tuple(FileWarning(**warning) for warning in meta["warnings"])
    return Embedding(name, words, matrix, meta["sha256"], language, warnings, _summary(meta), meta["open_vocabulary"])


def is_whole(directory: Path) -> bool:
    """Whether a prepared form exists and can be opened; a crash may leave truncated or empty files."""
    try:
        open_prepared(directory, name="")
    except VecboardError:
        return False
    return True


def excerpt(embedding: Embedding, words: Iterable[str]) -> Embedding:
    """Rows that a look-up of these words can find, by any rule; one pass, without an index of all words.

    Returns
    -------
    Embedding
        its ``sha256`` is that of the whole; matrix of shape (found, D).
    """
    wanted = {form for word in words for form in (*written_forms(word), word.lower())}
    rows = [row for row, word in enumerate(embedding.words) if word in wanted or word.lower() in wanted]
    found = [embedding.words[row] for row in rows]
    return replace(embedding, words=found, matrix=np.ascontiguousarray(embedding.matrix[rows]), stored=None)


class StoredMoments(TypedDict):
    mean: list[float]
    standard_deviation: float


class _StoredSteps(TypedDict):
    size: float
    moments: StoredMoments


class _Meta(TypedDict):
    """The part of ``meta.json`` that saves computing."""

    moments: StoredMoments
    steps: _StoredSteps | None


def _summary(meta: _Meta) -> Precomputed:
    steps = meta["steps"]
    found = None if steps is None else Steps(steps["size"], _moments(steps["moments"]))
    return Precomputed(_moments(meta["moments"]), found)


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
            return self._between(start, stop) if step == 1 else [self[nth] for nth in range(start, stop, step)]
        nth = range(len(self))[place]
        return self._between(nth, nth + 1)[0]

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), _WORDS_AT_A_TIME):
            yield from self._between(start, min(start + _WORDS_AT_A_TIME, len(self)))

    def row_of(self, word: str) -> int:
        """The row of exactly this word, ``UNKNOWN`` if out of vocabulary; searches the text, without an index."""
        wanted = word.encode("utf-8", "surrogatepass") + b"\n"
        if not word or b"\n" in wanted[:-1]:
            return UNKNOWN
        if self._bytes[: len(wanted)] == wanted:
            return 0
        found = self._bytes.find(b"\n" + wanted)
        return UNKNOWN if found < 0 else int(np.searchsorted(self._offsets, found + 1))

    @cached_property
    def _bytes(self) -> mmap.mmap:
        with self._path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def _between(self, start: int, stop: int) -> list[str]:
        if stop <= start:
            return []
        text = self._text[int(self._offsets[start]) : int(self._offsets[stop]) - 1]
        return text.tobytes().decode("utf-8").split("\n")
