"""The rule that chooses training settings, on trials whose right choice is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmark.shipped.dump import dump_path
from research.board.entries import entries
from research.trials import deviations
from research.trials.command import conditions
from research.trials.grid import (
    GRIDS,
    Conditions,
    Setting,
    Standing,
    Trial,
    Tried,
    append_trial,
    choose,
    groups,
    read_trials,
    standings,
    undecided,
)
from tasks.results import MODES, cell_key
from tasks.suites import OPEN_2026

SLOW, MIDDLE, FAST = (Setting(0.01, None, 128, epochs, 0.0) for epochs in (15, 10, 5))
TRIAL = Trial("window", "fixed", "pos", "baseline", 0.01, None, 128, 15, 0.0, 5, 0.9, 0.001, 10.0)
ASKED = Conditions(margins={"pos": 10}, least={}, largest_sd={"pos": 0.002})


def tried(
    setting: Setting, dev: float, seconds: float, *, sd: float = 0.001, random_dev: float = 0.5, fall: float = 0.01
) -> Standing:
    return Standing(setting, {"pos": Tried(dev, sd, seconds, random_dev, sd, dev - fall)})


def test_the_cheapest_within_three_tenths_of_a_point_of_the_best_is_chosen() -> None:
    found = [tried(SLOW, 0.9, 30), tried(MIDDLE, 0.8975, 20), tried(FAST, 0.8965, 10)]
    assert choose(found, ASKED).setting == MIDDLE


@pytest.mark.parametrize("missed", [{"sd": 0.003}, {"random_dev": 0.895}, {"fall": 0.03}])
def test_a_setting_that_misses_a_condition_is_not_chosen_while_another_meets_all(missed: dict[str, float]) -> None:
    found = [tried(SLOW, 0.9, 30, **missed), tried(FAST, 0.8, 40)]
    assert choose(found, ASKED).setting == FAST


def test_if_none_meets_all_conditions_the_one_that_misses_least_is_chosen_with_its_shortfalls() -> None:
    found = [tried(SLOW, 0.9, 30, sd=0.004), tried(FAST, 0.8, 40, sd=0.0025)]
    chosen = choose(found, ASKED)
    assert chosen.setting == FAST
    assert list(ASKED.shortfalls(chosen)) == ["pos: sd 0.25, at most 0.20"]


def test_fine_tuned_may_not_be_below_fixed() -> None:
    asked = Conditions(margins={}, least={"pos": 0.85}, largest_sd={})
    assert choose([tried(SLOW, 0.84, 1), tried(FAST, 0.9, 9)], asked).setting == FAST
    assert asked.shortfalls(tried(SLOW, 0.84, 1)).keys() == {"pos: 1.00 points below fixed"}


def test_a_margin_is_measured_in_deviations_over_seeds() -> None:
    assert Tried(0.9, 0.03, 1.0, 0.6, 0.04).margin == pytest.approx(0.3 / (0.0025 / 2) ** 0.5)


def untried(setting: Setting, dev: float, seconds: float) -> Standing:
    """Neither with random vectors nor at three times the rate."""
    return Standing(setting, {"pos": Tried(dev, 0.001, seconds)})


def test_random_vectors_are_tried_until_they_cannot_change_the_choice() -> None:
    best, cheap, worse = untried(SLOW, 0.9, 30), untried(MIDDLE, 0.898, 20), untried(FAST, 0.8, 10)
    assert undecided([best, cheap, worse], ASKED) == [MIDDLE, SLOW]
    best, cheap = tried(SLOW, 0.9, 30), tried(MIDDLE, 0.898, 20)
    assert undecided([best, cheap, worse], ASKED) == []
    at_random = tried(SLOW, 0.9, 30, random_dev=0.895)
    assert undecided([at_random, cheap, worse], ASKED) == []
    both_at_random = [at_random, tried(MIDDLE, 0.898, 20, random_dev=0.895), worse]
    assert undecided(both_at_random, ASKED) == [FAST]


def test_a_setting_says_how_far_it_falls_at_three_times_the_rate() -> None:
    at_the_edge = tried(SLOW, 0.9, 1, fall=0.03)
    assert list(ASKED.shortfalls(at_the_edge)) == ["pos: 3.00 points lower at three times the rate"]
    not_yet = Standing(SLOW, {"pos": Tried(0.9, 0.001, 1, 0.5, 0.001)})
    assert undecided([not_yet], ASKED) == [SLOW]


def test_a_stopped_search_reads_what_it_wrote(tmp_path: Path) -> None:
    table = tmp_path / "trials.csv"
    written = [TRIAL, replace(TRIAL, mode="fine-tuned", vector_learning_rate=0.003, source="random", averaging=0.99)]
    for trial in written:
        append_trial(table, trial)
    assert read_trials(table) == written


def test_a_setting_counts_once_every_task_of_the_group_was_tried() -> None:
    both = [TRIAL, replace(TRIAL, task="ner", dev=0.6), replace(TRIAL, source="random", dev=0.4)]
    (standing,) = standings(both, "window", "fixed", ["pos", "ner"], seeds=5)
    assert standing.mean == pytest.approx(0.75)
    assert standing.cells["pos"].random_dev == 0.4
    assert standing.cells["ner"].random_dev is None
    (standing,) = standings(
        [*both, replace(TRIAL, source="tripled", dev=0.88)], "window", "fixed", ["pos", "ner"], seeds=5
    )
    assert standing.cells["pos"].fall == pytest.approx(0.02)
    assert standings([TRIAL], "window", "fixed", ["pos", "ner"], seeds=5) == []


def test_every_trained_cell_that_ranks_has_a_group_with_a_grid() -> None:
    for mode in MODES:
        found = groups(OPEN_2026, mode)
        assert found.keys() <= GRIDS.keys()
        in_means = {task.id for tasks in found.values() for task in tasks if not task.outside_means}
        assert in_means == {task.id for task, _ in OPEN_2026.cells_of_mean([mode])}
    assert [task.id for task in groups(OPEN_2026, "fixed")["shared-pair"]] == ["lexical-inference"]
    assert [task.id for task in groups(OPEN_2026, "fine-tuned")["shared-pair"]] == ["nli"]


def test_the_grid_of_a_mode_tries_the_rates_of_the_vectors_only_where_they_are_trained() -> None:
    grid = GRIDS["window"]
    assert len(grid.settings("fixed")) == 27
    assert len(grid.settings("fine-tuned")) == 81
    assert {setting.vector_learning_rate for setting in grid.settings("fixed")} == {None}


def test_window_cells_are_asked_for_half_of_the_deviation_before_and_others_for_all_of_it() -> None:
    before = deviations.read(replace(OPEN_2026, version=2))
    window = conditions([], OPEN_2026, "window", "fixed")
    assert window.largest_sd["ner"] == pytest.approx(before["ner.fixed"] / 2)
    assert window.margins == {"pos": 10, "chunk": 10, "ner": 10}
    sentence = conditions([], OPEN_2026, "sentence", "fine-tuned")
    assert sentence.largest_sd["questions"] == before["questions.fine-tuned"]
    assert sentence.margins == {"sentiment": 3, "questions": 3}
    assert conditions([], OPEN_2026, "shared-pair", "fine-tuned").margins == {}


def test_the_deviations_of_a_version_are_pooled_within_its_shipped_entries() -> None:
    found = deviations.measured(OPEN_2026)
    assert found.keys() == {cell_key(task.id, mode) for task, mode in OPEN_2026.cells() if mode}
    results = [entry.result("chunk", "fixed") for entry in entries(OPEN_2026, dump_path(OPEN_2026))]
    last = [[seed["dev"][-1] for seed in result.training["seeds"]] for result in results if result and result.training]
    assert len(last) == 15
    assert found["chunk.fixed"] == pytest.approx(np.var(last, axis=1, ddof=1).mean() ** 0.5, abs=1e-6)
