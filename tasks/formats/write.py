"""Writing vectors as a text file that reads back bit for bit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from isal import igzip

from tasks.files import whole
from tasks.vectors import Matrix, row_blocks


def write_text(path: Path | str, words: Sequence[str], matrix: Matrix) -> None:
    """Write word2vec's text form, each number as the shortest decimal that reads back as the same float32.

    The same vectors give the same bytes (the gzip header carries no time and no name). A path gets the whole file or
    none: an interrupted write leaves the old file in place.

    Parameters
    ----------
    path : gzipped if the name ends in ``.gz``.
    words : V distinct words; none is empty, contains a newline or NUL, or begins or ends with a space.
    matrix : finite float32, shape (V, D).

    Raises
    ------
    ValueError
        the form cannot hold a word or number.
    """
    if len(words) != len(matrix):
        raise ValueError(f"There are {len(words)} words for {len(matrix)} vectors.")
    path = Path(path)
    with whole(path) as partial, partial.open("wb") as file:
        if path.suffix == ".gz":
            compressed = igzip.IGzipFile("", "wb", 3, file, mtime=0)  # type: ignore[no-untyped-call]
            with compressed:
                compressed.writelines(_lines(words, matrix))
        else:
            file.writelines(_lines(words, matrix))


def _lines(words: Sequence[str], matrix: Matrix) -> Iterator[bytes]:
    yield f"{len(words)} {matrix.shape[1]}\n".encode()
    start = 0
    for block in row_blocks(matrix):
        block_words = words[start : start + len(block)]
        start += len(block)
        yield "".join(_block_lines(block_words, block)).encode("utf-8")


def _block_lines(words: Iterable[str], block: Matrix) -> Iterator[str]:
    columns = block.shape[1]
    numbers = _shortest(block)
    for nth, word in enumerate(words):
        if not word or word != word.strip(" \t") or "\n" in word or "\0" in word:
            raise ValueError(f"A text file cannot contain the word {word!r}.")
        yield f"{word} {' '.join(numbers[nth * columns : (nth + 1) * columns])}\n"


def _shortest(block: Matrix) -> list[str]:
    flat = np.ascontiguousarray(block, dtype=np.float32).ravel()
    if not np.isfinite(flat).all():
        raise ValueError("A text file cannot contain NaN or infinity.")
    texts = pc.cast(pa.array(flat), pa.string())
    with np.errstate(over="ignore"):
        back = pc.cast(texts, pa.float64()).to_numpy(zero_copy_only=False).astype(np.float32)
    numbers: list[str] = texts.to_pylist()
    for nth in np.flatnonzero(back.view(np.uint32) != flat.view(np.uint32)):
        numbers[nth] = repr(float(flat[nth]))  # all digits of the double, where the short form would be rounded twice
    return numbers
