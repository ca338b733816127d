"""The tables of variants, for random vectors of the demo suite's words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from extensions.front.measure.variants import WordVectors
from research import front
from tasks.datasets.store import DataStore
from tasks.prepared import open_prepared, store
from tasks.suites import DEMO
from tasks.vectors import Embedding
from tasks.word_list import listed_words


@pytest.fixture
def vectors(tmp_path: Path) -> Embedding:
    words = listed_words(DEMO, DataStore.default())
    rows = np.random.default_rng(1).standard_normal((len(words), 8)).astype(np.float32)
    return open_prepared(store(Embedding.of("v", words, rows), tmp_path), name="v")


def cells(text: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")][2:]


def test_three_variants_stand_below_the_whole_file(
    vectors: Embedding, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front, "WORDS", 1_000)
    rows = cells(front.by_hand("Random", WordVectors(vectors), vectors, DEMO, tmp_path))
    assert [row[0] for row in rows[1:]] == [f"1,000 words, {of}" for of in ("8 d, int8", "8 d, int4", "4 d, int8")]
    assert len({len(row) for row in rows}) == 1


def test_the_front_has_a_verdict_on_the_first_step_and_an_answer(
    vectors: Embedding, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front, "BUDGET", 200_000)
    text = front.front("Random", WordVectors(vectors), vectors, DEMO, tmp_path)
    rows = cells(text)
    assert len(rows[0]) == len(rows[1]) - 3, "the whole file is compared with nothing"
    assert rows[1][-1] in ("not inferior", "inferior", "can't tell")
    assert f"{rows[1][0]}: {rows[1][1]} MB" in text.splitlines()[-1] or rows[1][-1] == "not inferior"
