"""The faithful suite: its own look-up, ``<unk>``, scale and training (docs/protocol.md §1.6, §1.7, §2.6)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tasks import suites
from tasks.cells import evaluate_cell
from tasks.datasets.store import DataStore, vocabulary
from tasks.extrinsic.table import UNK, Scaling, build_table
from tasks.results import Mode
from tasks.vectors import Embedding

VECEVAL = suites.VECEVAL_2016
CELLS = (("chunk", "fixed"), ("nli", "fixed"), ("nli", "fine-tuned"))
SHORT = {key: replace(value, max_epochs=12) for key, value in VECEVAL.training.items()}


@pytest.fixture
def original_words(store: DataStore) -> list[str]:
    if not store.status("veceval-vocabulary").available:
        pytest.skip("the original's vocabulary is not there: set VECBOARD_DATA_MIRROR")
    return vocabulary(store, "veceval-vocabulary")


@pytest.mark.data
def test_unknown_words_get_the_mean_outside_the_originals_vocabulary(
    store: DataStore, original_words: list[str]
) -> None:
    words = [original_words[0], "zzqx", "Zzqy", original_words[1].upper()]
    matrix = np.array([[9, 9], [1, 2], [3, 6], [7, 7]], dtype=np.float32)
    table = build_table(Embedding("e", words, matrix, "e"), VECEVAL, store, ["nowhere"])
    np.testing.assert_array_equal(table.matrix[UNK], [2, 4])


@pytest.mark.data
def test_unknown_words_are_zeros_if_the_file_has_only_the_originals_words(
    store: DataStore, original_words: list[str]
) -> None:
    embedding = Embedding("e", original_words[:3], np.ones((3, 2), dtype=np.float32), "e")
    np.testing.assert_array_equal(build_table(embedding, VECEVAL, store, ["nowhere"]).matrix[UNK], [0, 0])


def test_vectors_are_taken_as_they_are(demo_vectors: Embedding) -> None:
    assert Scaling.of(demo_vectors, VECEVAL).factor == 1.0
    assert Scaling.of(demo_vectors, suites.OPEN_2026).factor == pytest.approx(
        0.1 / demo_vectors.matrix.astype(np.float64).std()
    )


@pytest.mark.parametrize(
    ("task", "mode"),
    [
        ("chunk", "fine-tuned"),
        ("sentiment", "fine-tuned"),
        *(pytest.param(*cell, marks=pytest.mark.slow) for cell in CELLS),
    ],
)
def test_its_settings_learn_too(task: str, mode: Mode, demo_vectors: Embedding, store: DataStore) -> None:
    demo = suites.DEMO.task(task)
    suite = replace(VECEVAL, tasks=(demo,), training=SHORT, unknown="mean")
    result = evaluate_cell(demo_vectors, suite, demo, mode, data=store, seeds=1)
    assert result.training is not None
    dev = result.training["seeds"][0]["dev"]
    assert max(dev) > dev[0]
    assert result.score > 0.25
