"""The simulations of ``tasks claim``."""

from __future__ import annotations

import argparse

import numpy as np
import pytest

from extensions.claim.measure.plan import ByChance, Measured
from research.claim import CLAIMS, EFFECT, LISTED, SPEAKERS, corpus_of, medians_of, placebo, share_of, simulated


def nearness(tokens_of: np.ndarray, first: int) -> float:
    """Share of the attributes of the first list after words of X."""
    after = tokens_of[1:][tokens_of[:-1] < LISTED]
    return float((after // LISTED == first).mean())


def test_the_planted_words_are_near_the_first_attributes_in_the_second_group_alone() -> None:
    tokens, group_of = corpus_of(200_000, EFFECT, LISTED, np.random.default_rng(0))
    first, second = (tokens.ids[group_of[tokens.documents] == group] for group in (0, 1))
    assert abs(nearness(first, 2) - 0.5) < 0.1
    assert nearness(second, 2) > 0.75
    assert len(set(tokens.documents.tolist())) == SPEAKERS


def test_a_table_has_a_share_for_every_claim() -> None:
    parsed = argparse.Namespace(part="interval", corpora=1, workers=1)
    rows = simulated(parsed).splitlines()
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows[4:]] == list(CLAIMS)
    assert "interval" in rows[2]
    assert share_of(0.25, 40) == "25.0 % (14.2 to 40.2)"


def test_medians_are_over_the_settings_of_what_was_dealt_to_units() -> None:
    rows = [ByChance("local", 2, size, "units", 0.0, [value, 1.0]) for size, value in ((10, 2.0), (20, 4.0))]
    words = ByChance("local", 2, 10, "words", 0.0, [9.0])
    assert medians_of([Measured(by_chance=[*rows, words])]).tolist() == [3.0, 1.0]


@pytest.mark.slow
@pytest.mark.data("sotu")
def test_dealing_addresses_finds_more_invented_parties_than_dealing_presidents() -> None:
    row = next(line for line in placebo(40).splitlines() if line.startswith("| Groups"))
    by_presidents, by_addresses = (float(cell.split("%")[0]) for cell in row.split("|")[2:4])
    assert by_addresses > by_presidents
