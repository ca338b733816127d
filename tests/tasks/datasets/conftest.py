"""Stores for tests: one over files written by the test, one over the real sets."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.datasets.dataset import DataFile, DataSet, Plain, Recipe
from tasks.datasets.examples import LabelledText
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tests import internet

AddDataSet = Callable[..., DataSet]


@pytest.fixture
def store(tmp_path: Path) -> DataStore:
    """An empty data directory and an empty mirror."""
    (tmp_path / "data").mkdir()
    (tmp_path / "mirror").mkdir()
    return DataStore(tmp_path / "data", tmp_path / "mirror")


@pytest.fixture(scope="session")
def real_store(tmp_path_factory: pytest.TempPathFactory) -> DataStore:
    """The real sets, read from the mirror; skips the test without one."""
    mirror = DataStore.default().mirror
    if mirror is None or not (mirror / "MANIFEST.json").is_file():
        pytest.skip("the real data sets are not here; set VECBOARD_DATA_MIRROR to a directory that has them")
    return DataStore(tmp_path_factory.mktemp("data"), mirror, offline=True)


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Function that returns a file with the bytes of a public URL; skips the test if they are unavailable."""
    folder = tmp_path_factory.mktemp("published")

    def served(url: str) -> Path:
        path = folder / url.replace("/", "_")
        if not path.is_file():
            path.write_bytes(internet.published(url))
        return path

    return served


@pytest.fixture
def add_dataset(monkeypatch: pytest.MonkeyPatch) -> AddDataSet:
    """Declare a set of one file for the duration of a test."""

    def add(content: bytes, path: str = "tiny/tiny.txt", recipe: Recipe | None = None, name: str = "tiny") -> DataSet:
        file = DataFile(
            path, len(content), hashlib.sha256(content).hexdigest(), recipe or Plain("http://127.0.0.1:9/x")
        )
        dataset = DataSet(
            id=name,
            title=name.capitalize(),
            version="1",
            files=(file,),
            licence="CC0",
            citation="none",
            reader=lambda read: {"all": [LabelledText((read(path).decode(),), "label")]},
        )
        monkeypatch.setitem(REGISTRY, name, dataset)
        return dataset

    return add
