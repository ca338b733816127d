"""Controls: vectors that know nothing of language, for what a score is worth."""

from __future__ import annotations

import numpy as np

from tasks.vectors import Embedding


def random_vectors(like: Embedding, seed: int = 0) -> Embedding:
    """Gaussian vectors for the same words, of the same shape and standard deviation."""
    generator = np.random.default_rng(seed)
    deviation = like.moments.standard_deviation
    matrix = generator.normal(0.0, deviation, like.matrix.shape).astype(np.float32)
    return Embedding.of("random", like.words, matrix, like.language)
