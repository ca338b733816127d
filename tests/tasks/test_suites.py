"""Consistency of the suites."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tasks import suites
from tasks.base import Task
from tasks.datasets.registry import REGISTRY
from tasks.hashes import suite_hash, task_hash
from tasks.metrics import METRICS, SPAN_F1
from tasks.results import MODES, Mode
from tasks.suite import OPTIMISERS, Suite, TrainingSettings

ROOT = Path(__file__).resolve().parents[2]
ALL = list(suites.SUITES.values())
FINE_TUNED = ["pos", "chunk", "ner", "sentiment", "questions"]


@pytest.mark.parametrize("suite", ALL, ids=lambda suite: suite.id)
def test_every_suite_has_the_six_tasks_and_two_word_tasks(suite: Suite) -> None:
    inference = "sentence-inference" if suite is OPEN else "nli"
    assert [task.id for task in suite.trained("fine-tuned")] == [*FINE_TUNED, inference]
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


@pytest.mark.parametrize("suite", ALL, ids=lambda suite: suite.id)
def test_every_suite_can_be_sent_to_another_process_and_keeps_its_definition(suite: Suite) -> None:
    sent: Suite = pickle.loads(pickle.dumps(suite))
    assert suite_hash(sent) == suite_hash(suite)
    assert sent.look_up == suite.look_up


OPEN = suites.OPEN_2026
CHUNK = OPEN.task("chunk")


def with_family(task: Task, **changes: Any) -> Task:
    return replace(task, family=replace(task.family, **changes))


def with_training(**changes: Any) -> Suite:
    """The suite with other settings of every family in the fixed mode, or in the one named by ``mode``."""
    mode = changes.pop("mode", "fixed")
    settings = {key: replace(value, **changes) if key[1] == mode else value for key, value in OPEN.training.items()}
    return replace(OPEN, training=settings)


def test_a_change_of_any_definition_changes_the_cells_hash() -> None:
    constants = CHUNK.family.constants
    variants = [
        task_hash(OPEN, CHUNK, "fixed"),
        task_hash(OPEN, CHUNK, "fine-tuned"),
        task_hash(OPEN, replace(CHUNK, options={**CHUNK.options, "shapes": True}), "fixed"),
        task_hash(OPEN, replace(CHUNK, metric=SPAN_F1), "fixed"),
        task_hash(OPEN, replace(CHUNK, beside={}), "fixed"),
        task_hash(OPEN, replace(CHUNK, dataset="conll2003"), "fixed"),
        task_hash(OPEN, with_family(CHUNK, revision=CHUNK.family.revision + 1), "fixed"),
        *(
            task_hash(OPEN, with_family(CHUNK, constants={**constants, name: value + 1}), "fixed")
            for name, value in constants.items()
        ),
        task_hash(replace(OPEN, scale=0.2), CHUNK, "fixed"),
        task_hash(replace(OPEN, seeds=2), CHUNK, "fixed"),
        *(task_hash(with_training(**{name: 77}), CHUNK, "fixed") for name in ("learning_rate", "batch", "patience")),
    ]
    assert len(constants) == 3
    assert len(set(variants)) == len(variants)


@pytest.mark.parametrize(("changed", "other"), [("fixed", "fine-tuned"), ("fine-tuned", "fixed")])
def test_the_settings_of_one_mode_are_not_part_of_the_others_hash(changed: Mode, other: Mode) -> None:
    for settings in ({"learning_rate": 0.5}, {"patience": 6}):
        suite = with_training(mode=changed, **settings)
        for task in OPEN.trained("fine-tuned"):
            assert task_hash(suite, task, changed) != task_hash(OPEN, task, changed)
            assert task_hash(suite, task, other) == task_hash(OPEN, task, other)
        assert suite_hash(suite) != suite_hash(OPEN)


def test_the_constant_of_an_optimiser_is_part_of_the_hash_of_the_cells_that_it_trains(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells = [(task, mode) for task, mode in OPEN.cells() if mode is not None]
    before = {(task.id, mode): task_hash(OPEN, task, mode) for task, mode in cells}
    for rule, constants in OPTIMISERS.items():
        for name, value in constants.items():
            changed = {**OPTIMISERS, rule: {**constants, name: 2 * value}}
            monkeypatch.setattr("tasks.suite.OPTIMISERS", changed)
            moved = {key for key, old in before.items() if task_hash(OPEN, OPEN.task(key[0]), key[1]) != old}
            trained = {(task.id, mode) for task, mode in cells if rule in rules_of(OPEN.training_for(task, mode))}
            assert moved == trained, (rule, name)
    assert {"adam", "adagrad"} <= {rule for task, mode in cells for rule in rules_of(OPEN.training_for(task, mode))}


def rules_of(settings: TrainingSettings) -> set[str]:
    """Optimisers of the network and, in fine-tuned mode, of the vectors (``sparse-adagrad`` is ``adagrad``'s rule)."""
    of_vectors = settings.vector_optimiser
    return {settings.optimiser} | ({of_vectors.rpartition("-")[2]} if of_vectors else set())


def test_training_is_not_part_of_the_hash_of_a_word_task() -> None:
    similarity = OPEN.task("sim-men-tr-3k")
    suite = replace(with_training(patience=77), seeds=9)
    assert task_hash(suite, similarity, None) == task_hash(OPEN, similarity, None)
    least = with_family(similarity, constants={"least known": 11})
    assert task_hash(OPEN, least, None) != task_hash(OPEN, similarity, None)


def test_a_title_is_not_part_of_the_hash() -> None:
    renamed = with_family(replace(CHUNK, title="Phrases", note="!"), group="Probes")
    assert task_hash(OPEN, renamed, "fixed") == task_hash(OPEN, CHUNK, "fixed")


@pytest.mark.parametrize("suite", ALL, ids=lambda suite: suite.id)
def test_every_constant_of_a_family_is_read_and_every_metric_is_declared(suite: Suite) -> None:
    for task in suite.tasks:
        room = Path(task.family.implementation.partition(":")[0].replace(".", "/")).parent
        code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / room).glob("*.py"))
        assert all(f'"{name}"' in code for name in task.family.constants), task.family.id
        assert all(METRICS[metric.name] is metric for metric in task.metrics)


def test_the_means_of_open_2026_have_the_cells_that_pass_the_rule() -> None:
    fixed, tuned = ([task.id for task, _ in OPEN.cells_of_mean([mode])] for mode in MODES)
    assert fixed == ["pos", "chunk", "ner", "sentiment", "questions", "lexical-inference", "sentence-inference"]
    assert tuned == ["pos", "chunk", "ner", "sentence-inference"]


def test_every_cell_of_open_2026_trains_for_a_budget_with_three_seeds() -> None:
    assert OPEN.seeds == 3
    assert all(settings.patience is None for _, _, _, settings in OPEN.settings_in_use())


def test_tasks_of_one_network_with_equal_settings_share_a_row() -> None:
    used = {(titles, mode): settings for _, titles, mode, settings in OPEN.settings_in_use()}
    assert used["Part-of-speech tagging; Chunking", "fixed"].length == "10 epochs, rates falling to zero"
    assert used["Sentiment, 500 examples", "fixed"].learning_rate == 0.003
    assert len(used) == 13
    (settings, *_) = (settings for _, _, _, settings in suites.DEMO.settings_in_use())
    assert settings.length == "until 3 epochs bring no better dev score, at most 12"


def test_veceval_keeps_the_originals_patience() -> None:
    suite = suites.VECEVAL_2016
    assert suite.training_for(suite.task("pos"), "fixed").patience == 10
    assert suite.training_for(suite.task("chunk"), "fixed").patience == 15


def test_an_unknown_suite_or_task_names_the_known_ones() -> None:
    with pytest.raises(KeyError, match="open-2026"):
        suites.get("open-2027")
    with pytest.raises(KeyError, match="sentiment"):
        suites.DEMO.task("parsing")


def test_languages_with_the_same_tasks_are_listed_together() -> None:
    rows = OPEN.tasks_by_language()
    assert rows[0][0] == ("en",)
    of = {language: [task.id for task in tasks] for languages, tasks in rows for language in languages}
    assert of["da"] == ["qvec-da", "qvec-cca-da", "odd-one-out"]
    assert of["th"] == of["ar"] == ["odd-one-out"]
    assert len(of) == 46
    assert len(rows[-1][0]) == 40
