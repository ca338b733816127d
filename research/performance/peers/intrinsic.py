"""Word tasks by gensim, and plain implementations of the papers on QVEC and DistRatio."""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors

from tasks.datasets.examples import ScoredPair
from tasks.vectors import Embedding, Matrix


def keyed_vectors(embedding: Embedding) -> KeyedVectors:
    """The same vectors for gensim."""
    vectors = KeyedVectors(embedding.dimensions)
    vectors.add_vectors(list(embedding.words), embedding.matrix)
    return vectors


def gensim_analogies(vectors: KeyedVectors, questions: Path) -> float:
    """Precision at 1 over the whole vocabulary, comparing words in upper case."""
    score, _ = vectors.evaluate_word_analogies(str(questions), restrict_vocab=len(vectors))
    return float(score)


def gensim_pairs(vectors: KeyedVectors, sets: Mapping[str, Sequence[ScoredPair]]) -> list[float]:
    """Spearman's ρ of each set; the sets are written to files, as gensim reads only files."""
    correlations = []
    with tempfile.TemporaryDirectory() as directory:
        for name, pairs in sets.items():
            path = Path(directory) / name
            path.write_text("".join(f"{pair.first}\t{pair.second}\t{pair.score}\n" for pair in pairs), encoding="utf-8")
            _, spearman, _ = vectors.evaluate_word_pairs(str(path), restrict_vocab=len(vectors))
            correlations.append(float(spearman.statistic))
    return correlations


def qvec_by_loops(vectors: Sequence[Sequence[float]], properties: Sequence[Sequence[float]]) -> float:
    """Tsvetkov et al. (2015), §2: each dimension's largest correlation, one pair of columns at a time."""
    total = 0.0
    for i in range(len(vectors[0])):
        x = [row[i] for row in vectors]
        best = -1.0
        for j in range(len(properties[0])):
            best = max(best, _pearson(x, [row[j] for row in properties]))
        total += best
    return total


def _pearson(x: Sequence[float], y: Sequence[float]) -> float:
    n = len(x)
    mean_x, mean_y = sum(x) / n, sum(y) / n
    products = squares_x = squares_y = 0.0
    for a, b in zip(x, y, strict=True):
        products += (a - mean_x) * (b - mean_y)
        squares_x += (a - mean_x) ** 2
        squares_y += (b - mean_y) ** 2
    return products / math.sqrt(squares_x * squares_y) if squares_x and squares_y else -1.0


def intrusion_by_sorting(matrix: Matrix, k: int, runs: int) -> list[float]:
    """DistRatio of each run: every dimension fully sorted, words drawn until one is prominent elsewhere."""
    words, dimensions = matrix.shape
    orders = [np.argsort(-matrix[:, i]) for i in range(dimensions)]
    tenths = [set(order[: words // 10].tolist()) for order in orders]
    means = []
    for run in range(runs):
        drawing, ratios = random.Random(run), []
        for i, order in enumerate(orders):
            top = order[:k].tolist()
            while True:
                intruder = int(order[drawing.randrange(words - words // 2, words)])
                if any(intruder in tenth for j, tenth in enumerate(tenths) if j != i):
                    break
            inner = [_distance(matrix, a, b) for a in top for b in top if a != b]
            outer = [_distance(matrix, a, intruder) for a in top]
            ratios.append((sum(outer) / len(outer)) / (sum(inner) / len(inner)))
        means.append(sum(ratios) / len(ratios))
    return means


def _distance(matrix: Matrix, a: int, b: int) -> float:
    return float(np.linalg.norm(matrix[a].astype(np.float64) - matrix[b].astype(np.float64)))
