"""Analogy questions: do differences of vectors carry relations between words? (docs/protocol.md §4.2)"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.base import Context, Task
from tasks.cells import Stopwatch
from tasks.datasets.examples import AnalogyQuestion
from tasks.errors import NoScore
from tasks.intrinsic.offsets import answers
from tasks.results import Coverage, Mode, Outcomes, TaskResult
from tasks.secondary import AnalogyFigures, AnalogyShares, CategoryCounts
from tasks.vectors import LOWER_CASED, UNKNOWN, Embedding, LookUp

SEMANTIC_CATEGORIES = 5
"""The first five categories of the Google set are semantic, the others syntactic."""
Flags = NDArray[np.bool_]
Rows = NDArray[np.int64]


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> TaskResult:
    """Precision at 1 of 3CosAdd in the whole vocabulary, over the questions whose four words are all known.

    ``outcomes`` has a row for every question, with ``total`` 0 if a word is unknown, and the numbers of its two word
    pairs and its category. ``secondary``: numbers of ``known`` and of all ``questions``; ``strict`` (an unknown word
    makes a question wrong); ``semantic`` and ``syntactic``, each known and strict; ``categories`` with their counts;
    ``cosmul``: the same for 3CosMul. A figure over no known question is None. If the look-up ignores case, words of the
    file that it cannot find are not candidates either.

    Raises
    ------
    NoScore
        in no question are all four words known.
    DataUnavailable
        the data set is missing.
    """
    watch = Stopwatch(task, mode, context)
    questions = [q for q in context.data.load(task.data)[task.options["part"]] if isinstance(q, AnalogyQuestion)]
    rows = context.suite.look_up.rows(embedding, [word for q in questions for word in q[1:]]).reshape(-1, 4)
    known = (rows != UNKNOWN).all(axis=1)
    count = int(known.sum())
    if count == 0:
        raise NoScore(f"None of the {len(questions):,} questions has all four words among the vectors' words.")
    found = answers(
        embedding.matrix,
        rows[known, :3],
        epsilon=task.family.constants["epsilon"],
        candidates=candidates(embedding, context.suite.look_up),
        threads=context.threads,
        progress=lambda share: context.progress(share, f"{count:,} questions"),
    )
    right, right_by_product = np.zeros((2, len(questions)), dtype=bool)
    right[known] = found.add == rows[known, 3]
    right_by_product[known] = found.multiply == rows[known, 3]
    drawn = dict(zip(task.metric.drawn_columns, word_pairs(questions), strict=True))
    outcomes = Outcomes.of(correct=right, total=known, **drawn)
    categories = [question.category for question in questions]
    semantic = task.options.get("semantic_categories", SEMANTIC_CATEGORIES)
    secondary: AnalogyFigures = {
        "known": count,
        "correct": int(right.sum()),
        "questions": len(questions),
        **figures(categories, right, known, semantic),
        "cosmul": figures(categories, right_by_product, known, semantic),
    }
    return watch.result(
        score=task.metric.of(outcomes),
        n=count,
        coverage=Coverage(tokens=float(np.mean(rows != UNKNOWN)), types=count / len(questions)),
        secondary=secondary,
        outcomes=outcomes,
    )


def word_pairs(questions: Sequence[AnalogyQuestion]) -> tuple[Rows, Rows, Rows]:
    """Numbers from 0 of the two word pairs of each question, and of its category, shape (Q,) each.

    Within a category, a pair keeps its number in either order: thousands of questions combine a few hundred pairs.
    """
    categories = {category: i for i, category in enumerate(dict.fromkeys(q.category for q in questions))}
    numbers: dict[tuple[str, frozenset[str]], int] = {}
    found = [
        numbers.setdefault((question.category, frozenset(words)), len(numbers))
        for question in questions
        for words in ((question.a, question.b), (question.c, question.d))
    ]
    first, second = np.array(found, dtype=np.int64).reshape(-1, 2).T
    return first, second, np.array([categories[question.category] for question in questions])


def candidates(embedding: Embedding, look_up: LookUp) -> Flags | None:
    """Rows that can be an answer, shape (V,); None: all. Of words that differ only in case, the one found."""
    if look_up != LOWER_CASED:
        return None
    return np.equal(embedding.find_lower_cased(embedding.words), np.arange(len(embedding.words)))


def figures(
    categories: list[str], right: Flags, known: Flags, semantic_categories: int = SEMANTIC_CATEGORIES
) -> AnalogyShares:
    """Precision at 1 overall and by groups of categories, and the counts of every category.

    Parameters
    ----------
    categories : category of each of Q questions.
    right, known : shape (Q,).
    semantic_categories : number of leading categories that are semantic; the others are syntactic.
    """
    names = list(dict.fromkeys(categories))
    number = {name: i for i, name in enumerate(names)}
    of_question = np.array([number[category] for category in categories])
    semantic = of_question < semantic_categories
    counts = {name: _counts(right, known, of_question == i) for i, name in enumerate(names)}
    return {
        "total": _precision(right, known, np.ones(len(categories), dtype=bool)),
        "strict": float(right.mean()),
        "semantic": _precision(right, known, semantic),
        "semantic_strict": _share(right, semantic),
        "syntactic": _precision(right, known, ~semantic),
        "syntactic_strict": _share(right, ~semantic),
        "categories": counts,
    }


def _counts(right: Flags, known: Flags, chosen: Flags) -> CategoryCounts:
    return {
        "correct": int(right[chosen].sum()),
        "known": int(known[chosen].sum()),
        "questions": int(chosen.sum()),
    }


def _precision(right: Flags, known: Flags, chosen: Flags) -> float | None:
    return _share(right, known & chosen)


def _share(flags: Flags, among: Flags) -> float | None:
    return float(flags[among].mean()) if among.any() else None
