"""Stores to test with: one over files that a test writes, one over the real sets."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tasks.datasets.dataset import DataFile, DataSet
from tasks.datasets.examples import LabelledText
from tasks.datasets.places import REPOSITORY
from tasks.datasets.recipes import Plain, Recipe
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore

AddDataSet = Callable[..., DataSet]


@pytest.fixture
def store(tmp_path: Path) -> DataStore:
    """An empty data directory with an empty mirror beside it."""
    (tmp_path / "data").mkdir()
    (tmp_path / "mirror").mkdir()
    return DataStore(tmp_path / "data", tmp_path / "mirror")


@pytest.fixture(scope="session")
def real_store(tmp_path_factory: pytest.TempPathFactory) -> DataStore:
    """The real sets, read from the mirror; skips the test where there is none."""
    mirror = DataStore.default().mirror
    if mirror is None or not (mirror / "MANIFEST.json").is_file():
        pytest.skip("the real data sets are not here; set VECBOARD_DATA_MIRROR to a directory that has them")
    return DataStore(tmp_path_factory.mktemp("data"), mirror, offline=True)


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Callable[[], Path]]:
    """Public address → function that gives a file with the bytes it serves; skips the test where there is none."""
    shared = REPOSITORY.parent / "shared"
    if not (shared / "internet" / "INDEX.json").is_file():
        pytest.skip("the published files are not here; they belong into ../shared/internet beside the repository")
    unpacked = tmp_path_factory.mktemp("published")

    def served(url: str, file: str, packed: bool) -> Path:
        if not packed:
            return shared / file
        path = unpacked / url.replace("/", "_")
        if not path.is_file():
            path.write_bytes(gzip.decompress((shared / file).read_bytes()))
        return path

    index = json.loads((shared / "internet" / "INDEX.json").read_text())
    return {url: partial(served, url, entry["file"], entry["gzip"]) for url, entry in index.items()}


@pytest.fixture
def add_dataset(monkeypatch: pytest.MonkeyPatch) -> AddDataSet:
    """Declare a set of one file for the length of a test."""

    def add(content: bytes, path: str = "tiny/tiny.txt", recipe: Recipe | None = None) -> DataSet:
        file = DataFile(
            path, len(content), hashlib.sha256(content).hexdigest(), recipe or Plain("http://127.0.0.1:9/x")
        )
        dataset = DataSet(
            id="tiny",
            title="Tiny",
            version="1",
            files=(file,),
            licence="CC0",
            citation="none",
            reader=lambda read: {"all": [LabelledText((read(path).decode(),), "label")]},
        )
        monkeypatch.setitem(REGISTRY, "tiny", dataset)
        return dataset

    return add
