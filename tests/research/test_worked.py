"""Worked examples: their pictures."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from research.worked import CONTEXTS, DRIFT, EXAMPLES, Example

CHANGED = {"change": 0.9, "interval": [0.8, 1.1], "neighbours": 0.95}
COMPARED = {"distance": 1.5, "interval": [1.4, 2.5], "p": 0.0171}
FOUND = {
    DRIFT: ({"floor": {"change": 0.31}, "most": {"word": CHANGED}}, ["0.90, by neighbours 0.95", "floor 0.31"]),
    CONTEXTS: ({"targets": {"word": COMPARED}}, ["1.50, p 0.017"]),
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_a_picture_has_every_word_with_its_figures(example: Example) -> None:
    found, expected = FOUND[example]
    drawn = ElementTree.fromstring(example.chart(found).file())
    texts = ["".join(text.itertext()) for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"word", *expected} <= set(texts)
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}circle"))) == 1
