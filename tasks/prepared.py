"""The prepared form of vectors: read and checked once, then opened instantly by every job that evaluates them.

``<root>/<content sha256>/`` holds ``words.txt`` (UTF-8, a newline after each), ``offsets.npy`` (int64, where each word
begins), ``matrix.npy`` (float32, C order) and ``meta.json``. A directory of that name is complete: it is written under
another name and then renamed.
"""

from __future__ import annotations

import json
import mmap
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import NotRequired, TypedDict, overload

import numpy as np
from numpy.typing import NDArray

from tasks.base import Progress, no_progress
from tasks.blocks import Moments, row_blocks
from tasks.errors import VecboardError
from tasks.steps import Precomputed, Steps, steps_in
from tasks.vector_files.limits import Limits
from tasks.vector_files.scan import scan
from tasks.vector_files.spool import MATRIX_FILE, OFFSETS_FILE, WORDS_FILE, Spool
from tasks.vectors import UNKNOWN, Embedding, FileWarning

FORMAT_VERSION = 1
_META_FILE = "meta.json"
_DEFAULT = Limits()
_WORDS_AT_A_TIME = 65_536


@dataclass(frozen=True)
class Prepared:
    """Vectors in their prepared form.

    Parameters
    ----------
    sha256 : content hash of words and matrix, and the directory's name.
    words : distinct words, V.
    dimensions : D.
    warnings : what the reader accepted with a warning.
    directory : where they are stored.
    """

    sha256: str
    words: int
    dimensions: int
    warnings: tuple[FileWarning, ...]
    directory: Path


def prepare(
    path: Path | str,
    root: Path | str,
    *,
    limits: Limits = _DEFAULT,
    require_gzip: bool = False,
    progress: Progress = no_progress,
    block_bytes: int | None = None,
) -> Prepared:
    """Read, check and store a vector file in one pass, with memory use that does not grow with its dimensions.

    Safe to run twice at once: both write the same bytes, and the first to finish renames its directory.

    Parameters
    ----------
    path : text or word2vec binary, plain or gzipped.
    root : directory that holds the prepared vectors; created if it is missing.
    limits, require_gzip, progress, block_bytes : see :func:`tasks.vector_files.scan.scan`.

    Raises
    ------
    InputError
        the file is rejected; nothing is left behind.
    """
    with _writing(Path(root)) as (spool, publish):
        scanned = scan(
            Path(path), spool, limits=limits, require_gzip=require_gzip, progress=progress, block_bytes=block_bytes
        )
        progress(1.0, "storing")
        sha256, directory = publish(scanned.warnings)
    return Prepared(sha256, scanned.words, scanned.layout.dimensions, scanned.warnings, directory)


def store(embedding: Embedding, root: Path | str) -> Path:
    """Store vectors from memory in the prepared form; return their directory.

    Raises
    ------
    ValueError
        a word holds a newline.
    """
    with _writing(Path(root)) as (spool, publish):
        spool.begin(embedding.dimensions)
        start = 0
        for rows in row_blocks(embedding.matrix):
            words = list(embedding.words[start : start + len(rows)])
            if any("\n" in word for word in words):
                raise ValueError("A word with a newline cannot be stored.")
            spool.add(words, rows)
            start += len(rows)
        _, directory = publish(embedding.warnings)
    return directory


_Publish = Callable[[tuple[FileWarning, ...]], tuple[str, Path]]


@contextmanager
def _writing(root: Path) -> Iterator[tuple[Spool, _Publish]]:
    """A spool in a new directory under ``root``, and a function that renames the directory once it is complete."""
    root.mkdir(parents=True, exist_ok=True)
    directory = Path(mkdtemp(prefix=".partial-", dir=root))
    try:
        with Spool(directory) as spool:

            def publish(warnings: tuple[FileWarning, ...]) -> tuple[str, Path]:
                sha256, moments = spool.finish()
                _write_meta(directory / _META_FILE, sha256, spool, warnings, moments, steps_in(spool.rows))
                for file in spool.files:
                    os.fsync(file.fileno())
                return sha256, put(directory, root / sha256)

            yield spool, publish
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _write_meta(
    path: Path, sha256: str, spool: Spool, warnings: tuple[FileWarning, ...], moments: Moments, steps: Steps | None
) -> None:
    meta = {
        "format_version": FORMAT_VERSION,
        "sha256": sha256,
        "words": spool.words,
        "dimensions": spool.dimensions,
        "warnings": [warning.as_dict() for warning in warnings],
        "moments": _plain(moments),
        "steps": None if steps is None else {"size": steps.size, "moments": _plain(steps.moments)},
    }
    with path.open("w", encoding="utf-8") as file:
        json.dump(meta, file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())


def put(directory: Path, final: Path) -> Path:
    """Move a complete directory to its name, unless another writer has stored the same vectors there meanwhile."""
    directory.chmod(final.parent.stat().st_mode & 0o777)  # same permissions as the parent directory
    try:
        directory.rename(final)
    except OSError:
        if not (final / _META_FILE).is_file():
            raise
    return final


def open_prepared(directory: Path | str, *, name: str, language: str = "en") -> Embedding:
    """Open prepared vectors; the matrix stays on disk and is read as needed.

    Parameters
    ----------
    directory : what :func:`prepare` returned as ``Prepared.directory``.
    name : display name of the vectors.
    language : ISO 639-1 code.

    Raises
    ------
    VecboardError
        the directory is missing, damaged, or of a later version.
    """
    directory = Path(directory)
    try:
        meta = json.loads((directory / _META_FILE).read_text(encoding="utf-8"))
        if meta["format_version"] != FORMAT_VERSION:
            raise ValueError(f"it has format version {meta['format_version']}, not {FORMAT_VERSION}")
        matrix = np.load(directory / MATRIX_FILE, mmap_mode="r")
        words = StoredWords(directory)
        if matrix.shape != (meta["words"], meta["dimensions"]) or len(words) != meta["words"]:
            raise ValueError("its files do not match")
    except (OSError, ValueError, KeyError) as error:
        message = f"The prepared vectors in “{directory.name}” cannot be opened ({error}). Prepare the file again."
        raise VecboardError(message) from error
    warnings = tuple(FileWarning(**warning) for warning in meta["warnings"])
    return Embedding(name, words, matrix, meta["sha256"], language, warnings, _summary(meta))


class _StoredMoments(TypedDict):
    mean: list[float]
    standard_deviation: float


class _StoredSteps(TypedDict):
    size: float
    moments: _StoredMoments


class _Meta(TypedDict):
    """The part of ``meta.json`` that saves computing; files laid out before steps were looked for have no ``steps``."""

    moments: NotRequired[_StoredMoments]
    steps: NotRequired[_StoredSteps | None]


def _plain(moments: Moments) -> _StoredMoments:
    return {"mean": moments.mean.tolist(), "standard_deviation": moments.standard_deviation}


def _summary(meta: _Meta) -> Precomputed | None:
    """None where the files were laid out before steps were looked for."""
    if "steps" not in meta:
        return None
    steps = meta["steps"]
    found = None if steps is None else Steps(steps["size"], _moments(steps["moments"]))
    return Precomputed(_moments(meta["moments"]), found)


def _moments(stored: _StoredMoments) -> Moments:
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
