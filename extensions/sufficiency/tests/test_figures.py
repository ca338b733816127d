"""Estimates from pairs by split, cue and group, against means computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from extensions.sufficiency.measure.figures import Evidence
from extensions.sufficiency.measure.pairs import CuePairs
from extensions.sufficiency.measure.splits import mean_over_splits


def pairs(cues: list[int], groups: list[int]) -> CuePairs:
    """A pair of one group for each cue and group."""
    words = np.zeros((len(cues), 21), dtype=np.int32)
    return CuePairs(np.array(cues, dtype=np.int32), words, np.array([np.arange(len(cues)), groups]))


EVIDENCE = Evidence([
    pairs([0, 0, 0, 1], [0, 0, 1, 1]), pairs([0, 1, 1], [2, 2, 3]), pairs([0, 1, 1], [4, 4, 5]), pairs([1], [6]),
])  # fmt: skip
"""The first split tests groups 0 and 1, the others groups 2 and 3, 4 and 5, and 6."""
SUMS = np.array([1.8, 0.5, 0.9, 0.3, 0.7, 0.8, 0.2, 0.4, 0.6, 0.9])
"""By split, cue and group: the first row sums two pairs."""


def test_cues_weigh_the_same_in_a_split_and_pairs_the_same_in_a_cue() -> None:
    assert EVIDENCE.counts.tolist() == [2, *[1] * 9]
    weights, by_split = np.zeros((4, 7)), np.zeros((4, 7))
    weights[0, :2], weights[1, 2:4], weights[2, 4:6], weights[3, 6] = [1 / 3, 2 / 3], [3 / 4, 1 / 4], [3 / 4, 1 / 4], 1
    by_split[0, :2] = 1.8 / 6, 0.5 / 6 + 0.9 / 2
    by_split[1, 2:4] = 0.3 / 2 + 0.7 / 4, 0.8 / 4
    by_split[2, 4:6] = 0.2 / 2 + 0.4 / 4, 0.6 / 4
    by_split[3, 6] = 0.9
    mean, interval = mean_over_splits(by_split, weights)
    assert interval is not None
    assert EVIDENCE.estimate(SUMS, np.arange(10)) == {"mean": pytest.approx(mean), "interval": pytest.approx(interval)}


def test_a_cue_alone_has_its_own_mean_and_the_first_splits_have_theirs() -> None:
    of_second = EVIDENCE.estimate(SUMS, np.flatnonzero(EVIDENCE.cues == 1))
    assert of_second["mean"] == pytest.approx((0.9 + (0.7 + 0.8) / 2 + (0.4 + 0.6) / 2 + 0.9) / 4)
    first = EVIDENCE.estimate(SUMS[:3], np.arange(10))
    assert first == {"mean": pytest.approx((2.3 / 3 + 0.9) / 2), "interval": None}
