"""Vectors shared by tests of measurements."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from tasks import suites
from tasks.baseline.svd_ppmi import train_for
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.vectors import Embedding


@pytest.fixture
def short_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A short text in the place of the demo suite's, so that its hash isn't the prescribed one."""
    content, folder, wiki = b"another text\n" * 20, tmp_path / "data", REGISTRY["wiki-corpus"]
    folder.mkdir()
    (folder / "short.txt").write_bytes(content)
    monkeypatch.setenv("VECBOARD_DATA", str(folder))
    sha256 = hashlib.sha256(content).hexdigest()
    file = replace(wiki.files[0], path="short.txt", bytes=len(content), sha256=sha256)
    monkeypatch.setitem(REGISTRY, "demo-corpus", replace(wiki, id="demo-corpus", files=(file,)))


@pytest.fixture(scope="session")
def store() -> DataStore:
    return DataStore.default()


@pytest.fixture(scope="session")
def demo_vectors(store: DataStore) -> Embedding:
    """The demo suite's SVD-PPMI vectors, trained here: 5,250 words, 50 dimensions."""
    return train_for(suites.DEMO, store, lambda share, what: None)
