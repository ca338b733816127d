"""The simulation of entries whose seeds vary more than the published variance."""

from __future__ import annotations

import numpy as np
import pytest

from research.seed_variances import prior_freedom, seed_effects, seed_variances, share_outside, shipped, summary
from tasks.statistics.uncertainty import SeedVariance
from tasks.suites import get

PUBLISHED = SeedVariance("abc", 4.0, 15, 60)


@pytest.mark.parametrize(("seeds", "times"), [(3, 1), (3, 25), (5, 1), (5, 4), (5, 25)])
def test_scores_of_entries_with_unstable_training_are_covered(seeds: int, times: int) -> None:
    generator = np.random.default_rng(1)
    effect, used = seed_effects(PUBLISHED, seeds, times, generator)
    score = generator.normal(effect, 2.0)  # test examples add as much variance as a seed
    assert 0.03 < share_outside(score, 4.0 + used) < 0.075
    assert (share_outside(score, 4.0 + PUBLISHED.variance / seeds) > 0.08) == (times > 1)


def test_the_summary_states_how_much_the_entries_differ() -> None:
    suite = get("open-2026")
    text = summary(suite, seed_variances(suite, shipped(suite)))
    assert "scaled inverse χ² with 13.9 degrees of freedom" in text
    assert "from 0.07 (Chunking, fine-tuned) to 1.00 (Sentiment, 500 examples, fixed) points" in text


def seeds_of(freedom: float, entries: int, seeds: int) -> list[list[list[float]]]:
    """Twelve cells of entries with scaled inverse χ² variances with these degrees of freedom."""
    generator = np.random.default_rng(8)
    deviations = np.sqrt(freedom / generator.chisquare(freedom, (12, entries)))
    return (deviations[:, :, None] * generator.standard_normal((12, entries, seeds))).tolist()


@pytest.mark.parametrize("freedom", [4.0, 12.0])
def test_how_much_entries_differ_is_found_again(freedom: float) -> None:
    estimated = prior_freedom(seeds_of(freedom, 200, 3))
    assert estimated == pytest.approx(freedom, rel=0.35)


def test_entries_that_differ_by_chance_only_are_not_told_apart() -> None:
    estimated = prior_freedom([np.random.default_rng(5).standard_normal((20_000, 3)).tolist()])
    assert estimated is None or estimated > 30


def test_entries_with_different_numbers_of_seeds_count_together() -> None:
    few, many = seeds_of(6.0, 200, 3), seeds_of(6.0, 200, 10)
    estimated = prior_freedom([[*few_of, *many_of] for few_of, many_of in zip(few, many, strict=True)])
    assert estimated == pytest.approx(6.0, rel=0.35)


def test_without_two_seeds_nothing_is_known_of_how_entries_differ() -> None:
    assert prior_freedom([[[1.0], [2.0]]]) is None
