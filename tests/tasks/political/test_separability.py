"""Scores of tagged vectors."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.errors import NoScore
from tasks.political import separability as module
from tasks.political.separability import mean_pair_cosine, separability
from tests.tasks.made import embedding, words


def test_doubles_that_point_the_same_way_are_one_apart_from_chance() -> None:
    matrix = np.random.default_rng(0).standard_normal((600, 50))
    matrix[20:40] = 3 * matrix[:20]
    found = separability(embedding([*words(20), *(f"{w}_tp" for w in words(20)), *words(560, "x")], matrix), 10)
    assert found.same == pytest.approx(1.0, abs=1e-6)
    assert abs(found.random) < 0.05
    assert found.difference == pytest.approx(found.same - found.random)
    assert found.pairs == 20


def test_the_mean_over_all_pairs_is_that_of_brute_force(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = (np.random.default_rng(1).standard_normal((40, 5)) + 0.3).astype(np.float32)
    matrix[7] = 0
    rows = np.array([0, 3, 7, *range(10, 40)])
    pairs = [
        0.0 if 7 in (i, j) else float(matrix[i] @ matrix[j] / np.linalg.norm(matrix[i]) / np.linalg.norm(matrix[j]))
        for i in rows
        for j in rows
        if i != j
    ]
    assert mean_pair_cosine(matrix, rows) == pytest.approx(np.mean(pairs), abs=1e-7)
    monkeypatch.setattr(module, "_A_BLOCK", 4)
    assert mean_pair_cosine(matrix, rows) == pytest.approx(np.mean(pairs), abs=1e-7)


def test_tagged_words_are_not_among_the_other_words() -> None:
    generator = np.random.default_rng(2)
    matrix = generator.standard_normal((70, 4))
    found = separability(embedding([*words(10), *(f"{w}_tp" for w in words(10)), *words(50, "x")], matrix), 10)
    assert found.random == pytest.approx(mean_pair_cosine(matrix.astype(np.float32), np.arange(20, 70)), abs=1e-7)


def test_fewer_tagged_words_than_the_least_have_no_score() -> None:
    names = [*words(9), *(f"{w}_tp" for w in words(9)), *words(200, "x")]
    with pytest.raises(NoScore, match=r"^9 words in this file have a counterpart ending in _tp"):
        separability(embedding(names, np.ones((len(names), 3))), least=10)
    with pytest.raises(NoScore, match=r"^No word in this file has a counterpart ending in _tp"):
        separability(embedding(words(9), np.ones((9, 3))), least=10)
