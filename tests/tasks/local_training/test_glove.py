"""GloVe: its loss against a plain program that takes one pair at a time, seeds, stopping."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from tasks.baseline.counting import cooccurrences, encode
from tasks.errors import InputError
from tasks.local_training.glove import GloveSettings, train_glove


@pytest.fixture(scope="module")
def counts() -> sparse.csr_array:
    """Co-occurrences of a small text of 60 words in which words of a topic occur together."""
    generator = np.random.default_rng(0)
    topics = generator.integers(0, 6, 400)
    lines = [" ".join(f"w{10 * topic + int(10 * generator.random() ** 2)}" for _ in range(12)) for topic in topics]
    return cooccurrences(encode(lines, minimum_count=2, gap=4), window=4, weighting="harmonic")


def one_after_the_other(counts: sparse.csr_array, settings: GloveSettings, iterations: int, seed: int) -> list[float]:
    """The authors' loop: mean loss of every iteration."""
    generator = np.random.default_rng(seed)
    size, d, rate = counts.shape[0], settings.dimensions, settings.learning_rate
    vectors, contexts = ((generator.random((size, d)) - 0.5) / d for _ in range(2))
    biases, context_biases = ((generator.random(size) - 0.5) / d for _ in range(2))
    sums = [np.ones((size, d)), np.ones((size, d)), np.ones(size), np.ones(size)]
    pairs = counts.tocoo()
    losses = []
    for _ in range(iterations):
        total = 0.0
        for k in generator.permutation(counts.nnz):
            i, j, x = pairs.coords[0][k], pairs.coords[1][k], pairs.data[k]
            error = vectors[i] @ contexts[j] + biases[i] + context_biases[j] - math.log(x)
            slope = min(1.0, (x / settings.x_max) ** settings.alpha) * error
            total += slope * error
            moves = (rate * slope * contexts[j], rate * slope * vectors[i], rate * slope, rate * slope)
            for side, summed, row, move in zip(
                (vectors, contexts, biases, context_biases), sums, (i, j, i, j), moves, strict=True
            ):
                side[row] -= move / np.sqrt(summed[row])
                summed[row] += np.square(move)
        losses.append(total / counts.nnz)
    return losses


def test_it_converges_to_the_loss_of_one_pair_after_the_other(counts: sparse.csr_array) -> None:
    settings = GloveSettings(dimensions=8, tolerance=0.0, max_iterations=15)
    expected = one_after_the_other(counts, settings, iterations=15, seed=0)
    found = train_glove(counts, settings, seed=0).losses
    assert found[-3:] == pytest.approx(expected[-3:], rel=0.02)


def test_words_that_meet_nearly_every_other_do_not_shake_the_loss() -> None:
    generator = np.random.default_rng(3)
    lines = [" ".join(f"w{n}" for n in np.minimum(generator.zipf(1.3, 20), 500)) for _ in range(500)]
    counts = cooccurrences(encode(lines, minimum_count=2, gap=1), window=1, weighting="harmonic")
    settings = GloveSettings(dimensions=20, tolerance=0.0, max_iterations=12)
    expected = [one_after_the_other(counts, settings, iterations=12, seed=seed)[-1] for seed in range(3)]
    found = [train_glove(counts, settings, seed).losses[-1] for seed in range(3)]
    # Seeds differ by 7 %; in two large batches the loss is 15 % higher.
    assert np.mean(found) == pytest.approx(np.mean(expected), rel=0.08)


def test_words_of_a_topic_end_up_near_each_other(counts: sparse.csr_array) -> None:
    matrix = train_glove(counts, GloveSettings(dimensions=8), 0).matrix
    pairs = counts.tocoo()
    often = pairs.data > np.quantile(pairs.data, 0.9)
    products = matrix @ matrix.T
    assert products[pairs.coords[0][often], pairs.coords[1][often]].mean() > products.mean() + products.std()


def test_a_seed_means_the_same_vectors_and_another_seed_others(counts: sparse.csr_array) -> None:
    settings = GloveSettings(dimensions=5, max_iterations=3)
    first, again, other = (train_glove(counts, settings, seed).matrix for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.allclose(first, other)


def test_it_stops_when_the_loss_hardly_changes(counts: sparse.csr_array) -> None:
    found = train_glove(counts, GloveSettings(dimensions=5, tolerance=0.05), 0)
    changes = np.abs(np.diff(found.losses)) / np.array(found.losses[:-1])
    assert found.converged
    assert changes[-1] < 0.05 <= changes[:-1].min()


def test_it_says_when_it_did_not_converge(counts: sparse.csr_array) -> None:
    found = train_glove(counts, GloveSettings(dimensions=5, max_iterations=2), 0)
    assert (found.converged, len(found.losses)) == (False, 2)


def test_it_refuses_a_text_in_which_no_words_meet() -> None:
    with pytest.raises(InputError, match="too small"):
        train_glove(sparse.csr_array((3, 3)), GloveSettings(), 0)
