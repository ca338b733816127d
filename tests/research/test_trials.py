"""The rule that chooses training settings, on trials whose right choice is known, and the search on the demo suite."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from research.cli import main
from research.trials.grid import Setting, Trial, append_trial, grid_of, read_trials
from research.trials.regret import LARGEST, choose, finalists, standings
from tasks.formats.text_blocks import write_text
from tasks.results import MODES
from tasks.suites import DEMO, OPEN_2026, SENTENCE_INFERENCE

SETS = ("svd", "skip-gram", "cbow", "glove", "published")
SLOW, MIDDLE, FAST = (Setting("window", 0.01, None, 128, epochs) for epochs in (15, 10, 5))
TRIAL = Trial("window", "fixed", "pos", "svd", 0.01, None, 128, 15, 5, 0.9, 0.001, 10.0)


def tried(setting: Setting, *dev: float, seconds: float | None = None, seeds: int = 5) -> list[Trial]:
    """A trial for each of the first sets; seconds: as many as epochs."""
    spent = setting.epochs if seconds is None else seconds
    return [
        replace(
            TRIAL, vectors=name, epochs=setting.epochs, learning_rate=setting.learning_rate, dev=score, seconds=spent,
            seeds=seeds,
        )
        for name, score in zip(SETS, dev, strict=False)
    ]  # fmt: skip


def ranked(*trials: list[Trial], sets: int = 2, seeds: int = 5) -> list:
    return standings([trial for some in trials for trial in some], "pos", "fixed", SETS[:sets], seeds)


def test_a_regret_is_what_a_set_loses_against_its_own_best_setting() -> None:
    slow, fast = ranked(tried(SLOW, 0.9, 0.6), tried(FAST, 0.85, 0.61))
    assert slow.setting == SLOW
    assert slow.regrets == pytest.approx({"svd": 0.0, "skip-gram": 0.01})
    assert fast.largest == pytest.approx(0.05)


def test_the_cheapest_setting_with_which_no_set_loses_more_than_a_point_is_chosen() -> None:
    slow, middle, fast = tried(SLOW, 0.9, 0.7), tried(MIDDLE, 0.893, 0.695), tried(FAST, 0.899, 0.68)
    assert choose(ranked(slow, middle, fast)).setting == MIDDLE
    assert choose(ranked(slow, middle, fast, sets=1)).setting == FAST


def test_if_every_setting_costs_some_set_more_than_a_point_the_least_loss_is_chosen() -> None:
    rows = ranked(tried(SLOW, 0.9, 0.6), tried(MIDDLE, 0.885, 0.63), tried(FAST, 0.8, 0.65))
    assert choose(rows).setting == MIDDLE
    assert choose(rows).largest == pytest.approx(0.02)


def test_a_setting_counts_once_it_was_tried_with_every_set_and_all_seeds() -> None:
    whole, partly, once = tried(SLOW, 0.9, 0.6), tried(MIDDLE, 0.95), tried(FAST, 0.99, 0.99, seeds=1)
    (row,) = ranked(whole, partly, once)
    assert (row.setting, row.largest, row.seconds) == (SLOW, 0.0, 30)


def test_the_best_of_each_set_the_smallest_regrets_and_the_cheapest_near_them_are_tried_again() -> None:
    settings = [replace(SLOW, epochs=epochs) for epochs in range(1, 9)]
    first = [0.5, 0.5, 0.89, 0.895, 0.88, 0.896, 0.9, 0.8]
    second = [0.5, 0.5, 0.69, 0.69, 0.68, 0.695, 0.67, 0.7]
    rows = ranked(*map(tried, settings, first, second))
    assert {setting.epochs for setting in finalists(rows)} == {7, 8, 6, 4, 3}


@pytest.mark.parametrize("noise", [0.002, 0.005])
def test_the_rule_finds_a_cheap_setting_that_costs_no_set_much_although_seeds_differ(noise: float) -> None:
    """Simulated: each set's scores rise with the epochs, at its own pace, and fall away from its own best rate."""
    generator = np.random.default_rng(0)
    epochs, rates = np.array([2, 5, 10, 20]), np.array([0.001, 0.003, 0.01])
    settings = [Setting("window", rate, None, 128, count) for count in epochs.tolist() for rate in rates.tolist()]
    lost, saved = [], []
    for _ in range(200):
        pace, best = generator.uniform(0.5, 3, 5), generator.uniform(np.log(0.002), np.log(0.006), 5)
        slope = np.exp(-epochs[:, None] / pace) * 0.1
        off = 0.005 * (np.log(rates)[:, None] - best) ** 2
        truth = 0.9 - (slope[:, None] + off[None]).reshape(len(settings), 5)
        seen = truth + generator.normal(0, noise / 5**0.5, truth.shape)
        chosen = choose(ranked(*(tried(s, *row) for s, row in zip(settings, seen, strict=True)), sets=5)).setting
        lost.append((truth.max(axis=0) - truth[settings.index(chosen)]).max())
        saved.append(chosen.epochs < epochs[-1])
    assert np.quantile(lost, 0.95) <= LARGEST + noise
    assert np.mean(saved) > 0.9


def test_every_trained_task_has_a_grid_and_fixed_mode_no_rates_of_the_vectors() -> None:
    for suite in (OPEN_2026, DEMO):
        for task in suite.extrinsic_tasks:
            for mode in MODES:
                settings = grid_of(task).settings(task, mode)
                assert len(set(settings)) == len(settings)
                assert bool(settings) or mode not in task.modes
                assert {s.vector_learning_rate is None for s in settings} <= {mode == "fixed"}


def test_sentence_inference_is_tried_with_both_networks() -> None:
    settings = grid_of(SENTENCE_INFERENCE).settings(SENTENCE_INFERENCE, "fixed")
    assert {setting.network for setting in settings} == {"shared-pair", "pair"}


def test_a_stopped_search_reads_what_it_wrote(tmp_path: Path) -> None:
    table = tmp_path / "trials.csv"
    written = [TRIAL, replace(TRIAL, mode="fine-tuned", vector_learning_rate=0.003)]
    for trial in written:
        append_trial(table, trial)
    assert read_trials(table) == written


def test_the_settings_of_open_2026_are_those_that_the_rule_chooses(capsys: pytest.CaptureFixture[str]) -> None:
    table = Path(__file__).parents[2] / "docs" / "trials" / "open-2026-4.csv"
    for task in OPEN_2026.extrinsic_tasks:
        for mode in task.modes:
            if task.by_operator or task.descriptive:
                continue
            assert main(["trials", "--out", str(table), "--task", task.id, "--mode", mode]) == 0
            settings = OPEN_2026.training_for(task, mode)
            vectors = "" if mode == "fixed" else f", vectors {settings.vector_learning_rate:g}"
            chosen = f"rate {settings.learning_rate:g}{vectors}, batch {settings.batch}, epochs {settings.max_epochs}"
            printed = capsys.readouterr().out
            network = "shared-pair" if task is SENTENCE_INFERENCE else task.family.id
            assert f"chosen: {network}, {chosen}" in printed, task.id


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Five small files of vectors."""
    generator = np.random.default_rng(1)
    paths = [tmp_path / f"set{i}.txt" for i in range(5)]
    for path in paths:
        write_text(path, [f"w{i}" for i in range(120)], generator.normal(size=(120, 4)).astype(np.float32))
    return [str(path) for path in paths]


@pytest.mark.slow
def test_a_search_tries_each_set_prints_a_choice_and_resumes(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "trials.csv"
    command = ["trials", *files, "--suite", "demo", "--task", "questions", "--mode", "fixed", "--out", str(table)]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "chosen: sentence, rate 0.0" in printed
    written = table.read_text().splitlines()
    tried_once = [trial for trial in read_trials(table) if trial.seeds == 1]
    assert len(tried_once) == 12 * 5
    assert {trial.vectors.split("@")[0] for trial in read_trials(table)} == {f"set{i}" for i in range(5)}
    table.write_text("\n".join(written[:-3]) + "\n")
    assert main(command) == 0
    assert sorted(line.rpartition(",")[0] for line in table.read_text().splitlines()) == sorted(
        line.rpartition(",")[0] for line in written
    )
