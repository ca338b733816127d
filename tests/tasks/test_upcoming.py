"""Version 3 of open-2026 is what PROTOCOL.md §2 says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmark.leaderboard.columns import by_group, columns_of
from tasks.datasets.registry import REGISTRY
from tasks.hashes import task_hash
from tasks.results import MODES
from tasks.suites import OPEN_2026, SUITES
from tasks.upcoming import MEASURED, OPEN_2026_3


def test_the_means_have_eleven_cells_and_phrase_inference_is_in_none() -> None:
    fixed, tuned = ([task.id for task, _ in OPEN_2026_3.cells_of_mean([mode])] for mode in ("fixed", "fine-tuned"))
    assert tuned == ["pos", "chunk", "ner", "sentiment", "questions"]
    assert fixed == [*tuned, "lexical-inference"]
    assert len(OPEN_2026_3.cells_of_mean(MODES)) == 11
    assert OPEN_2026_3.task("nli").modes == ("fixed", "fine-tuned")


def test_every_cell_trains_for_a_budget_with_five_seeds() -> None:
    assert OPEN_2026_3.seeds == 5
    for task, mode in OPEN_2026_3.cells():
        if mode is not None:
            assert OPEN_2026_3.training_for(task, mode).patience is None
        assert task.dataset is None or task.dataset in REGISTRY


@pytest.mark.parametrize("task", ["metaphor", "priming-ldt-200", "political-human", "questions", "nli", "pos"])
def test_what_is_measured_otherwise_has_another_hash(task: str) -> None:
    before, now = OPEN_2026, OPEN_2026_3
    mode = before.task(task).modes[0]
    assert task_hash(before, before.task(task), mode) != task_hash(now, now.task(task), mode)


@pytest.mark.parametrize("task", ["analogy-google", "sim-men-tr-3k", "20ng", "political-all"])
def test_what_is_measured_as_before_keeps_its_hash_and_its_results(task: str) -> None:
    assert task_hash(OPEN_2026, OPEN_2026.task(task), None) == task_hash(OPEN_2026_3, OPEN_2026_3.task(task), None)


def test_no_page_offers_the_version_in_preparation() -> None:
    assert OPEN_2026_3 not in SUITES.values()
    assert MEASURED.keys() - SUITES.keys() == {"open-2026-3"}


def test_its_board_has_the_cells_of_the_means_first_and_every_other_group_once() -> None:
    columns = [column for column in columns_of(OPEN_2026_3) if column.kind == "reduction"]
    groups = [group for group, _ in by_group(columns)]
    assert groups == ["Mean", "Equal dimensions", "Fixed", "Fine-tuned", "Few examples", "Not in the means"]
    assert [column.key for column in columns if column.group == "Few examples"] == [
        "sentiment-500.fixed",
        "ner-500.fixed",
    ]
    assert len({column.key for column in columns}) == len(columns)


def test_the_settings_in_use_are_those_of_families_then_those_of_single_tasks() -> None:
    suite = replace(OPEN_2026_3, training_overrides={"ner-500": {"max_epochs": 40}})
    used = {(title, mode): settings for _, title, mode, settings in suite.settings_in_use()}
    assert {title for title, _ in used} == {"window", "sentence", "shared-pair", "Named entities, 500 examples"}
    assert used["window", "fixed"].length == f"{used['window', 'fixed'].max_epochs} epochs, rates falling to zero"
    assert used["Named entities, 500 examples", "fixed"].max_epochs == 40
    before = {title: settings.length for _, title, _, settings in OPEN_2026.settings_in_use()}
    assert before["window"] == "until 5 epochs bring no better dev score, at most 100"
    assert before["pair"].endswith(", average of the weights (decay 0.99)")
