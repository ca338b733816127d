"""Reliability of tasks, compared with simulations whose answer is known."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from benchmark.shipped.dump import dump_path
from research.board.entries import entries
from research.page import PAGE
from research.reliability import LEAST_TOLD_APART, Lead, Reliability, power_of_ranks, reliabilities, told_apart, written
from tasks.statistics.bootstrap import RESAMPLES
from tasks.statistics.ranks import Dispersion
from tasks.suites import OPEN_2026
from tasks.word_tasks import TOO_SMALL


def drawn(true_sd: float, noise_sd: float, shared_sd: float, count: int = 400) -> tuple[np.ndarray, Dispersion]:
    """Observed scores and their resamples; the shared part moves all entries alike."""
    generator = np.random.default_rng(0)
    scores = generator.normal(0, true_sd, count) + generator.normal(0, noise_sd, count)
    shared = generator.normal(0, shared_sd, RESAMPLES)
    noise = generator.normal(0, noise_sd, (count, RESAMPLES))
    return scores, Dispersion.of_draws(scores[:, None] + noise + shared)


def test_pairs_told_apart_go_from_none_to_all() -> None:
    assert told_apart(*drawn(0, 1, 5, count=12)) < 0.1
    assert told_apart(*drawn(1000, 1, 5, count=12)) > 0.95


def test_ranks_find_four_of_five_differences_of_the_size_after_correction_and_fewer_of_one_tests() -> None:
    of_one_test, corrected = power_of_ranks(13)
    assert of_one_test < 0.55
    assert corrected == pytest.approx(0.8, abs=0.04)


@pytest.mark.slow
def test_every_task_of_the_shipped_board_has_a_row() -> None:
    suite = OPEN_2026
    board = entries(suite, dump_path(suite), of_any_text=True)
    few = [task for task in suite.tasks if task.id in ("chunk", "sim-rg-65", "metaphor", "political-en")]
    found = {(one.task.id, one.mode): one for one in reliabilities(replace(suite, tasks=tuple(few)), board)}
    assert set(found) == {("chunk", "fixed"), ("chunk", "fine-tuned"), ("sim-rg-65", None), ("metaphor", None)}
    assert not found["chunk", "fixed"].too_small
    assert found["sim-rg-65", None].too_small
    assert not found["metaphor", None].too_small
    lead = found["chunk", "fixed"].over_random
    assert lead is not None
    assert lead.interval is not None
    assert 0 < lead.interval[0] < lead.difference < lead.interval[1]
    for key, least, most in ((("chunk", "fixed"), 0.001, 0.02), (("sim-rg-65", None), 0.1, 0.5)):
        alone, corrected = found[key].detectable
        assert least < alone < corrected < most
    text = written(suite, list(found.values()), [])
    assert "| Told apart | Detectable |" in text
    assert "| Chunking | 90 % |" in text


@pytest.mark.slow
def test_the_means_have_exactly_the_cells_that_pass_the_rule() -> None:
    board = entries(OPEN_2026, dump_path(OPEN_2026), of_any_text=True)
    trained = replace(OPEN_2026, tasks=OPEN_2026.extrinsic_tasks)
    text = written(trained, reliabilities(trained, board), [])
    assert "pass the rule of the means: Part-of-speech tagging (fixed)" in text
    assert "but don't" not in text


def test_word_tasks_that_the_page_calls_too_small_have_a_note() -> None:
    page = PAGE.read_text(encoding="utf-8")
    told_apart = {title: int(share) for title, share in re.findall(r"^\| ([^|]+) \| (\d+) % \|", page, re.M)}
    word_tasks = [task for task in OPEN_2026.tasks if task.modes == (None,) and task.title in told_apart]
    assert len(word_tasks) > 20
    for task in word_tasks:
        assert (TOO_SMALL in task.note) == (told_apart[task.title] < 100 * LEAST_TOLD_APART), task.id


@pytest.mark.parametrize(("low", "told_apart", "passes"), [(0.1, 0.1, True), (-0.1, 0.9, False), (0.1, 0.09, False)])
def test_a_cell_counts_if_the_baseline_clearly_leads_random_vectors_and_a_tenth_of_the_pairs_is_told_apart(
    low: float, told_apart: float, passes: bool
) -> None:
    task = OPEN_2026.task("chunk")
    lead = Lead(1.0, (low, 2.0))
    row = Reliability(task, "fixed", 13, told_apart, (0.01, 0.02), lead)
    assert row.measures_vectors is passes
    assert not replace(row, over_random=None).measures_vectors
    counts = "count, but don't pass it: Chunking (fixed)" in written(OPEN_2026, [row], [])
    assert counts is not passes
