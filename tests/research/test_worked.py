"""Worked examples: their pictures, and the page's copies of commands and output."""

from __future__ import annotations

import shlex
from xml.etree import ElementTree

import pytest

from research import pages
from research.cli import build_parser
from research.worked import CONTEXTS, DRIFT, EXAMPLES, PAGE, Example

CHANGED = {"change": 0.9, "interval": [0.8, 1.1], "neighbours": 0.95}
COMPARED = {
    "distance": {"estimate": -0.5, "interval": [-1.4, 2.5], "p": 0.0171},
    "groups": {"one": {"units": 5}, "other": {"units": 9}},
}
FEW = COMPARED | {"groups": {"one": {"units": 4}, "other": {"units": 9}}}
FOUND = {
    DRIFT: ({"floor": {"change": 0.31}, "most": {"word": CHANGED}}, ["0.90, by neighbours 0.95", "floor 0.31"]),
    CONTEXTS: ({"vectors": [{"targets": {"word": COMPARED, "rare": FEW}}]}, ["−0.50, p 0.017", "−1"]),
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_a_picture_has_every_word_with_its_numbers(example: Example) -> None:
    found, expected = FOUND[example]
    drawn = ElementTree.fromstring(example.chart(found).file())
    texts = ["".join(text.itertext()) for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"word", *expected} <= set(texts)
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}circle"))) == 1


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_the_page_has_the_commands_of_an_example(example: Example) -> None:
    begin, end = pages.marks(example.id)
    printed = PAGE.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0]
    for command in example.commands:
        assert f"$ python -m tasks {shlex.join(command)}\n" in printed
    assert example.picture.is_file()
    assert build_parser().parse_args([example.id]).run == example.run
