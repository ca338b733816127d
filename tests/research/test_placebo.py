"""The placebo study: who is permuted decides whether invented parties are found to differ."""

from __future__ import annotations

import numpy as np

from research.placebo import PERMUTATIONS, Uses, placebo_table, rejections

PRESIDENTS = [f"p{i:02}" for i in range(14)]
PARTIES = {name: "D" if i < 7 else "R" for i, name in enumerate(PRESIDENTS)}


def uses() -> list[Uses]:
    """Six addresses a president, which resemble each other; and the presidents' means."""
    draw = np.random.default_rng(0)
    own = draw.normal(size=(14, 5))
    vectors = np.repeat(own, 6, axis=0) + 0.3 * draw.normal(size=(84, 5))
    names = np.array(PRESIDENTS)
    means = vectors.reshape(14, 6, 5).mean(axis=1)
    return [Uses("addresses", vectors, np.repeat(names, 6)), Uses("presidents", means, names)]


def test_permuting_addresses_finds_invented_parties_and_permuting_presidents_does_not() -> None:
    found = np.array([rejections(uses(), PARTIES, number) for number in range(40)])
    by_addresses, by_presidents = found.mean(axis=0)
    assert by_addresses > 0.5
    assert by_presidents < 0.2
    assert PERMUTATIONS >= 99


def test_a_word_of_one_party_alone_has_no_test() -> None:
    few = Uses("presidents", np.ones((2, 3)), np.array(PRESIDENTS[:2]))
    assert np.isnan(rejections([few], PARTIES, 0)).all()


def test_the_table_has_the_share_of_each_file_and_unit() -> None:
    one = uses()
    text = placebo_table([*one, *one], [[1.0, 0.0, 1.0, np.nan], [0.0, 0.0, 1.0, 1.0]], ["a.txt", "b.txt"], 14)
    assert "| a.txt | 50.0 % | 0.0 % |" in text
    assert "| b.txt | 100.0 % | 100.0 % |" in text
