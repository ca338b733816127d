"""The word that answers ``a : b = c : ?``, for many questions and any vocabulary, in bounded memory.

With unit vectors, 3CosAdd maximises cos(b) + cos(c) - cos(a) (Mikolov et al. 2013) and 3CosMul maximises
cos(b) · cos(c) / (cos(a) + ε) with cosines mapped to [0, 1] (Levy & Goldberg 2014, §6). Both combine a function of the
pair (a, b) with a function of c. Questions combine every pair with every other, so each function is computed once per
pair, and a question costs one addition (or multiplication) and one comparison per word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tasks.metrics.distances import unit_rows
from tasks.vectors import Matrix, Rows

_BYTES_A_BLOCK = 96 * 2**20
_MOST_ROWS, _FEWEST_ROWS = 8_192, 64
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class AnswerRows:
    """Row of the best word for every question, -1 if there is none; shape (Q,) each."""

    add: Rows
    multiply: Rows


class _Questions:
    """Questions by their pair (a, b); words numbered within the questions.

    Parameters
    ----------
    questions : rows of a, b and c, shape (Q, 3).
    """

    def __init__(self, questions: Rows, epsilon: float) -> None:
        self.epsilon = np.float32(epsilon)
        self.words, numbered = np.unique(questions, return_inverse=True)
        numbered = numbered.reshape(questions.shape)
        self.third: Rows = numbered[:, 2]
        self.pairs, of_question = np.unique(numbered[:, :2], axis=0, return_inverse=True)
        order = np.argsort(of_question.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(of_question.ravel(), minlength=len(self.pairs)))
        self.by_pair: list[Rows] = np.split(order, ends[:-1])

    @property
    def rows_a_block(self) -> int:
        """Number of vocabulary rows whose tables (two per word, two per pair) fit into a block's memory."""
        tables = 3 * len(self.words) + 2 * len(self.pairs)
        return int(np.clip(_BYTES_A_BLOCK // (4 * tables), _FEWEST_ROWS, _MOST_ROWS))


def answers(
    matrix: Matrix,
    questions: Rows,
    *,
    epsilon: float,
    candidates: NDArray[np.bool_] | None = None,
    threads: int = 1,
    progress: Callable[[float], None] = lambda _: None,
) -> AnswerRows:
    """The best word of the whole vocabulary for each question, the three given words excluded.

    Of equal scores the first word in the file wins. The result does not depend on ``threads``. A zero vector has
    cosine 0 with everything.

    Parameters
    ----------
    matrix : float32, shape (V, D), possibly memory-mapped; read once, block by block.
    questions : rows of a, b and c, shape (Q, 3), Q ≥ 1.
    epsilon : added to 3CosMul's divisor (Levy & Goldberg 2014).
    candidates : rows that can be an answer, shape (V,); None: all.
    threads : number of threads, about 200 MB each.
    progress : called with the share of the vocabulary done, in [0, 1].

    Returns
    -------
    Answers
    """
    plan = _Questions(questions, epsilon)
    words = unit_rows(matrix[plan.words])
    best = np.full((2, len(questions)), -np.inf, dtype=np.float32)
    best[1] = 0.0  # excluded words score 0 in 3CosMul
    rows = np.full((2, len(questions)), -1, dtype=np.int64)
    done = 0
    for scores, found in _blocks(matrix, plan, words, candidates, threads):
        better = scores > best
        best[better], rows[better] = scores[better], found[better]
        done += plan.rows_a_block
        progress(min(1.0, done / len(matrix)))
    return AnswerRows(rows[0], rows[1])


def _blocks(
    matrix: Matrix, plan: _Questions, words: Floats, candidates: NDArray[np.bool_] | None, threads: int
) -> Iterator[tuple[Floats, Rows]]:
    """:func:`_search` of the blocks in the order of the vocabulary; at most a few ahead of the consumer."""

    def search(start: int) -> tuple[Floats, Rows]:
        rows = slice(start, start + plan.rows_a_block)
        return _search(matrix[rows], start, plan, words, None if candidates is None else ~candidates[rows])

    starts = range(0, len(matrix), plan.rows_a_block)
    with threadpool_limits(limits=1), ThreadPoolExecutor(threads) as pool:
        for first in range(0, len(starts), threads):
            yield from pool.map(search, starts[first : first + threads])


def _search(
    block: Matrix, start: int, plan: _Questions, words: Floats, barred: NDArray[np.bool_] | None
) -> tuple[Floats, Rows]:
    """The best words of one block of the vocabulary, which begins at row ``start``.

    Returns
    -------
    scores and rows, shape (2, Q) each
        first 3CosAdd, then 3CosMul.
    """
    units = unit_rows(block)
    cosines = words @ units.T
    shifted = (cosines + np.float32(1)) / np.float32(2)
    np.clip(shifted, 0.0, 1.0, out=shifted)
    first, second = plan.pairs.T
    differences = cosines[second] - cosines[first]
    ratios = shifted[second] / (shifted[first] + plan.epsilon)
    if barred is not None:
        cosines[:, barred], shifted[:, barred] = -np.inf, 0.0
    _exclude(plan, start, len(units), cosines, shifted, differences, ratios)
    scores = np.empty((2, len(plan.third)), dtype=np.float32)
    rows = np.empty((2, len(plan.third)), dtype=np.int64)
    for pair, asked in enumerate(plan.by_pair):
        third = plan.third[asked]
        every = np.arange(len(asked))
        for method, table in enumerate((cosines[third], shifted[third])):
            if method == 0:
                table += differences[pair]
            else:
                table *= ratios[pair]
            winner = table.argmax(axis=1)
            scores[method, asked] = table[every, winner]
            rows[method, asked] = winner + start
    return scores, rows


def _exclude(
    plan: _Questions, start: int, size: int, cosines: Floats, shifted: Floats, differences: Floats, ratios: Floats
) -> None:
    """Make the given words lose: -∞ in sums, 0 in products."""
    columns = plan.words - start
    inside = np.flatnonzero((columns >= 0) & (columns < size))
    cosines[inside, columns[inside]] = -np.inf
    shifted[inside, columns[inside]] = 0.0
    for place in (0, 1):
        given = columns[plan.pairs[:, place]]
        within = np.flatnonzero((given >= 0) & (given < size))
        differences[within, given[within]] = -np.inf
        ratios[within, given[within]] = 0.0
