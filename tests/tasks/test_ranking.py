"""Ranks from paired differences."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from scipy.stats import norm

from tasks.ranking import LEVEL, Draws, _significant, ranks, reductions, resampled_scores
from tasks.results import Outcomes
from tasks.statistics import RESAMPLES, SEED, bootstrap_scores, holm


def entry(share: float, n: int = 400, seed: int = 0) -> Outcomes:
    """Right on about this share of the examples; equal seeds are right on the same ones."""
    right = np.random.default_rng(seed).random(n) < share
    return Outcomes(("correct", "total"), np.stack([right, np.ones(n)], axis=1).astype(np.float32))


def ranked(entries: list[Outcomes]) -> tuple[np.ndarray, Draws]:
    points = np.array([outcomes.values[:, 0].mean() for outcomes in entries], dtype=np.float64)
    return points, resampled_scores(entries, "accuracy", "questions")


def test_clearly_better_entries_stand_before_clearly_worse_ones() -> None:
    found = ranks(*ranked([entry(0.5), entry(0.9), entry(0.7)]))
    assert found.rank.tolist() == [3, 1, 2]
    assert found.last.tolist() == [3, 1, 2]


def test_entries_that_noise_may_tell_apart_share_a_rank() -> None:
    found = ranks(*ranked([entry(0.95), entry(0.70, seed=1), entry(0.71, seed=2), entry(0.69, seed=3), entry(0.3)]))
    assert found.rank.tolist() == [1, 2, 2, 2, 5]
    assert found.last.tolist() == [1, 4, 4, 4, 5]


def test_pairing_finds_a_small_difference_on_the_same_examples() -> None:
    """Right wherever the other is, and on ten examples more: the noise they share does not count."""
    one = entry(0.7)
    values = one.values.copy()
    values[np.flatnonzero(values[:, 0] == 0)[:15], 0] = 1
    assert ranks(*ranked([one, Outcomes(one.columns, values)])).rank.tolist() == [2, 1]
    apart = entry(float(values[:, 0].mean()), seed=9)
    assert ranks(*ranked([one, apart])).rank.tolist() == [1, 1]


def test_the_same_vectors_twice_share_their_rank() -> None:
    assert ranks(*ranked([entry(0.6), entry(0.6)])).rank.tolist() == [1, 1]


def test_an_entry_without_a_score_has_no_rank_and_takes_none() -> None:
    points, draws = ranked([entry(0.9), entry(0.5), entry(0.7)])
    points[0] = np.nan
    assert ranks(points, draws).rank.tolist() == [0, 2, 1]


def test_where_lower_is_better_the_lowest_stands_first() -> None:
    assert ranks(*ranked([entry(0.9), entry(0.5)]), higher_is_better=False).rank.tolist() == [2, 1]


def test_ranks_agree_with_holm_pair_by_pair() -> None:
    rng = np.random.default_rng(3)
    entries = [entry(share, seed=seed) for seed, share in enumerate(rng.uniform(0.6, 0.75, 25))]
    points, draws = ranked(entries)
    found = ranks(points, draws)
    for i in range(len(entries)):
        others = [j for j in range(len(entries)) if j != i]
        errors = [np.std(draws[i].astype(float) - draws[j].astype(float), ddof=1) for j in others]
        z = np.array([(points[i] - points[j]) / e for j, e in zip(others, errors, strict=True)])
        adjusted = np.array(holm([float(p) for p in 2 * norm.sf(np.abs(z))]))
        assert found.worse[i] == ((adjusted <= 0.05) & (z < 0)).sum()
        assert found.rank[i] == 1 + found.worse[i]


def test_counting_rejects_what_holms_procedure_rejects() -> None:
    z = np.abs(np.random.default_rng(4).normal(0, 2.2, (40, 60)))
    thresholds = -norm.ppf(LEVEL / 2 / np.arange(60, 0, -1))
    found = _significant(z**2, thresholds**2)
    expected = [[p <= LEVEL for p in holm([float(p) for p in 2 * norm.sf(row)])] for row in z]
    assert found.tolist() == expected
    assert 0 < found.sum() < found.size


def test_resamples_are_those_of_one_plain_draw() -> None:
    """Entries that were resampled long ago are paired with new ones, so the draws may never change."""
    n = 1_500
    drawn = np.random.default_rng([SEED, zlib.crc32(b"questions")]).integers(0, n, size=(RESAMPLES, n))
    weights = np.stack([np.bincount(row, minlength=n) for row in drawn])
    outcomes = entry(0.7, n)
    plain = weights @ outcomes.values[:, 0] / n
    np.testing.assert_allclose(resampled_scores([outcomes], "accuracy", "questions")[0], plain, rtol=1e-6)


def test_resampled_scores_spread_as_the_reports_bootstrap_does() -> None:
    outcomes = entry(0.7)
    ours, theirs = resampled_scores([outcomes], "accuracy", "pos")[0], bootstrap_scores(outcomes, "accuracy")
    assert ours.mean() == pytest.approx(theirs.mean(), abs=0.003)
    assert ours.std() == pytest.approx(theirs.std(), rel=0.1)


def test_tasks_are_drawn_apart_and_entries_of_a_task_alike() -> None:
    outcomes = entry(0.7)
    again = resampled_scores([entry(0.2, seed=5), outcomes], "accuracy", "pos")[1]
    np.testing.assert_array_equal(resampled_scores([outcomes], "accuracy", "pos")[0], again)
    other_task = resampled_scores([outcomes], "accuracy", "ner")[0]
    assert abs(np.corrcoef(again, other_task)[0, 1]) < 0.15


def test_a_resample_in_which_the_baseline_is_perfect_has_no_reduction() -> None:
    found = reductions(np.float32([[0.5, 0.9]]), np.float32([[0.0, 1.0]]))
    assert found[0, 0] == pytest.approx(0.5)
    assert np.isnan(found[0, 1])


def test_a_correlation_is_not_resampled() -> None:
    with pytest.raises(ValueError, match="sums over examples"):
        resampled_scores([entry(0.5)], "spearman", "sim-men")
