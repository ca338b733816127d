"""Windows and weights of the co-occurrence counts that GloVe is trained on."""

from __future__ import annotations

import pytest

from tasks.baseline.counting import cooccurrences, encode, whole_weights


def test_a_harmonic_weight_is_one_over_the_distance() -> None:
    counts = cooccurrences(encode(["a b c d"], minimum_count=1, gap=12), window=12, weighting="harmonic").toarray()
    assert counts[0].tolist() == pytest.approx([0, 1, 1 / 2, 1 / 3])


def test_a_wider_window_never_reaches_into_the_next_line() -> None:
    counts = cooccurrences(encode(["a b", "c d"], minimum_count=1, gap=12), window=12, weighting="harmonic").toarray()
    assert counts[0].tolist() == [0, 1, 0, 0]


def test_a_window_of_one_sees_neighbours_only() -> None:
    assert cooccurrences(encode(["a b c"], minimum_count=1), window=1).toarray()[0].tolist() == [0, 1, 0]


def test_it_refuses_a_window_wider_than_the_gap_between_lines() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        cooccurrences(encode(["a b"], minimum_count=1), window=6)


@pytest.mark.parametrize("weighting", ["linear", "harmonic"])
def test_weights_are_whole_numbers_so_that_sums_are_exact(weighting: str) -> None:
    weights, unit = whole_weights(12, weighting)  # type: ignore[arg-type]
    assert weights[0] == unit
    assert all(isinstance(weight, int) and weight > 0 for weight in weights)
