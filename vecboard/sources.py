"""Conversion of vectors (files, gensim, arrays) to a file for the upload, and the details written by their training."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol, cast

from isal import igzip

from tasks.answers import Details
from tasks.files import temporary_folder
from vecboard.connection import Refused

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


class KeyedVectors(Protocol):
    """The used part of gensim's ``KeyedVectors``; ``Word2Vec`` and ``FastText`` models have them as ``wv``."""

    index_to_key: list[str]
    vectors: NDArray[np.float32]


_SAME = ("corpus", "licence", "algorithm", "window", "iterations", "loss", "tokens")
_NOTED = ("minimum_count", "seed", "converged", "processor_minutes")
_LEVEL = 2
_BLOCK_BYTES = 1 << 20
Vectors = Path | str | KeyedVectors | tuple[Sequence[str], object]


@contextmanager
def as_file(vectors: Vectors) -> Iterator[Path]:
    """The file itself, or a temporary one: vectors in memory, or a compressed copy of a plain file.

    ``archive.zip:member`` sends only that file; a folder with a static token model is packed.

    Raises
    ------
    Refused
        it cannot be converted to words and an array, or the file cannot be read.
    """
    with temporary_folder() as directory:
        if isinstance(vectors, str | Path):
            yield _to_send(Path(vectors), directory)
        else:
            from tasks.formats.text_blocks import write_text

            path = directory / "vectors.txt.gz"
            try:
                write_text(path, *words_and_matrix(vectors))
            except ValueError as error:
                raise Refused(str(error), "unwritable") from None
            yield path


def _to_send(vectors: Path, directory: Path) -> Path:
    """The given file if it is compressed, else a compressed copy in the directory."""
    from tasks.errors import InputError
    from tasks.files import PACKED, TENSORS, of_archive, packed_model
    from tasks.formats import ReadRequest
    from tasks.formats.reading import member_of

    path, member = of_archive(vectors)
    try:
        if path.is_dir():
            packed_folder = packed_model(path, directory)
            if packed_folder is None:
                raise Refused(f"{path} contains no {TENSORS} file; give a vector file or a model's folder.", "no-model")
            return packed_folder
        blocks = member_of(ReadRequest(path, member)).blocks() if member else _of_file(path)
        first = next(blocks, b"")
        is_packed = first.startswith(PACKED)
        if is_packed and path.is_file() and not member:
            return path
        target = directory / f"{Path(member or path).name}{'' if is_packed else '.gz'}"
        with target.open("wb") as file:
            # The same bytes every time, so that an interrupted upload resumes.
            packed = file if is_packed else igzip.IGzipFile("", "wb", _LEVEL, file, mtime=0)  # type: ignore[no-untyped-call]
            with cast(IO[bytes], packed) as sink:
                sink.write(first)
                sink.writelines(blocks)
    except InputError as error:
        raise Refused(error.message, error.code) from None
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror or error}.", "unreadable") from None
    return target


def _of_file(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            yield block


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
            f"{type(model).__name__} has no vectors; give a file, KeyedVectors, or (words, array).", "no-vectors"
        )
    return keyed.index_to_key, keyed.vectors


def read_criteria(path: Path) -> Details:
    """Technical criteria written by ``python -m tasks train``, as details of an upload.

    Values for which the upload form has no field go into the notes.

    Raises
    ------
    Refused
        the file does not exist, or is not a JSON object.
    """
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror or error}.", "unreadable") from None
    except ValueError:
        written = None
    if not isinstance(written, dict):
        raise Refused(f"{path} is not a JSON object; give the file that `python -m tasks train` wrote.", "criteria")
    details: dict[str, object] = {name: written[name] for name in _SAME if written.get(name) is not None}
    if written.get("minutes") is not None:
        details["training_minutes"] = written["minutes"]
    notes = [f"{name.replace('_', ' ')} {written[name]}" for name in _NOTED if written.get(name) is not None]
    if notes:
        details["technical_notes"] = ", ".join(notes)
    return cast(Details, details)
