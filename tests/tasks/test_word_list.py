"""The list of words for which an open vocabulary is composed."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from extensions.shared.measure.vectors import NamedVectors
from tasks.cli import main
from tasks.coverage import counted_words
from tasks.datasets.store import DataStore
from tasks.suites import DEMO, OPEN_2026
from tasks.word_list import word_list


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> DataStore:
    """A data directory in which the list is made once, as that takes seconds."""
    return DataStore(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def words(store: DataStore) -> list[str]:
    return word_list(DEMO, store).read_text(encoding="utf-8").split("\n")[:-1]


def test_it_begins_with_the_commonest_words_of_the_corpus_and_ends_with_sorted_ones(words: list[str]) -> None:
    assert words[:2] == ["the", ","]
    assert len(set(words)) == len(words)
    last = next(n for n in range(len(words) - 1, 0, -1) if words[n - 1] > words[n])
    assert words[last:] == sorted(words[last:])
    assert last < len(words) - 100


def test_every_word_that_is_scored_is_in_it_as_written(words: list[str], store: DataStore) -> None:
    for task in DEMO.tasks:
        assert set(counted_words(task, store).words) <= set(words)


def test_the_file_is_made_once_and_the_command_writes_the_same(
    store: DataStore, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = word_list(DEMO, store)
    made = path.stat().st_mtime_ns
    assert word_list(DEMO, store).stat().st_mtime_ns == made
    monkeypatch.setenv("VECBOARD_DATA", str(store.data_dir))
    assert main(["words", "--suite", "demo", "--out", str(tmp_path / "words.txt")]) == 0
    assert (tmp_path / "words.txt").read_bytes() == path.read_bytes()
    assert "words of demo" in capsys.readouterr().out


def test_random_vectors_of_the_list_are_a_file_that_every_command_reads(
    store: DataStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VECBOARD_DATA", str(store.data_dir))
    path = tmp_path / "vectors.txt.gz"
    assert main(["words", "--suite", "demo", "--random", "20", "--out", str(path)]) == 0
    first = path.read_bytes()
    assert main(["check", str(path), "--suite", "demo"]) == 0
    assert main(["words", "--suite", "demo", "--random", "20", "--out", str(path)]) == 0
    assert path.read_bytes() == first


@pytest.mark.data(OPEN_2026.corpus.dataset, *(task.dataset for task in OPEN_2026.tasks if task.dataset))
@pytest.mark.slow
def test_the_list_of_the_default_suite_is_long_and_has_posts_and_phrases() -> None:
    words = set(word_list(OPEN_2026, DataStore.default()).read_text(encoding="utf-8").split("\n"))
    assert len(words) > 250_000
    assert {"the", "Windows", "Maradona", "McLaughlin", "anatomy"} <= words


def test_for_texts_a_word_has_its_nfkc_form_unless_another_word_is_in_this_form(tmp_path: Path) -> None:
    fillers = [first + second for first in "bcdfghjkmn" for second in "lmnpqrstvw"]
    written = [unicodedata.normalize("NFD", "é"), unicodedata.normalize("NFD", "è"), "è", *fillers]
    path = tmp_path / "vectors.txt"
    path.write_text("".join(f"{word} 0.{i % 9 + 1} 0.{i % 7 + 1}\n" for i, word in enumerate(written)))
    found = NamedVectors("vectors", path).with_words([], tmp_path)
    assert list(found.words) == ["é", written[1], "è", *fillers]
