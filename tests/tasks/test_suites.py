"""The suites hold together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tasks import suites
from tasks.base import Task
from tasks.datasets import REGISTRY
from tasks.suite import Suite

ALL = list(suites.SUITES.values())
EXTRINSIC = ["pos", "chunk", "ner", "sentiment", "questions", "nli"]


@pytest.mark.parametrize("suite", ALL, ids=lambda suite: suite.id)
def test_every_suite_has_the_six_tasks_and_two_word_tasks(suite: Suite) -> None:
    assert [task.id for task in suite.extrinsic_tasks] == EXTRINSIC
    ids = [task.id for task in suite.tasks]
    assert {"sim-ws-353-all", "analogy-google"} <= set(ids)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("suite", ALL, ids=lambda suite: suite.id)
def test_every_task_names_a_registered_data_set_and_has_settings(suite: Suite) -> None:
    for task, mode in suite.cells():
        assert task.dataset is None or task.dataset in REGISTRY
        assert task.shows
        assert task.citation
        if mode is not None:
            settings = suite.training_for(task, mode)
            assert (settings.vector_learning_rate is not None) == (mode == "fine-tuned")


def test_a_change_of_any_definition_changes_the_tasks_hash() -> None:
    suite = suites.OPEN_2026
    chunk = suite.task("chunk")
    settings = {key: replace(value, patience=6) for key, value in suite.training.items()}
    variants = [
        suite.task_hash(chunk),
        suite.task_hash(replace(chunk, options={**chunk.options, "spans": False})),
        replace(suite, scale=0.2).task_hash(chunk),
        replace(suite, training=settings).task_hash(chunk),
        replace(suite, seeds=2).task_hash(chunk),
    ]
    assert len(set(variants)) == len(variants)


def test_a_title_is_no_part_of_the_hash() -> None:
    chunk: Task = suites.OPEN_2026.task("chunk")
    assert suites.OPEN_2026.task_hash(replace(chunk, title="Phrases")) == suites.OPEN_2026.task_hash(chunk)


def test_veceval_keeps_the_originals_patience() -> None:
    suite = suites.VECEVAL_2016
    assert suite.training_for(suite.task("pos"), "fixed").patience == 10
    assert suite.training_for(suite.task("chunk"), "fixed").patience == 15


def test_an_unknown_suite_or_task_names_the_known_ones() -> None:
    with pytest.raises(KeyError, match="open-2026"):
        suites.get("open-2027")
    with pytest.raises(KeyError, match="sentiment"):
        suites.DEMO.task("parsing")
