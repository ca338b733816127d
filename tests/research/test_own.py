"""The examples of one's own data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from research.own import (
    EXAMPLES,
    LEAST_POSTS,
    PAGE,
    SIZES,
    STRENGTH,
    Population,
    fitted,
    interval_table,
    questions,
    simulate,
    threads,
)
from research.pages import marks
from tasks.datasets.store import DataStore


@pytest.mark.data("20ng")
def test_all_posts_of_a_large_thread_are_relevant_to_its_subject(tmp_path: Path) -> None:
    data = threads(DataStore.default(), tmp_path)
    counts = data.relevant.sum(axis=1)
    assert (len(data.queries), len(data.texts)) == (322, 7_711)
    assert counts.min() == LEAST_POSTS
    assert data.relevant.sum() == data.judgements


@pytest.mark.data("trec-qc")
def test_the_published_split_is_used(tmp_path: Path) -> None:
    (train, test) = questions(DataStore.default(), tmp_path).divisions[0]
    assert (len(train), len(test)) == (5_452, 500)


@pytest.fixture(scope="module")
def population() -> Population:
    """Pairs of texts, of one label each."""
    generator = np.random.default_rng(1)
    units = np.repeat(np.arange(2_000), 2)
    labels = units % 3
    means = generator.standard_normal((4_000, 20)) + 0.4 * generator.standard_normal((3, 20))[labels]
    return Population("pairs", means, labels.astype("U1"), units)


def test_the_quick_regression_predicts_as_a_library_does(population: Population) -> None:
    train, labels = population.means[:300], population.labels[:300]
    model = LogisticRegression(C=STRENGTH, tol=1e-8).fit(train - train.mean(axis=0), labels)
    same = model.predict(population.means - train.mean(axis=0)) == fitted(train, labels, population.means)
    assert same.mean() > 0.99


def test_equal_sets_have_the_same_truth_and_noise_lowers_it(population: Population) -> None:
    checks = [simulate(population, 200, number) for number in range(10)]
    _, _, truth, freedom = np.mean(checks, axis=0).T
    assert abs(truth[2]) < 0.01 < 0.03 < -truth[3]
    assert freedom.tolist() == [99.0] * 4  # pairs
    assert simulate(population, 200, 3).tolist() == checks[3].tolist()


def test_the_table_has_a_row_for_every_size(population: Population) -> None:
    rows = interval_table([population], 2, 1).splitlines()
    assert [row.split(" |")[0] for row in rows[-len(SIZES) :]] == [f"| pairs, {size:,}" for size in SIZES]


@pytest.mark.parametrize("example", [*EXAMPLES, "intervals"])
def test_the_page_has_a_place_for_every_example(example: str) -> None:
    begin, end = marks(f"own {example}")
    assert PAGE.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0].strip()
