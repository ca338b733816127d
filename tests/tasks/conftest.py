"""Vectors shared by tests of measurements."""

from __future__ import annotations

import pytest

from tasks import suites
from tasks.baseline.svd_ppmi import train_for
from tasks.datasets.store import DataStore
from tasks.vectors import Embedding


@pytest.fixture(scope="session")
def store() -> DataStore:
    return DataStore.default()


@pytest.fixture(scope="session")
def demo_vectors(store: DataStore) -> Embedding:
    """The demo suite's SVD-PPMI vectors, trained here: 5,250 words, 50 dimensions."""
    return train_for(suites.DEMO, store, lambda share, what: None)
