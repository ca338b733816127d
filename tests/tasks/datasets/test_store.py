"""Locations of files, and the messages about missing ones."""

from __future__ import annotations

import gzip
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.datasets import REPOSITORY
from tasks.datasets.dataset import STAMPS, DataSet, Packaged, Plain, Twin
from tasks.datasets.examples import LabelledText
from tasks.datasets.fetch import fetch
from tasks.datasets.store import DataStore, vocabulary
from tasks.errors import DataUnavailable

AddDataSet = Callable[..., DataSet]


def put(directory: Path | None, path: str, content: bytes) -> Path:
    assert directory is not None
    target = directory / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return target


def test_it_reads_the_data_directory_before_the_mirror(store: DataStore, add_dataset: AddDataSet) -> None:
    add_dataset(b"content")
    put(store.mirror, "tiny/tiny.txt", b"content")
    assert store.status("tiny").source == "mirror"
    put(store.data_dir, "tiny/tiny.txt", b"content")
    assert store.status("tiny").source == "data"
    assert store.load("tiny") == {"all": [LabelledText(("content",), "label")]}


def test_it_says_how_to_get_a_missing_set(store: DataStore, add_dataset: AddDataSet) -> None:
    add_dataset(b"content")
    status = store.status("tiny")
    assert not status.available
    assert status.source is None
    assert "python -m tasks datasets fetch tiny" in status.reason


def test_a_damaged_file_falls_back_to_the_mirror(store: DataStore, add_dataset: AddDataSet) -> None:
    add_dataset(b"content")
    put(store.data_dir, "tiny/tiny.txt", b"c0ntent")
    put(store.mirror, "tiny/tiny.txt", b"content")
    assert store.path("tiny").parent.parent == store.mirror


@pytest.mark.parametrize(("content", "said"), [(b"short", "5 bytes of content where 7"), (b"c0ntent", "other content")])
def test_it_refuses_a_damaged_file(store: DataStore, add_dataset: AddDataSet, content: bytes, said: str) -> None:
    add_dataset(b"content")
    put(store.data_dir, "tiny/tiny.txt", content)
    with pytest.raises(DataUnavailable, match=f"damaged.*{said}.*datasets fetch tiny"):
        store.load("tiny")


def test_it_verifies_the_content_of_a_gzipped_file_however_it_was_packed(
    store: DataStore, add_dataset: AddDataSet
) -> None:
    add_dataset(b"content", "tiny/tiny.txt.gz")
    for level in (1, 9):
        put(store.data_dir, "tiny/tiny.txt.gz", gzip.compress(b"content", level))
        assert store.status("tiny").available
    put(store.data_dir, "tiny/tiny.txt.gz", gzip.compress(b"content")[:-9])
    assert not store.status("tiny").available


def test_a_gzipped_file_that_is_spoiled_inside_is_a_sentence(store: DataStore, add_dataset: AddDataSet) -> None:
    content = bytes(range(256)) * 20
    add_dataset(content, "tiny/tiny.txt.gz")
    for position in (40, -6):
        packed = bytearray(gzip.compress(content))
        packed[position : position + 2] = b"\xff\xff"
        put(store.data_dir, "tiny/tiny.txt.gz", bytes(packed))
        assert "damaged" in store.status("tiny").reason


def test_it_does_not_hash_a_file_again_that_has_not_changed(store: DataStore, add_dataset: AddDataSet) -> None:
    add_dataset(b"content")
    file = put(store.data_dir, "tiny/tiny.txt", b"content")
    assert store.status("tiny").available
    time = file.stat().st_mtime_ns
    file.write_bytes(b"c0ntent")
    os.utime(file, ns=(time, time))  # the file looks unchanged
    later = DataStore(store.data_dir, store.mirror)
    assert later.status("tiny").available
    os.utime(file, ns=(1, 1))
    assert not later.status("tiny").available


def test_it_works_where_it_can_not_remember(tmp_path: Path, add_dataset: AddDataSet) -> None:
    add_dataset(b"content")
    put(tmp_path, "mirror/tiny/tiny.txt", b"content")
    not_a_directory = put(tmp_path, "data", b"")
    assert DataStore(not_a_directory, tmp_path / "mirror").status("tiny").available


def test_spoiled_stamps_are_forgotten(store: DataStore, add_dataset: AddDataSet) -> None:
    add_dataset(b"content")
    put(store.data_dir, "tiny/tiny.txt", b"content")
    put(store.data_dir, STAMPS, b"{not json")
    assert store.status("tiny").available


def test_a_pickled_store_is_small_and_finds_the_same_files(store: DataStore, add_dataset: AddDataSet) -> None:
    add_dataset(b"content" * 1000)
    put(store.mirror, "tiny/tiny.txt", b"content" * 1000)
    store.load("tiny")
    pickled = pickle.dumps(store)
    assert len(pickled) < 1000
    assert pickle.loads(pickled).load("tiny") == store.load("tiny")


def test_a_line_that_can_not_be_read_makes_the_set_unavailable(store: DataStore) -> None:
    put(store.data_dir, "conll2003/eng.train", b"EU NNP I-NP I-ORG\nrejects VBZ\n")
    put(store.data_dir, "conll2003/eng.testa", b"")
    put(store.data_dir, "conll2003/eng.testb", b"")
    with pytest.raises(DataUnavailable, match=r"Line 2 of conll2003/eng\.train has 2 fields where 4 are expected"):
        store.load("conll2003")


def test_a_licence_bound_set_says_from_whom_and_where(store: DataStore) -> None:
    reason = store.status("wsj-pos").reason
    assert "Linguistic Data Consortium" in reason
    assert "wsj-pos/00/wsj_0001.pos" in reason
    assert not store.can_fetch("wsj-pos")
    assert fetch(store, ["wsj-pos"]).total == 0


def test_the_hash_of_a_licence_bound_set_is_of_the_files_that_are_there(store: DataStore) -> None:
    for name in ("eng.train", "eng.testa", "eng.testb"):
        put(store.data_dir, f"conll2003/{name}", b"EU NNP I-NP I-ORG\n")
    first = store.content_sha256("conll2003")
    put(store.data_dir, "conll2003/eng.testb", b"UN NNP I-NP I-ORG\n")
    assert store.content_sha256("conll2003") != first


def test_packaged_files_are_found_without_importing_their_package(store: DataStore) -> None:
    assert store.status("demo-wordsim").source == "package"
    assert len(store.load("demo-wordsim")["all"]) == 353
    assert len(store.load("demo-simlex")["all"]) == 999
    assert len(store.load("demo-analogy")["questions-words"]) == 19_544
    assert store.path("analogy", "analogy/questions-words.txt") == store.path("demo-analogy")


def test_a_packaged_twin_is_used_unless_the_data_directory_has_the_file(
    store: DataStore, add_dataset: AddDataSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "carrier/__init__.py", b"")
    put(tmp_path, "carrier/data/file.txt", b"content")
    monkeypatch.syspath_prepend(tmp_path)
    add_dataset(b"content", recipe=Twin(Packaged("carrier", "data/file.txt"), Plain("http://127.0.0.1:9/x")))
    assert fetch(store, ["tiny"]).total == 0
    assert store.status("tiny").source == "package"
    put(store.data_dir, "tiny/tiny.txt", b"content")
    assert store.status("tiny").source == "data"


def test_an_offline_store_never_fetches(tmp_path: Path) -> None:
    offline = DataStore(tmp_path, offline=True)
    assert not offline.can_fetch("sst2")
    assert DataStore(tmp_path).can_fetch("sst2")
    assert fetch(offline, ["sst2"]).total == 0
    assert "VECBOARD_OFFLINE forbids" in offline.status("sst2").reason


def test_the_environment_names_the_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VECBOARD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("VECBOARD_DATA_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("VECBOARD_OFFLINE", "1")
    store = DataStore.default()
    assert (store.data_dir, store.mirror, store.offline) == (tmp_path / "data", tmp_path / "mirror", True)
    assert DataStore.default() is store


def test_data_is_kept_with_the_sites_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VECBOARD_DATA", raising=False)
    monkeypatch.setenv("VECBOARD_VAR", str(tmp_path))
    assert DataStore.default().data_dir == tmp_path / "data"
    monkeypatch.setenv("VECBOARD_VAR", "")
    assert DataStore.default().data_dir == REPOSITORY / "var" / "data"


@pytest.mark.data
def test_the_vocabulary_of_the_original_has_its_words(real_store: DataStore) -> None:
    words = vocabulary(real_store, "veceval-vocabulary")
    assert len(words) == 103_647
    assert all(word == word.lower() for word in words)
