"""Word similarity: the metric's fine print on the demo's pairs, and the golden values of the sources' own programs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from tasks.base import Context
from tasks.datasets import DataStore
from tasks.datasets.examples import ScoredPair
from tasks.errors import NoScore
from tasks.intrinsic.similarity import distinct_pairs
from tasks.metrics.cosine import paired_cosines, unit_rows
from tasks.results import TaskResult
from tasks.suites import DEMO, OPEN_2026
from tasks.vector_files import read
from tasks.vectors import Embedding, Matrix, content_hash

GOLDEN = Path(__file__).resolve().parents[3] / "shared" / "golden"
TASK = DEMO.task("sim-ws-353-all")
PAIRS = distinct_pairs(DataStore.default().load(TASK.dataset)[TASK.options["part"]])


def embedding(words: list[str], matrix: Matrix) -> Embedding:
    return Embedding("test", words, matrix, content_hash(words, matrix))


def random_embedding(words: list[str], seed: int = 0) -> Embedding:
    return embedding(words, np.random.default_rng(seed).standard_normal((len(words), 8)).astype(np.float32))


def words_of(pairs: list[ScoredPair]) -> list[str]:
    return list(dict.fromkeys(word.lower() for pair in pairs for word in pair[:2]))


def evaluate(vectors: Embedding) -> TaskResult:
    return TASK.family.evaluate(TASK, vectors, None, Context(DEMO, DataStore.default(), range(1)))


def test_a_repeated_ordered_pair_counts_once_with_its_last_score() -> None:
    pairs = [ScoredPair("a", "b", 1.0), ScoredPair("b", "a", 2.0), ScoredPair("a", "b", 3.0)]
    assert distinct_pairs(pairs) == [ScoredPair("a", "b", 3.0), ScoredPair("b", "a", 2.0)]


def test_the_score_is_the_rank_correlation_of_cosines_and_human_scores() -> None:
    vectors = random_embedding(words_of(PAIRS))
    row = {word: vectors.matrix[i].astype(float) for i, word in enumerate(vectors.words)}
    ends = [(row[pair.first.lower()], row[pair.second.lower()]) for pair in PAIRS]
    cosines = [a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in ends]
    measured = evaluate(vectors)
    assert measured.score == pytest.approx(spearmanr(cosines, [pair.score for pair in PAIRS]).statistic)
    assert (measured.n, measured.coverage.types, measured.coverage.tokens) == (len(PAIRS), 1.0, 1.0)


def test_pairs_with_an_unknown_word_are_left_out_and_counted() -> None:
    measured = evaluate(random_embedding(words_of(PAIRS[:40])))
    assert 40 <= measured.n < len(PAIRS)
    assert measured.secondary["known"] == measured.n
    assert measured.secondary["pairs"] == len(PAIRS)
    assert measured.secondary["unknown_as_zero"] != measured.score
    assert measured.coverage.types == measured.n / len(PAIRS)
    assert measured.outcomes is not None
    assert np.isfinite(measured.outcomes.values[:, 0]).sum() == measured.n


def test_fewer_than_ten_known_pairs_is_no_score() -> None:
    with pytest.raises(NoScore, match="at least 10"):
        evaluate(random_embedding(words_of(PAIRS[:5])))


def test_zero_vectors_have_cosine_zero() -> None:
    rows = np.array([[0, 0], [3, 4]], dtype=np.float32)
    assert paired_cosines(rows, rows).tolist() == [0.0, 1.0]
    assert unit_rows(rows) == pytest.approx(np.array([[0, 0], [0.6, 0.8]]))


def test_all_zero_vectors_have_no_score() -> None:
    words = words_of(PAIRS)
    with pytest.raises(NoScore, match="same cosine"):
        evaluate(embedding(words, np.zeros((len(words), 3), dtype=np.float32)))


def test_cosines_of_the_largest_numbers_are_finite() -> None:
    rows = np.full((1, 4), 3e38, dtype=np.float32)
    assert paired_cosines(rows, rows) == pytest.approx([1.0])
    assert unit_rows(rows) == pytest.approx(np.full((1, 4), 0.5))


def test_vectors_times_128_score_bit_equal() -> None:
    vectors = random_embedding(words_of(PAIRS))
    larger = embedding(list(vectors.words), vectors.matrix * np.float32(128))
    assert evaluate(larger).score == evaluate(vectors).score


@pytest.mark.data
@pytest.mark.skipif(not GOLDEN.is_dir(), reason="the golden files are not there")
def test_wordsim_353_of_the_golden_file_is_that_of_eval_word_vectors() -> None:
    # The source's program adds 1e-6 to every component at each look-up and leaves ties uncorrected: the fifth decimal.
    expected = json.loads((GOLDEN / "sg-wiki-50.expected.json").read_text())["eval-word-vectors"]["EN-WS-353-ALL"]
    task = OPEN_2026.task("sim-ws-353-all")
    vectors = read(GOLDEN / "sg-wiki-50.txt.gz")
    measured = task.family.evaluate(task, vectors, None, Context(OPEN_2026, DataStore.default(), range(1)))
    assert measured.score == pytest.approx(expected["rho"], abs=1e-4)
    assert measured.secondary["pairs"] - measured.secondary["known"] == expected["not_found"]
