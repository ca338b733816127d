"""Association tests, à la carte contexts and drift in a plain implementation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from gensim.models import KeyedVectors
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes

from tasks.associations.contexts import WINDOW, Tokens
from tasks.associations.weat import AssociationQuestion

Floats = NDArray[np.float64]


def weat(vectors: Mapping[str, Floats], question: AssociationQuestion, draws: int, resamples: int) -> tuple[float, ...]:
    """d, p and the bounds of the interval, one permutation and one resample at a time; then p of every single word."""
    x, y, a, b = (np.stack([vectors[word] for word in each.words]) for each in question.lists)
    targets, attributes = np.concatenate([x, y]), np.concatenate([a, b])
    cosines = attributes @ targets.T
    nearness = cosines[: len(a)].mean(axis=0) - cosines[len(a) :].mean(axis=0)
    generator, first = np.random.default_rng(0), len(x)
    observed = nearness[:first].sum()
    reached = sum(generator.permutation(nearness)[:first].sum() >= observed for _ in range(draws))
    alone, limits = np.zeros(len(targets)), cosines[: len(a)].sum(axis=0)
    for _ in range(draws):
        alone += cosines[generator.permutation(len(attributes))[: len(a)]].sum(axis=0) >= limits
    drawn = []
    for _ in range(resamples):
        left, right = generator.choice(nearness[:first], first), generator.choice(nearness[first:], len(y))
        drawn.append((left.mean() - right.mean()) / np.concatenate([left, right]).std(ddof=1))
    d = (nearness[:first].mean() - nearness[first:].mean()) / nearness.std(ddof=1)
    return float(d), (reached + 1) / (draws + 1), *np.quantile(drawn, [0.025, 0.975]).tolist()


def mean_contexts(tokens: Tokens, rows: NDArray[np.int64], vectors: Floats) -> Floats:
    """Mean context of every type, token by token."""
    sums, counts = np.zeros((len(tokens.types), vectors.shape[1])), np.zeros(len(tokens.types))
    ends = np.flatnonzero(np.diff(tokens.paragraphs)) + 1
    for paragraph in np.split(tokens.ids, ends):
        paragraph_rows = rows[paragraph].tolist()
        for place, token in enumerate(paragraph.tolist()):
            near = [*paragraph_rows[max(0, place - WINDOW) : place], *paragraph_rows[place + 1 : place + 1 + WINDOW]]
            near = [row for row in near if row >= 0]
            if near:
                sums[token] += vectors[near].mean(axis=0)
                counts[token] += 1
    return sums / np.maximum(counts, 1)[:, None]


def aligned_change(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """1 − cosine of every word after SciPy's alignment."""
    rotation, _ = orthogonal_procrustes(left, right)
    change: NDArray[np.float32] = 1 - ((left @ rotation) * right).sum(axis=1)
    return change


def resampled_changes(
    left: NDArray[np.float32], right: NDArray[np.float32], places: Sequence[int], resamples: int
) -> NDArray[np.float32]:
    """The change of some words, with anchor words drawn again for every resample."""
    generator = np.random.default_rng(0)
    changes = []
    for _ in range(resamples):
        drawn = generator.integers(0, len(left), len(left))
        rotation, _ = orthogonal_procrustes(left[drawn], right[drawn])
        changes.append(1 - ((left[list(places)] @ rotation) * right[list(places)]).sum(axis=1))
    return np.array(changes)


def changed_neighbours(left: KeyedVectors, right: KeyedVectors, words: Sequence[str], count: int) -> list[float]:
    """1 − Jaccard index of gensim's nearest words, word by word."""
    changes = []
    for word in words:
        a, b = ({name for name, _ in side.most_similar(word, topn=count)} for side in (left, right))
        changes.append(1 - len(a & b) / len(a | b))
    return changes
