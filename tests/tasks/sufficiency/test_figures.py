"""Estimates from pairs by split, cue and group, against means computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tasks.statistics.intervals import mean_over_splits
from tasks.sufficiency.figures import Evidence
from tasks.sufficiency.pairs import CuePairs


def pairs(cues: list[int], groups: list[int]) -> CuePairs:
    """A pair of one group for each cue and group."""
    words = np.zeros((len(cues), 21), dtype=np.int32)
    return CuePairs(np.array(cues, dtype=np.int32), words, np.array([np.arange(len(cues)), groups]))


EVIDENCE = Evidence([pairs([0, 0, 0, 1], [0, 0, 1, 1]), pairs([0, 1, 1], [2, 2, 3])])
"""Split 0 tests groups 0 and 1, split 1 groups 2 and 3."""
SUMS = np.array([1.0, 0.8, 0.5, 0.9, 0.3, 0.7])


def test_cues_weigh_the_same_in_a_split_and_pairs_the_same_in_a_cue() -> None:
    assert EVIDENCE.counts.tolist() == [2, 1, 1, 1, 1, 1]
    first = ((1.0 + 0.8) / 3 + 0.5) / 2
    second = (0.9 + (0.3 + 0.7) / 2) / 2
    found = EVIDENCE.estimate(SUMS, np.arange(6))
    assert found["mean"] == pytest.approx((first + second) / 2)
    weights = np.array([[1 / 3, 1 / 6 + 1 / 2, 0, 0], [0, 0, 1 / 2 + 1 / 4, 1 / 4]])
    sums = np.array([[1 / 6, 0.8 / 6 + 0.25, 0, 0], [0, 0, 0.45 + 0.3 / 4, 0.7 / 4]])
    assert found["interval"] == pytest.approx(mean_over_splits(sums, weights)[1])


def test_a_cue_alone_has_its_own_mean_and_the_first_splits_have_theirs() -> None:
    assert EVIDENCE.estimate(SUMS, np.flatnonzero(EVIDENCE.cues == 1))["mean"] == pytest.approx((0.5 + 0.5) / 2)
    first = EVIDENCE.estimate(SUMS[:3], np.arange(6))
    assert first == {"mean": pytest.approx(0.55), "interval": None}
