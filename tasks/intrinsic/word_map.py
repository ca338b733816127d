"""A map of frequent words in the plane by t-SNE, coloured by supersense.

The map's words are the 1,000 words of at least two letters from the English supersense oracle that are most frequent in
the prescribed corpus text of ``open-2026``, ties in alphabetical order. ``python -m tasks.intrinsic.word_map`` prints
this list, which is stored in ``map_words.txt``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from tasks.base import Context, Task
from tasks.baseline.corpus_text import corpus_lines
from tasks.cells import Stopwatch
from tasks.datasets.store import DataStore
from tasks.errors import NoScore
from tasks.intrinsic.qvec import Oracle, oracle_of
from tasks.metrics.distances import unit_rows
from tasks.results import CellResult, Coverage, Mode
from tasks.secondary import MapFigures
from tasks.suites import OPEN_2026
from tasks.vectors import UNKNOWN, Embedding, Matrix

COUNT = 1_000
ORACLE_PART = "semcor_noun_verb.supersenses.en"


def evaluate(task: Task, embedding: Embedding, mode: Mode | None, context: Context) -> CellResult:
    """Positions of the suite's 1,000 words in the plane; the score is their trustworthiness.

    Seeded, on unit vectors. ``secondary``: ``words``, their positions ``x`` and ``y`` in [0, 1] on one scale, and their
    ``supersenses`` (None: not in the oracle).

    Raises
    ------
    NoScore
        fewer than 50 of the words are known, or too few of their vectors differ.
    DataUnavailable
        the oracle is missing.
    """
    watch = Stopwatch(task, mode, context)
    listed = map_words()
    senses = supersenses(oracle_of(context.data.load(task.data)[ORACLE_PART]))
    rows = context.suite.look_up.rows(embedding, listed)
    is_known = rows != UNKNOWN
    words = [word for word, there in zip(listed, is_known, strict=True) if there]
    least = task.family.number("least known")
    if len(words) < least:
        raise NoScore(
            f"The vocabulary has {len(words)} of the map's {len(listed):,} words; a map needs at least {least}."
        )
    units = unit_rows(embedding.matrix[rows[is_known]])
    if len(np.unique(units, axis=0)) < least:
        raise NoScore("The vectors of the map's words are too much alike to be told apart on a map.")
    context.progress(0.1, f"t-SNE of {len(words)} words")
    plane, trust = positions(units, task.options["perplexity"], task.options["seed"], task.family.number("neighbours"))
    share = len(words) / len(listed)
    return watch.result(
        score=trust,
        n=len(words),
        coverage=Coverage(share, share),
        secondary=MapFigures(
            words=words,
            x=[round(float(x), 4) for x in plane[:, 0]],
            y=[round(float(y), 4) for y in plane[:, 1]],
            supersenses=[senses.get(word) for word in words],
        ),
    )


def positions(units: Matrix, perplexity: float, seed: int, neighbours: int) -> tuple[NDArray[np.float64], float]:
    """t-SNE positions, shape (n, 2), moved and scaled into the unit square, and their trustworthiness.

    Parameters
    ----------
    units : n unit vectors, shape (n, D).
    neighbours : number of neighbours per word for trustworthiness.
    """
    from sklearn.manifold import TSNE, trustworthiness

    model = TSNE(2, perplexity=min(perplexity, (len(units) - 1) / 3), init="pca", random_state=seed, n_jobs=1)
    with threadpool_limits(limits=1):
        plane = model.fit_transform(units).astype(np.float64)
        trust = float(trustworthiness(units, plane, n_neighbors=neighbours))
    corner = plane.min(axis=0)
    return (plane - corner) / max(float(np.ptp(plane, axis=0).max()), 1e-12), trust


def supersenses(oracle: Oracle) -> dict[str, str]:
    """Each word's supersense with the largest weight (``noun.person``); of equal ones the alphabetically first."""
    best = oracle.weights.argmax(axis=1)
    return {
        word: oracle.properties[i].removeprefix("semcor.") for word, i in zip(oracle.words, best.tolist(), strict=True)
    }


STORED = Path(__file__).with_name("map_words.txt")


@lru_cache(maxsize=1)
def map_words() -> tuple[str, ...]:
    """The stored list, most frequent first."""
    return tuple(STORED.read_text(encoding="utf-8").split())


def most_frequent(lines: Iterable[str], among: Iterable[str], count: int = COUNT) -> list[str]:
    """The words of ``among`` that occur most often in lines of tokens."""
    candidates = {word for word in among if word.isalpha() and len(word) > 1}
    counts = Counter(token for line in lines for token in line.split(" ") if token in candidates)
    return sorted(counts, key=lambda word: (-counts[word], word))[:count]


def regenerated(store: DataStore) -> list[str]:
    """The map's words, computed from their sources.

    Raises
    ------
    DataUnavailable
        the corpus or the oracle is missing.
    """
    return most_frequent(corpus_lines(OPEN_2026, store), oracle_of(store.load("qvec")[ORACLE_PART]).words)


if __name__ == "__main__":
    print("\n".join(regenerated(DataStore.default())))
