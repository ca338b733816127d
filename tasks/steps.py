"""The grid of whole numbers behind vectors written with a fixed number of decimals.

A file with four decimals holds whole multiples of 0.0001. Multiplying by 100 (or any number) in single precision
changes the last bits, and training may diverge from there. The multiples themselves do not change, so a suite that
ignores scale uses them: then the scale of such a file does not change a single bit of its scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tasks.blocks import Matrix, Moments, moments_of, row_blocks

LARGEST = 1 << 20
"""With more steps than this, single precision cannot reliably separate neighbouring multiples."""
_PARTS = 10
"""The smallest number of the first block is assumed to be at most this many steps."""
_AWAY = 1e-3
"""How far a small number may be from a whole multiple, in steps. Nearly equal values do not make a grid."""
_AWAY_A_STEP = 2.0**-21
"""Additional distance per step: number, step and factor were rounded to single precision, 2^-24 each."""
_FARTHEST = 0.25


@dataclass(frozen=True)
class Steps:
    """All numbers are whole multiples of ``size``.

    Parameters
    ----------
    size : the step, in the file's own unit.
    moments : of the whole numbers.
    """

    size: float
    moments: Moments

    def count(self, values: Matrix) -> NDArray[np.float64]:
        """Number of steps in each value: whole numbers, same shape."""
        steps: NDArray[np.float64] = np.rint(values.astype(np.float64) / self.size)
        return steps


@dataclass(frozen=True)
class Precomputed:
    """What is computed once of a whole matrix: its moments, and its steps if it has any."""

    moments: Moments
    steps: Steps | None


class _NoGrid(Exception):
    pass


def steps_of(matrix: Matrix) -> Steps | None:
    """The steps of a matrix, float32, shape (V, D); None if its numbers are not multiples of one, or of too many."""
    return steps_in(lambda: row_blocks(matrix))


def steps_in(blocks: Callable[[], Iterable[Matrix]]) -> Steps | None:
    """:func:`steps_of` for a matrix given as the slices of :func:`tasks.blocks.row_blocks`.

    Parameters
    ----------
    blocks : starts from the first slice at each call; only the first is read if it has no steps.
    """
    size = _size(next(iter(blocks())))
    if size is None:
        return None
    try:
        return Steps(size, moments_of(_whole(blocks(), size)))
    except _NoGrid:
        return None


def _size(block: Matrix) -> float | None:
    """The largest step that fits a block, from its smallest number, then fitted to all of them."""
    values = np.abs(block[block != 0].astype(np.float64))
    if not values.size:
        return None
    for parts in range(1, _PARTS + 1):
        size = float(values.min()) / parts
        if float(values.max()) > LARGEST * size:
            return None
        counts = np.rint(values / size)
        if _are_whole(values / size, counts):
            return float(values @ counts / (counts @ counts))
    return None


def _are_whole(exact: NDArray[np.float64], counts: NDArray[np.float64]) -> bool:
    """Whether numbers are whole within rounding."""
    allowed = np.minimum(_AWAY + _AWAY_A_STEP * np.abs(counts), _FARTHEST)
    return bool((np.abs(exact - counts) <= allowed).all())


def _whole(blocks: Iterable[Matrix], size: float) -> Iterator[Matrix]:
    for block in blocks:
        exact = block.astype(np.float64) / size
        counts = np.rint(exact)
        if np.abs(counts).max(initial=0) > LARGEST or not _are_whole(exact, counts):
            raise _NoGrid
        yield counts.astype(np.float32)  # exact: at most 2^20
