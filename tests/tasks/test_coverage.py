"""Coverage of a task's words by a file: counted once per machine, reported in one sentence."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tasks.coverage import (
    LOW_COVERAGE,
    NOTHING_KNOWN,
    counted_words,
    coverage_of_tasks,
    coverage_warnings,
    scored_examples,
    words_of,
)
from tasks.datasets.examples import Parts
from tasks.datasets.store import FOLDER, DataStore
from tasks.suites import DEMO
from tests.tasks.made import random_embedding

QUESTIONS = DEMO.task("questions")


@pytest.fixture
def own(tmp_path: Path) -> DataStore:
    """A store with a data directory of its own; the demo sets come with the program."""
    return DataStore(tmp_path / "data", offline=True)


def test_counts_are_those_of_the_scored_examples_the_first_time_and_later(own: DataStore) -> None:
    tokens = [word for example in scored_examples(QUESTIONS, own) for word in words_of(example)]
    first = counted_words(QUESTIONS, own)
    again = counted_words(QUESTIONS, DataStore(own.data_dir, offline=True))
    for found in (first, again):
        assert found.words == sorted(set(tokens))
        assert found.counts.tolist() == [tokens.count(word) for word in found.words]


class Unparsed(DataStore):
    """A store whose data sets may not be parsed."""

    def load(self, dataset: str) -> Parts:
        pytest.fail(f"{dataset} was parsed")


def test_they_are_read_from_the_data_directory_without_the_data_set(own: DataStore) -> None:
    expected = counted_words(QUESTIONS, own)
    assert counted_words(QUESTIONS, Unparsed(own.data_dir, offline=True)).words == expected.words


def test_a_damaged_file_is_made_again_and_a_directory_that_cannot_be_written_is_not_a_failure(own: DataStore) -> None:
    expected = counted_words(QUESTIONS, own)
    (path,) = (own.data_dir / FOLDER).iterdir()
    path.write_bytes(b"PK broken")
    assert counted_words(QUESTIONS, own).words == expected.words
    assert path.stat().st_size > 100
    (own.data_dir / "file").write_text("")
    assert counted_words(QUESTIONS, DataStore(own.data_dir / "file", offline=True)).words == expected.words


def test_another_split_has_a_file_of_its_own(own: DataStore) -> None:
    for task in (QUESTIONS, DEMO.task("sentiment"), DEMO.task("analogy-google")):
        counted_words(task, own)
    assert len(list((own.data_dir / FOLDER).iterdir())) == 3


def test_several_may_count_at_once(own: DataStore) -> None:
    stores = [DataStore(own.data_dir, offline=True) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda store: counted_words(QUESTIONS, store).words, stores))
    assert all(words == found[0] for words in found)
    assert len(list((own.data_dir / FOLDER).iterdir())) == 1


def test_coverage_counts_tokens_and_types(own: DataStore) -> None:
    counted = counted_words(QUESTIONS, own)
    commonest = counted.words[int(np.argmax(counted.counts))]
    found = coverage_of_tasks(random_embedding([commonest]), DEMO, own)["questions"]
    assert found.tokens == pytest.approx(counted.counts.max() / counted.counts.sum())
    assert found.types == pytest.approx(1 / len(counted.words))


def test_nothing_known_is_one_sentence_and_little_known_another(own: DataStore) -> None:
    (nothing,) = coverage_warnings(random_embedding(["qqq1", "qqq2"]), DEMO, own)
    assert nothing.code == NOTHING_KNOWN
    assert nothing.message.endswith("Are its words lower-cased, in another language, or prefixed?")
    (little,) = coverage_warnings(random_embedding(counted_words(QUESTIONS, own).words), DEMO, own)
    assert little.code == LOW_COVERAGE
    assert "Questions" not in little.message
    assert f"of {little.count} of " in little.message
    assert little.message.endswith("Check the spelling and case of the file's words.")
    everything = sorted({word for task in DEMO.tasks for word in counted_words(task, own).words})
    assert coverage_warnings(random_embedding(everything), DEMO, own) == ()
