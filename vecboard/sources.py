"""Vectors from where people have them, as a file that can be sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol

from vecboard.errors import Refused

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class KeyedVectors(Protocol):
    """What is needed of gensim's ``KeyedVectors``; ``Word2Vec`` and ``FastText`` models have them as ``wv``."""

    index_to_key: list[str]
    vectors: Any


Vectors = Path | str | KeyedVectors | tuple[Sequence[str], Any]


@contextmanager
def as_file(vectors: Vectors) -> Iterator[Path]:
    """The file itself, or one that is written for the purpose and deleted afterwards.

    Raises
    ------
    Refused
        there is no way to make words and an array of it.
    """
    if isinstance(vectors, str | Path):
        yield Path(vectors)
        return
    words, matrix = words_and_matrix(vectors)
    with TemporaryDirectory(prefix="vecboard-") as directory:
        path = Path(directory) / "vectors.txt.gz"
        _write(path, words, matrix)
        yield path


def words_and_matrix(vectors: KeyedVectors | tuple[Sequence[str], Any]) -> tuple[list[str], NDArray[np.float32]]:
    """V words and their float32 array of shape (V, D).

    Raises
    ------
    Refused
        it is neither of the two, or the shapes do not fit.
    """
    import numpy as np

    words, numbers = vectors if isinstance(vectors, tuple) else _of_gensim(vectors)
    if hasattr(numbers, "detach"):  # a torch tensor, wherever it lies
        numbers = numbers.detach().cpu().numpy()
    try:
        matrix = np.ascontiguousarray(numbers, dtype=np.float32)
    except (TypeError, ValueError):
        raise Refused("The vectors are no array of numbers; give (words, array).", "no-array") from None
    if matrix.ndim != 2 or len(words) != len(matrix):
        raise Refused(
            f"There are {len(words)} words for an array of shape {matrix.shape}; it needs one row a word.", "shape"
        )
    return [str(word) for word in words], matrix


def _of_gensim(model: Any) -> tuple[list[str], Any]:
    keyed = getattr(model, "wv", model)
    if not hasattr(keyed, "index_to_key"):
        raise Refused(
            f"{type(model).__name__} is no set of vectors; give a file, KeyedVectors, or (words, array).", "no-vectors"
        )
    return keyed.index_to_key, keyed.vectors


def _write(path: Path, words: Sequence[str], matrix: NDArray[np.float32]) -> None:
    from tasks.vector_files import write_text

    try:
        write_text(path, words, matrix)
    except ValueError as error:
        raise Refused(str(error), "unwritable") from None
