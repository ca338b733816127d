"""Ranks by cosine and CSLS against the formula written out, blocks and ties included."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tasks import translation
from tasks.metrics.cosine import unit_rows
from tasks.translation import hubness, nearest, ranks

GENERATOR = np.random.default_rng(3)
LEFT, RIGHT = (unit_rows(GENERATOR.normal(size=(n, 6)).astype(np.float32)) for n in (70, 90))
RIGHT_ANSWERS = [GENERATOR.choice(90, size=1 + i % 3, replace=False) for i in range(70)]


def cosine(x: int, y: int) -> float:
    return float(LEFT[x] @ RIGHT[y])


def csls(x: int, y: int) -> float:
    """Conneau et al. (2018), equations 2 and 3, in plain Python."""
    return 2 * cosine(x, y) - mean_to_right(x) - mean_to_left(y)


def mean_of_ten(values: list[float]) -> float:
    return sum(sorted(values)[-10:]) / 10


@cache
def mean_to_right(x: int) -> float:
    return mean_of_ten([float(LEFT[x] @ row) for row in RIGHT])


@cache
def mean_to_left(y: int) -> float:
    return mean_of_ten([float(RIGHT[y] @ row) for row in LEFT])


@pytest.mark.parametrize("size", [(8_192, 1_024), (16, 7), (1, 1)])
def test_ranks_are_those_of_the_formulas_in_blocks_of_any_size(
    monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.setattr(translation, "_ROWS", size[0])
    monkeypatch.setattr(translation, "_COLUMNS", size[1])
    monkeypatch.setattr(translation, "_ENTRIES", size[0] * size[1])
    found = ranks(LEFT, RIGHT, RIGHT_ANSWERS, hubness(RIGHT, LEFT))
    for x, right in enumerate(RIGHT_ANSWERS):
        for column, score in enumerate((cosine, csls)):
            order = sorted(range(90), key=lambda y: -score(x, y))
            assert found[x, column] == min(order.index(y) for y in right)


def test_hubs_come_first_by_cosine_and_not_by_csls() -> None:
    """Candidate 0 is near every query, and nearer to query 0 than its own translation."""
    queries = unit_rows(np.array([[1, 0.1, 0], [1, -0.1, 0], [1, 0, 0.1], [1, 0, -0.1]], dtype=np.float32))
    candidates = unit_rows(np.array([[1, 0, 0], [1, 0.3, 0]], dtype=np.float32))
    hubs = hubness(candidates, queries, count=2)
    assert ranks(queries[:1], candidates, [np.array([1])], hubs).tolist() == [[1, 0]]
    assert nearest(queries[:1], candidates, hubs, 3).tolist() == [[1, 0]]


def test_of_equal_scores_the_first_in_the_file_comes_first() -> None:
    candidates = np.array([[0, 1], [1, 0], [1, 0], [1, 0]], dtype=np.float32)
    query, hubs = np.array([[1, 0]], dtype=np.float32), np.zeros(4, dtype=np.float32)
    for right, place in (([1], 0), ([2], 1), ([3], 2), ([3, 2], 1), ([0], 3)):
        assert ranks(query, candidates, [np.array(right)], hubs).tolist() == [[place, place]]


def test_fewer_neighbours_than_csls_asks_for_are_all_taken() -> None:
    rows = np.eye(2, dtype=np.float32)
    np.testing.assert_allclose(hubness(rows, rows), [0.5, 0.5])
