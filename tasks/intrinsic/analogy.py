"""Analogy questions: do differences of vectors carry relations between words? (docs/protocol.md §4.2)

With unit vectors, 3CosAdd maximises cos(b) + cos(c) - cos(a) (Mikolov et al. 2013) and 3CosMul maximises
cos(b) · cos(c) / (cos(a) + ε) with cosines mapped to [0, 1] (Levy & Goldberg 2014, §6). Both combine a function of the
pair (a, b) with a function of c. Questions combine every pair with every other, so each function is computed once per
pair, and a question costs one addition (or multiplication) and one comparison per word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.datasets.examples import AnalogyQuestion
from tasks.errors import NoScore
from tasks.metrics.distances import unit_rows
from tasks.results import CellResult, Coverage, Mode, Outcomes, Predictions
from tasks.secondary import AnalogyFigures, AnalogyShares, CategoryCounts
from tasks.vectors import LOWER_CASED, UNKNOWN, Embedding, LookUp, Matrix, Rows

SEMANTIC_CATEGORIES = 5
"""The first five categories of the Google set are semantic, the others syntactic."""
Flags = NDArray[np.bool_]
_BYTES_A_BLOCK = 96 * 2**20
_MOST_ROWS, _FEWEST_ROWS = 8_192, 64
Floats = NDArray[np.float32]


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """Precision at 1 of 3CosAdd in the whole vocabulary, over the questions whose four words are all known.

    ``outcomes`` has a row for every question, with ``total`` 0 and no predicted word if a word is unknown, and the
    numbers of its two word pairs and its category. ``secondary``: numbers of ``known`` and of all ``questions``;
    ``strict`` (an unknown word makes a question wrong); ``semantic`` and ``syntactic``, each known and strict;
    ``categories`` with their counts; ``cosmul``: the same for 3CosMul. A share of no known question is None. If the
    look-up ignores case, only words that it can find are candidates.

    Raises
    ------
    NoScore
        no question has four known words.
    DataUnavailable
        the data set is missing.
    """
    watch = Stopwatch(task, mode, context)
    questions = [q for q in context.data.load(task.data)[task.options["part"]] if isinstance(q, AnalogyQuestion)]
    rows = context.suite.look_up.rows(embedding, [word for q in questions for word in q[1:]]).reshape(-1, 4)
    is_known = (rows != UNKNOWN).all(axis=1)
    count = int(is_known.sum())
    if count == 0:
        raise NoScore(f"None of the {len(questions):,} questions has all four words among the vectors' words.")
    best = answers(
        embedding.matrix,
        rows[is_known, :3],
        epsilon=task.family.constants["epsilon"],
        candidates=candidates(embedding, context.suite.look_up),
        threads=context.threads,
        progress=lambda share: context.progress(share, f"{count:,} questions"),
    )
    right, right_by_product = np.zeros((2, len(questions)), dtype=bool)
    right[is_known] = best.add == rows[is_known, 3]
    right_by_product[is_known] = best.multiply == rows[is_known, 3]
    drawn = dict(zip(task.metric.unit_columns, word_pairs(questions), strict=True))
    gold, predicted = [question.d for question in questions], [""] * len(questions)
    for place, row, answer in zip(np.flatnonzero(is_known), rows[is_known, 3], best.add, strict=True):
        # The look-up may find a word in another case: a right answer is shown as it is asked for.
        predicted[place] = gold[place] if answer == row else str(embedding.words[answer]) if answer >= 0 else ""
    outcomes = Outcomes.of(correct=right, total=is_known, **drawn)
    categories = [question.category for question in questions]
    semantic = task.options.get("semantic_categories", SEMANTIC_CATEGORIES)
    secondary: AnalogyFigures = {
        "known": count,
        "correct": int(right.sum()),
        "questions": len(questions),
        **precision_shares(categories, right, is_known, semantic),
        "cosmul": precision_shares(categories, right_by_product, is_known, semantic),
    }
    return watch.result(
        score=task.metric.of(outcomes),
        n=count,
        coverage=Coverage(tokens=float(np.mean(rows != UNKNOWN)), types=count / len(questions)),
        secondary=secondary,
        outcomes=replace(outcomes, predictions=Predictions.of_labels(gold, predicted)),
    )


def word_pairs(questions: Sequence[AnalogyQuestion]) -> tuple[Rows, Rows, Rows]:
    """Numbers from 0 of the two word pairs of each question, and of its category, shape (Q,) each.

    A pair has one number within its category, in either order: thousands of questions combine a few hundred pairs.
    """
    categories = {category: i for i, category in enumerate(dict.fromkeys(q.category for q in questions))}
    numbers: dict[tuple[str, frozenset[str]], int] = {}
    pairs = [
        numbers.setdefault((question.category, frozenset(words)), len(numbers))
        for question in questions
        for words in ((question.a, question.b), (question.c, question.d))
    ]
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return first, second, np.array([categories[question.category] for question in questions])


def candidates(embedding: Embedding, look_up: LookUp) -> Flags | None:
    """Rows of possible answers, shape (V,); None: all. Of words that differ only in case, the one found by look-up."""
    if look_up != LOWER_CASED:
        return None
    return np.equal(embedding.find_lower_cased(embedding.words), np.arange(len(embedding.words)))


def precision_shares(
    categories: list[str], right: Flags, is_known: Flags, semantic_categories: int = SEMANTIC_CATEGORIES
) -> AnalogyShares:
    """Precision at 1 overall and by groups of categories, and the counts of every category.

    Parameters
    ----------
    categories : category of each of Q questions.
    right, known : shape (Q,).
    semantic_categories : number of leading semantic categories; the others are syntactic.
    """
    names = list(dict.fromkeys(categories))
    number = {name: i for i, name in enumerate(names)}
    of_question = np.array([number[category] for category in categories])
    semantic = of_question < semantic_categories
    counts: dict[str, CategoryCounts] = {}
    for i, name in enumerate(names):
        chosen = of_question == i
        counts[name] = {
            "correct": int(right[chosen].sum()),
            "known": int(is_known[chosen].sum()),
            "questions": int(chosen.sum()),
        }
    return {
        "total": _share(right, is_known),
        "strict": float(right.mean()),
        "semantic": _share(right, is_known & semantic),
        "semantic_strict": _share(right, semantic),
        "syntactic": _share(right, is_known & ~semantic),
        "syntactic_strict": _share(right, ~semantic),
        "categories": counts,
    }


def _share(flags: Flags, among: Flags) -> float | None:
    return float(flags[among].mean()) if among.any() else None


@dataclass(frozen=True)
class AnswerRows:
    """Row of the best word for every question, -1 without one; shape (Q,) each."""

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
        """Vocabulary rows per block, such that their tables (two per word, two per pair) fit into memory."""
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
    """The best word of the whole vocabulary for each question, other than its three words.

    Of equal scores the first word in the file wins. The result does not depend on ``threads``. A zero vector has
    cosine 0 with everything.

    Parameters
    ----------
    matrix : float32, shape (V, D), possibly memory-mapped; read once, block by block.
    questions : rows of a, b and c, shape (Q, 3), Q ≥ 1.
    epsilon : added to 3CosMul's divisor (Levy & Goldberg 2014).
    candidates : rows of possible answers, shape (V,); None: all.
    threads : number of threads, about 200 MB each.
    progress : called with the share of the vocabulary done, in [0, 1].

    Returns
    -------
    AnswerRows

    >>> matrix = np.float32([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 1]])
    >>> answers(matrix, np.array([[0, 1, 2]]), epsilon=0.001).add.tolist()
    [3]
    """
    plan = _Questions(questions, epsilon)
    words = unit_rows(matrix[plan.words])
    best = np.full((2, len(questions)), -np.inf, dtype=np.float32)
    best[1] = 0.0  # excluded words score 0 in 3CosMul
    rows = np.full((2, len(questions)), -1, dtype=np.int64)
    done = 0
    for scores, block_rows in _blocks(matrix, plan, words, candidates, threads):
        better = scores > best
        best[better], rows[better] = scores[better], block_rows[better]
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
    for pair, places in enumerate(plan.by_pair):
        third = plan.third[places]
        every = np.arange(len(places))
        for method, table in enumerate((cosines[third], shifted[third])):
            if method == 0:
                table += differences[pair]
            else:
                table *= ratios[pair]
            winner = table.argmax(axis=1)
            scores[method, places] = table[every, winner]
            rows[method, places] = winner + start
    return scores, rows


def _exclude(
    plan: _Questions, start: int, size: int, cosines: Floats, shifted: Floats, differences: Floats, ratios: Floats
) -> None:
    """Exclude the words of the questions: -∞ in sums, 0 in products."""
    columns = plan.words - start
    inside = np.flatnonzero((columns >= 0) & (columns < size))
    cosines[inside, columns[inside]] = -np.inf
    shifted[inside, columns[inside]] = 0.0
    for place in (0, 1):
        pair_columns = columns[plan.pairs[:, place]]
        within = np.flatnonzero((pair_columns >= 0) & (pair_columns < size))
        differences[within, pair_columns[within]] = -np.inf
        ratios[within, pair_columns[within]] = 0.0
