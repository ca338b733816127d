"""The simulation of entries whose seeds vary more than the published variance."""

from __future__ import annotations

import numpy as np
import pytest

from research.seed_variances import seed_effects, seed_variances, share_outside, shipped, table
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


def test_the_table_states_how_much_the_entries_differ() -> None:
    suite = get("open-2026")
    text = table(suite, seed_variances(suite, shipped(suite)))
    assert "scaled inverse χ² with 9.2 degrees of freedom" in text
    assert "| Sentiment, fixed | 0.58 | 0.26 | 15 | 60 |" in text
