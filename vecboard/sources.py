"""Vectors from files, gensim or arrays, as a file to upload."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol, cast

from vecboard.errors import Refused

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


class KeyedVectors(Protocol):
    """The used part of gensim's ``KeyedVectors``; ``Word2Vec`` and ``FastText`` models have them as ``wv``."""

    index_to_key: list[str]
    vectors: NDArray[np.float32]


Vectors = Path | str | KeyedVectors | tuple[Sequence[str], object]


@contextmanager
def as_file(vectors: Vectors) -> Iterator[Path]:
    """The file itself, or a temporary one.

    Raises
    ------
    Refused
        words and an array cannot be made of it.
    """
    if isinstance(vectors, str | Path):
        yield Path(vectors)
        return
    words, matrix = words_and_matrix(vectors)
    with TemporaryDirectory(prefix="vecboard-") as directory:
        path = Path(directory) / "vectors.txt.gz"
        _write(path, words, matrix)
        yield path


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
