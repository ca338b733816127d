"""Scores of a file and of its first words: the vocabulary alone makes the difference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from research.vocabulary import in_words, on_both
from tasks.coverage import scored_examples, words_of
from tasks.datasets.store import DataStore
from tasks.suites import DEMO
from tests.tasks.made import random_embedding

PAIRS = (DEMO.task("sim-ws-353-all"), DEMO.task("sim-simlex-999"))


@pytest.fixture(scope="module")
def rows() -> list[tuple[str, ...]]:
    """Of random vectors of the words of two data sets in random order, and of the first three quarters of them."""
    data = DataStore.default()
    words = sorted({word for task in PAIRS for pair in scored_examples(task, data) for word in words_of(pair)})
    np.random.default_rng(0).shuffle(words)
    embedding = random_embedding(words)
    found = list(on_both(embedding, len(words) * 3 // 4, replace(DEMO, tasks=PAIRS), data))
    text = in_words("Random", len(words), len(words) * 3 // 4, found)
    return [tuple(line.strip("| ").split(" | ")) for line in text.splitlines()[4:]]


def test_on_shared_pairs_a_file_and_its_first_words_score_alike(rows: list[tuple[str, ...]]) -> None:
    assert [row[0] for row in rows] == ["WordSim-353", "SimLex-999"]
    for _, known, score, of_first, first_score, shared in rows:
        counts = [int(text.partition(" of ")[0].replace(",", "")) for text in (known, of_first)]
        assert counts[0] > counts[1] > 10
        assert score != first_score == shared
