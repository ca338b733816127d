"""The preference score and its interval, checked with simulated raters, and the command that prints the check."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from extensions.people.measure.preference import adjusted_score, overlap, preference
from research.cli import main
from research.raters import OVERLAPS, PREFERENCES, check, lists_sharing, mean_scores, raters_needed, truth_of_drawing


@pytest.mark.parametrize("shared", [0, 3, 6])
def test_the_lists_share_as_many_words_as_asked(shared: int) -> None:
    candidate, baseline = lists_sharing(shared)
    assert (len(candidate), len(baseline), len(set(candidate) & set(baseline))) == (10, 10, shared)


def test_the_truth_counted_out_is_what_drawing_at_random_gives() -> None:
    rng = np.random.default_rng(0)
    candidate, baseline = lists_sharing(6)
    first, second = rng.choice(candidate, 200_000), rng.choice(baseline, 200_000)
    wins = np.where(first == second, rng.random(200_000) < 0.5, rng.random(200_000) < 0.2)
    assert wins.mean() / 0.5 == pytest.approx(truth_of_drawing(candidate, baseline, 0.2), abs=0.01)


def test_the_formula_meets_the_truth_and_the_published_one_does_not() -> None:
    candidate, baseline = lists_sharing(6)
    truth = truth_of_drawing(candidate, baseline, 0.2)
    assert adjusted_score(0.2, overlap(candidate, baseline)) == pytest.approx(truth)
    assert abs(float(adjusted_score(0.2, 0.36)) - truth) > 0.1


def test_many_studies_at_once_score_as_each_does_alone() -> None:
    won = np.random.default_rng(1).integers(0, 2, size=(3, 20, 10))
    means, resampled = mean_scores(won, 0.03)
    for study in range(3):
        alone = preference(won[study], np.ones((20, 10)), np.full(10, 0.03), np.full(10, 0.09))
        assert means[study] == pytest.approx(alone.mean)
        assert resampled[:, study].std() > 0


@pytest.mark.parametrize(("p", "shared"), [(0.2, 6), (0.5, 0), (0.8, 3)])
def test_simulated_raters_are_scored_without_bias_and_the_interval_covers(p: float, shared: int) -> None:
    result = check(p, shared, runs=400)
    assert abs(result.bias) < 0.01
    assert 0.92 < result.coverage < 0.98


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*arguments: str) -> str:
        assert main(["raters", *arguments]) == 0
        return capsys.readouterr().out

    return run


def test_every_preference_is_checked_with_every_overlap(printed: Callable[..., str]) -> None:
    rows = [line.split("|")[1:3] for line in printed("--runs", "5").splitlines()[2:]]
    assert {(float(p), int(shared.split()[0])) for p, shared in rows} == {(p, o) for p in PREFERENCES for o in OVERLAPS}


def test_it_says_how_many_raters_an_interval_needs(printed: Callable[..., str]) -> None:
    lines = printed("--half-width", "0.4").splitlines()
    alike = [int(cell) for cell in lines[-3].split("|")[2:4]]
    assert 2 < alike[0] < alike[1]


def test_a_narrower_interval_needs_more_raters_and_a_single_cue_most() -> None:
    wide, narrow = raters_needed(0.2, 0.5, [0.03] * 10), raters_needed(0.1, 0.5, [0.03] * 10)
    one = raters_needed(0.2, 0.5, [0.03] * 10, of_one_cue=True)
    assert wide is not None
    assert narrow is not None
    assert one is not None
    assert wide.raters < narrow.raters < one.raters
    assert narrow.mean <= 0.1


def test_raters_of_different_tastes_are_needed_in_greater_number() -> None:
    alike, apart = (raters_needed(0.1, 0.5, [0.0] * 10, spread) for spread in (0.0, 0.3))
    assert alike is not None
    assert apart is not None
    assert alike.raters < apart.raters


def test_it_gives_up_where_no_study_could_be_large_enough() -> None:
    assert raters_needed(0.001, 0.5, [0.0] * 2) is None
