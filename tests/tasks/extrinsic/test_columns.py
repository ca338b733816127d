"""The columns of a task hold what its examples hold, the first time and when they are read back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tasks.coverage import words_of
from tasks.datasets.splits import split
from tasks.datasets.store import DataStore
from tasks.extrinsic.columns import TaskColumns, columns
from tasks.suites import DEMO


@pytest.fixture
def own(tmp_path: Path) -> DataStore:
    return DataStore(tmp_path / "data", offline=True)


def texts_of(found: TaskColumns, name: str) -> list[list[list[str]]]:
    """The words of every text of every example, from the columns."""
    spelled = [
        [[found.words[token] for token in text] for text in np.split(texts.tokens, texts.offsets[1:-1])]
        for texts in found.parts[name].texts
    ]
    return [list(example) for example in zip(*spelled, strict=True)]


@pytest.mark.parametrize("name", ["pos", "questions", "nli"])
def test_columns_hold_the_examples(own: DataStore, name: str) -> None:
    task = DEMO.task(name)
    splits = split(own.load(task.data), task.options["split"])
    first, again = columns(task, own), columns(task, DataStore(own.data_dir, offline=True))
    for found in (first, again):
        for part, examples in splits.items():
            spelled = texts_of(found, part)
            assert [[word for text in example for word in text] for example in spelled] == [
                list(words_of(example)) for example in examples
            ]
            labels = [x for e in examples for x in getattr(e, "tags", None) or (getattr(e, "label", ""),)]
            assert [found.labels[label] for label in found.parts[part].labels] == labels


def test_texts_are_cut_to_the_limit_of_the_task(own: DataStore) -> None:
    task = DEMO.task("questions")
    short = replace(task, options={**task.options, "limit": 2})
    whole = texts_of(columns(task, own), "test")
    assert texts_of(columns(short, own), "test") == [[text[:2] for text in example] for example in whole]


def test_they_are_read_without_parsing_the_data_set(own: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    task = DEMO.task("pos")
    expected = columns(task, own)
    later = DataStore(own.data_dir, offline=True)
    monkeypatch.setattr(later, "load", lambda dataset: pytest.fail(f"{dataset} was parsed"))
    assert columns(task, later).words == expected.words


def test_what_cannot_be_trained_on_is_named(own: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = own.load("demo-wordsim")["all"]
    monkeypatch.setattr(own, "load", lambda _: dict.fromkeys(("train", "dev", "test"), pairs))
    with pytest.raises(TypeError, match="ScoredPair"):
        columns(DEMO.task("pos"), own)
