"""Vectors from files, gensim or arrays, as a file to upload."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Protocol, cast

from isal import igzip

from vecboard.errors import Refused

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


class KeyedVectors(Protocol):
    """The used part of gensim's ``KeyedVectors``; ``Word2Vec`` and ``FastText`` models have them as ``wv``."""

    index_to_key: list[str]
    vectors: NDArray[np.float32]


PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"PAR1")
"""First bytes of gzip, zip and Parquet: files that compressing would not make smaller."""
_LEVEL = 2
Vectors = Path | str | KeyedVectors | tuple[Sequence[str], object]


@contextmanager
def as_file(vectors: Vectors) -> Iterator[Path]:
    """The file itself, or a temporary one: of vectors in memory, or the compressed form of a plain file.

    Of ``archive.zip:member``, only that file is sent.

    Raises
    ------
    Refused
        words and an array cannot be made of it, or the file cannot be read.
    """
    archive, found, member = str(vectors).partition(".zip:") if isinstance(vectors, str | Path) else ("", "", "")
    if isinstance(vectors, str | Path) and not found and not _is_plain(Path(vectors)):
        yield Path(vectors)
        return
    with TemporaryDirectory(prefix="vecboard-") as directory:
        if isinstance(vectors, str | Path):
            path = Path(directory) / f"{Path(member or vectors).name}.gz"
            with _in_archive(f"{archive}.zip", member) if found else Path(vectors).open("rb") as plain:
                _compress(plain, path)
        else:
            path = Path(directory) / "vectors.txt.gz"
            _write(path, *words_and_matrix(vectors))
        yield path


def _is_plain(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return not file.read(4).startswith(PACKED)
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror or error}.", "unreadable") from None


@contextmanager
def _in_archive(archive: str, member: str) -> Iterator[IO[bytes]]:
    try:
        with zipfile.ZipFile(archive) as opened, opened.open(member) as file:
            yield file
    except KeyError:
        raise Refused(f"{archive} does not hold {member}; it holds {', '.join(opened.namelist())}.", "member") from None
    except (OSError, zipfile.BadZipFile, RuntimeError) as error:
        raise Refused(f"{archive} cannot be read: {error}.", "unreadable") from None


def _compress(plain: IO[bytes], target: Path) -> None:
    """The same bytes every time, so that an interrupted upload resumes."""
    with target.open("wb") as file:
        packed = cast(IO[bytes], igzip.IGzipFile("", "wb", _LEVEL, file, mtime=0))  # type: ignore[no-untyped-call]
        with packed:
            copyfileobj(plain, packed, 1 << 20)


def words_and_matrix(vectors: KeyedVectors | tuple[Sequence[str], object]) -> tuple[list[str], NDArray[np.float32]]:
    """V words and their float32 array of shape (V, D).

    Raises
    ------
    Refused
        it is neither of the two, or the shapes do not match.
    """
    import numpy as np

    words, numbers = vectors if isinstance(vectors, tuple) else _of_gensim(vectors)
    if hasattr(numbers, "detach"):  # a torch tensor, on any device
        numbers = numbers.detach().cpu().numpy()
    try:
        matrix = np.ascontiguousarray(cast("ArrayLike", numbers), dtype=np.float32)
    except (TypeError, ValueError):
        raise Refused("The vectors are not an array of numbers; give (words, array).", "no-array") from None
    if matrix.ndim != 2 or len(words) != len(matrix):
        raise Refused(
            f"There are {len(words)} words for an array of shape {matrix.shape}; it needs one row per word.", "shape"
        )
    return [str(word) for word in words], matrix


def _of_gensim(model: object) -> tuple[list[str], object]:
    keyed = cast(KeyedVectors, getattr(model, "wv", model))
    if not hasattr(keyed, "index_to_key"):
        raise Refused(
            f"{type(model).__name__} does not hold vectors; give a file, KeyedVectors, or (words, array).", "no-vectors"
        )
    return keyed.index_to_key, keyed.vectors


def _write(path: Path, words: Sequence[str], matrix: NDArray[np.float32]) -> None:
    from tasks.vector_files import write_text

    try:
        write_text(path, words, matrix)
    except ValueError as error:
        raise Refused(str(error), "unwritable") from None
