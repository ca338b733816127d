"""Word similarity: details of the metric on the demo's pairs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from tasks.base import Context
from tasks.datasets.examples import ScoredPair
from tasks.datasets.readers import LineByLine, scored_pair
from tasks.datasets.store import DataStore
from tasks.errors import NoScore
from tasks.intrinsic.similarity import distinct_pairs
from tasks.metrics.distances import paired_cosines, unit_rows
from tasks.report import assemble, describe
from tasks.results import UNITS, CellResult
from tasks.statistics.correlations import correlation_interval
from tasks.suites import DEMO
from tasks.vectors import Embedding
from tests.tasks.made import embedding, random_embedding

TASK = DEMO.task("sim-ws-353-all")
PAIRS = distinct_pairs(DataStore.default().load(TASK.dataset)[TASK.options["part"]])


def words_of(pairs: list[ScoredPair]) -> list[str]:
    return list(dict.fromkeys(word.lower() for pair in pairs for word in pair[:2]))


def evaluate(vectors: Embedding) -> CellResult:
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


def test_both_words_of_every_pair_are_its_units_known_or_not() -> None:
    outcomes = evaluate(random_embedding(words_of(PAIRS[:40]))).outcomes
    assert outcomes is not None
    assert outcomes.columns == ("predicted", "gold", *UNITS)
    first, second = (outcomes.column(name).astype(int) for name in UNITS)
    words = words_of(PAIRS)
    assert [(words[i], words[j]) for i, j in zip(first, second, strict=True)] == [
        (pair.first.lower(), pair.second.lower()) for pair in PAIRS
    ]
    assert outcomes.column("gold").tolist() == np.float32([pair.score for pair in PAIRS]).tolist()


def test_fewer_than_ten_known_pairs_give_no_score() -> None:
    with pytest.raises(NoScore, match="a score needs 10"):
        evaluate(random_embedding(words_of(PAIRS[:5])))


def test_zero_vectors_have_cosine_zero() -> None:
    rows = np.array([[0, 0], [3, 4]], dtype=np.float32)
    assert paired_cosines(rows, rows).tolist() == [0.0, 1.0]
    assert unit_rows(rows) == pytest.approx(np.array([[0, 0], [0.6, 0.8]]))


@pytest.mark.parametrize("number", [0, 0.1])
def test_constant_vectors_have_no_score(number: float) -> None:
    words = words_of(PAIRS)
    with pytest.raises(NoScore, match="same cosine"):
        evaluate(embedding(words, np.full((len(words), 3), number)))


def test_cosines_of_the_largest_numbers_are_finite() -> None:
    rows = np.full((1, 4), 3e38, dtype=np.float32)
    assert paired_cosines(rows, rows) == pytest.approx([1.0])
    assert unit_rows(rows) == pytest.approx(np.full((1, 4), 0.5))


def test_a_word_with_and_without_capitals_is_found_as_written_first() -> None:
    plain = random_embedding(words_of(PAIRS))
    capitals = [pair.first for pair in PAIRS if pair.first != pair.first.lower()]
    assert capitals
    added = random_embedding(list(dict.fromkeys(capitals)), seed=9)
    both = embedding([*plain.words, *added.words], np.concatenate([plain.matrix, added.matrix]))
    assert evaluate(both).n == evaluate(plain).n
    assert evaluate(both).score != evaluate(plain).score


def test_tied_scores_and_cosines_have_average_ranks() -> None:
    words = words_of(PAIRS)
    axes = np.eye(3, dtype=np.float32)[np.random.default_rng(4).integers(0, 3, size=len(words))]
    row = dict(zip(words, axes, strict=True))
    cosines = [float(row[pair.first.lower()] @ row[pair.second.lower()]) for pair in PAIRS]
    assert set(cosines) == {0.0, 1.0}
    assert evaluate(embedding(words, axes)).score == pytest.approx(
        spearmanr(cosines, [p.score for p in PAIRS]).statistic
    )


def test_the_interval_is_of_the_known_pairs_and_the_raw_figure_is_kept() -> None:
    vectors = random_embedding(words_of(PAIRS[:60]))
    measured = evaluate(vectors)
    assert measured.n < len(PAIRS)
    (reported,) = assemble(DEMO, describe(vectors), [measured], [], {}).results
    assert measured.outcomes is not None
    assert reported.interval == correlation_interval(measured.outcomes)
    known = np.isfinite(measured.outcomes.column("predicted"))
    assert known.sum() == measured.n
    alone = replace(measured.outcomes, values=measured.outcomes.values[known])
    assert reported.interval == pytest.approx(correlation_interval(alone))
    assert reported.secondary["rho"] == measured.score


def test_pairs_with_crlf_are_read() -> None:
    parts = LineByLine({"all": "file"}, scored_pair)(lambda path: b"tiger\tcat\t7.35\r\nbook\tpaper\t7.46\r\n")
    assert parts["all"] == [ScoredPair("tiger", "cat", 7.35), ScoredPair("book", "paper", 7.46)]
