"""Letter-case features of named entities (docs/protocol.md §2.1)."""

from __future__ import annotations

import pytest

from tasks.extrinsic.window import shape_of


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("house", 0), ("don't", 0), ("House", 1), ("O'neil", 1), ("USA", 2), ("I", 2), ("U.S.", 2), ("iPhone", 3),
        ("eBay", 3), ("McDonald", 4), ("1984", 4), (",", 4), ("", 4),
    ],
)  # fmt: skip
def test_a_word_has_the_shape_of_its_letters(word: str, shape: int) -> None:
    assert shape_of(word) == shape
