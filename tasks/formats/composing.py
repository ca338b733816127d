"""Vectors of whole words from the rows of their pieces: n-grams of fastText, tokens of a static model.

The words are few and known, the rows are many: so the rows are streamed once, and every word adds up its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.formats.source import Limits, Parsed, parsed
from tasks.vectors import Matrix

_WORDS_AT_ONCE = 8_192
ROWS_AT_ONCE_BYTES = 8 << 20


@dataclass(frozen=True)
class Pieces:
    """The rows whose mean is the vector of each of V words.

    Parameters
    ----------
    ends : int64, shape (V + 1,): the pieces of word n are at ``ends[n]`` to ``ends[n + 1]`` of the others.
    rows : int32, shape (P,): row of each piece.
    factors : float32, shape (P,): factor of each piece's row; None: 1.
    """

    ends: NDArray[np.int64]
    rows: NDArray[np.int32]
    factors: NDArray[np.float32] | None = None


def composed(
    words: Sequence[str],
    pieces: Pieces,
    blocks: Iterable[Matrix],
    dimensions: int,
    limits: Limits,
    *,
    normalised: bool = False,
) -> Iterator[Parsed]:
    """Words that have a piece, with the mean of factor × row over their pieces.

    Parameters
    ----------
    words : V words.
    pieces : of these words.
    blocks : all rows in order, float32, shape (n, D), cut in the same way every time: sums depend on it in the last
        bits.
    dimensions : D.
    limits : of a file.
    normalised : scale every mean to length 1.

    Yields
    ------
    Parsed
        an empty one for every block of rows, so that progress is seen, then those with words.

    Raises
    ------
    InputError
        ``not-a-number``: a row with an infinite or missing number is part of a word.
    """
    sums: Matrix = np.zeros((len(words), dimensions), dtype=np.float32)
    nothing = Parsed([], np.empty((0, dimensions), np.float32))
    first = 0
    for block in blocks:
        _add(sums, pieces, block, first)
        first += len(block)
        yield nothing
    counts = np.diff(pieces.ends)
    done = 0
    for start in range(0, len(words), _WORDS_AT_ONCE):
        here = np.flatnonzero(counts[start : start + _WORDS_AT_ONCE]) + start
        means: Matrix = np.divide(sums[here], counts[here, None], dtype=np.float32)
        if normalised:
            lengths = np.linalg.norm(means.astype(np.float64), axis=1, keepdims=True)
            with np.errstate(invalid="ignore"):  # a word that is not finite is refused below, with its name
                means = (means / np.where(lengths > 0, lengths, 1)).astype(np.float32)
        yield parsed([words[n].encode() for n in here.tolist()], means, done + 1, limits, "word")
        done += len(here)


def _add(sums: Matrix, pieces: Pieces, block: Matrix, first: int) -> None:
    """Add the rows of a block, the first of which is row ``first``, to the sums of the words that have them."""
    from scipy import sparse

    places = np.flatnonzero((pieces.rows >= first) & (pieces.rows < first + len(block)))
    if not len(places):
        return
    owners = np.searchsorted(pieces.ends, places, side="right") - 1
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    ends = np.append(starts, len(places))
    for begin in range(0, len(starts), _WORDS_AT_ONCE):
        bounds = ends[begin : begin + _WORDS_AT_ONCE + 1]
        end = begin + len(bounds) - 1
        block_pieces = places[bounds[0] : bounds[-1]]
        factors = np.ones(len(block_pieces), np.float32) if pieces.factors is None else pieces.factors[block_pieces]
        shape = (end - begin, len(block))
        parts = sparse.csr_array((factors, pieces.rows[block_pieces] - first, bounds - bounds[0]), shape=shape)
        with np.errstate(over="ignore", invalid="ignore"):
            sums[owners[starts[begin:end]]] += parts @ block
