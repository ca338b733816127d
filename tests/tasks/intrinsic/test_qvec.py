"""QVEC and QVEC-CCA: the metrics against plain formulas, and edge cases."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import pearsonr

from tasks.base import Task
from tasks.datasets.examples import OracleWord
from tasks.datasets.readers import LineByLine, oracle_word
from tasks.errors import NoScore
from tasks.intrinsic.qvec import oracle_of
from tasks.metrics.correlation import alignment, canonical_correlations, column_correlations, qvec, qvec_cca
from tasks.results import CellResult, plain
from tasks.suites import OPEN_2026
from tests.tasks.intrinsic.conftest import Invented, measure
from tests.tasks.made import embedding, random_embedding

QVEC, CCA = OPEN_2026.task("qvec-en"), OPEN_2026.task("qvec-cca-en")
WORDS = [f"word{i}" for i in range(60)]


def oracle(properties: int = 3, words: int = 60, seed: int = 1) -> list[OracleWord]:
    weights = np.random.default_rng(seed).dirichlet(np.ones(properties), size=words)
    return [OracleWord(w, {f"p{j}": x for j, x in enumerate(row)}) for w, row in zip(WORDS, weights, strict=False)]


def evaluate(task: Task, vectors: object, entries: list[OracleWord]) -> CellResult:
    return measure(task, vectors, Invented({"qvec": {task.options["part"]: list(entries)}}))  # type: ignore[arg-type]


def random_pair(n: int = 40, d: int = 5, p: int = 4) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    generator = np.random.default_rng(7)
    return generator.standard_normal((n, d)), generator.random((n, p))


def test_every_correlation_is_pearsons() -> None:
    x, s = random_pair()
    expected = [[pearsonr(x[:, i], s[:, j]).statistic for j in range(4)] for i in range(5)]
    assert column_correlations(x, s) == pytest.approx(np.array(expected))


def test_qvec_sums_the_largest_correlation_of_each_dimension() -> None:
    x, s = random_pair()
    assert qvec(x, s) == pytest.approx(column_correlations(x, s).max(axis=1).sum())


def test_a_dimension_that_only_opposes_every_property_counts_with_its_sign() -> None:
    s = np.array([[0.0], [1.0], [2.0]])
    assert qvec(-s, s) == pytest.approx(-1.0)


def test_a_constant_dimension_has_no_property_and_adds_nothing() -> None:
    x, s = random_pair()
    x[:, 2] = 0.1
    best, r = alignment(column_correlations(x, s))
    assert (best[2], r[2]) == (-1, 0.0)
    assert qvec(x, s) == pytest.approx(qvec(np.delete(x, 2, axis=1), s))


def test_canonical_correlations_are_those_of_the_textbook() -> None:
    x, s = random_pair()
    units = [v / np.linalg.norm(v, axis=1)[:, None] for v in (x, s)]
    bases = [np.linalg.qr(u - u.mean(axis=0))[0] for u in units]
    expected = np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)
    assert canonical_correlations(x, s) == pytest.approx(expected)


def test_canonical_correlations_do_not_change_when_the_vectors_are_turned() -> None:
    x, s = random_pair()
    turn = np.linalg.qr(np.random.default_rng(3).standard_normal((5, 5)))[0]
    assert qvec_cca(x @ turn, s) == pytest.approx(qvec_cca(x, s) or 0.0)


@pytest.mark.parametrize("properties", [1, 4])
def test_an_oracle_one_dimension_short_counts_as_many_correlations_as_it_has(properties: int) -> None:
    x, s = random_pair(p=properties)
    if properties == 1:
        s = s - 0.5  # rows of a single positive number would all be 1 at unit length
    assert len(canonical_correlations(x, s)) == properties


def test_properties_that_no_common_word_has_are_dropped() -> None:
    x, s = random_pair()
    padded = np.concatenate([s, np.zeros((len(s), 3))], axis=1)
    assert qvec_cca(x, padded) == pytest.approx(qvec_cca(x, s) or 0.0)


def test_a_repeated_dimension_adds_no_correlation() -> None:
    x, s = random_pair(d=2)
    doubled = canonical_correlations(np.concatenate([x, x], axis=1), s)
    assert doubled[:2] == pytest.approx(canonical_correlations(x, s), abs=1e-6)
    assert doubled[2:].tolist() == [0.0, 0.0]


def test_zero_vectors_are_never_a_nan() -> None:
    x, s = random_pair()
    x[[0, 3]] = 0.0
    assert np.isfinite(canonical_correlations(x, s)).all()


def test_the_table_has_the_aligned_property_and_the_ten_words_of_largest_value() -> None:
    vectors = random_embedding(WORDS)
    measured = evaluate(QVEC, vectors, oracle())
    table = measured.secondary["dimensions"]
    assert [row["dimension"] for row in table] == list(range(8))
    order = np.argsort(-vectors.matrix[:, 4])[:10]
    assert table[4]["words"] == [f"word{i}" for i in order]
    assert sum(row["r"] for row in table) == pytest.approx(measured.score, abs=1e-5)
    json.dumps(plain(measured), allow_nan=False)


def test_only_words_in_both_count_as_they_are_written() -> None:
    vectors = random_embedding(["Word0", *WORDS[1:40]])
    measured = evaluate(QVEC, vectors, oracle())
    assert (measured.n, measured.secondary["words"], measured.coverage.types) == (39, 60, 39 / 60)


def test_the_interval_holds_the_score() -> None:
    for task in (QVEC, CCA):
        measured = evaluate(task, random_embedding(WORDS), oracle())
        assert measured.interval is not None
        assert measured.interval[0] < measured.score < measured.interval[1]


@pytest.mark.parametrize("task", [QVEC, CCA], ids=lambda task: task.id)
def test_fewer_than_ten_common_words_give_no_score(task: Task) -> None:
    with pytest.raises(NoScore, match="a score needs 10"):
        evaluate(task, random_embedding(WORDS[:9]), oracle())


def test_words_that_any_numbers_fit_have_no_canonical_score() -> None:
    """4 dimensions and 3 properties: seven words always fit perfectly, eight need not."""
    rows = oracle(words=20)
    with pytest.raises(NoScore, match="needs more than 20"):
        evaluate(CCA, random_embedding(WORDS, dimensions=17), rows)
    assert evaluate(CCA, random_embedding(WORDS, dimensions=16), rows).score < 1.0


def test_few_words_have_an_interval_of_as_many_groups() -> None:
    few = evaluate(QVEC, random_embedding(WORDS[:12]), oracle())
    assert few.interval is not None
    low, high = few.interval
    assert low < few.score < high


@pytest.mark.parametrize(("task", "reason"), [(QVEC, "one and the same value"), (CCA, "point the same way")])
@pytest.mark.parametrize("value", [0.0, 0.1])
def test_constant_vectors_have_no_score(task: Task, reason: str, value: float) -> None:
    with pytest.raises(NoScore, match=reason):
        evaluate(task, embedding(WORDS, np.full((60, 4), value, dtype=np.float32)), oracle())


def test_vectors_times_128_score_alike() -> None:
    vectors = random_embedding(WORDS)
    larger = embedding(WORDS, vectors.matrix * np.float32(128))
    for task in (QVEC, CCA):
        assert evaluate(task, larger, oracle()).score == evaluate(task, vectors, oracle()).score


def test_the_last_of_a_repeated_oracle_word_counts() -> None:
    found = oracle_of([OracleWord("a", {"x": 1.0}), OracleWord("b", {"y": 1.0}), OracleWord("a", {"y": 1.0})])
    assert found.words == ("a", "b")
    assert (found.properties, found.weights.tolist()) == (("y",), [[1.0], [1.0]])


def test_an_oracle_with_crlf_is_read() -> None:
    entries = LineByLine({"en": "oracle"}, oracle_word)(lambda path: b'a\t{"x": 1.0}\r\nb\t{"y": 1.0}\r\n')["en"]
    assert oracle_of(entries).properties == ("x", "y")
