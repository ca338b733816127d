"""The worked example: its picture, and the page's copy of commands and output."""

from __future__ import annotations

import shlex
from xml.etree import ElementTree

from research import pages
from research.cli import build_parser
from research.worked import COMPARISON, ID, PAGE, PICTURE, TRAINING, contexts_chart, run

COMPARED = {
    "distance": {"estimate": -0.5, "interval": [-1.4, 2.5], "p": 0.0171},
    "groups": {"one": {"units": 5}, "other": {"units": 9}},
}
FEW = COMPARED | {"groups": {"one": {"units": 4}, "other": {"units": 9}}}


def test_the_picture_has_every_frequent_word_with_its_numbers() -> None:
    figures = {"vectors": [{"targets": {"word": COMPARED, "rare": FEW}}]}
    drawn = ElementTree.fromstring(contexts_chart(figures).file())
    texts = ["".join(text.itertext()) for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"word", "−0.50, p 0.017", "−1"} <= set(texts)
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}circle"))) == 1


def test_the_page_has_the_commands_of_the_example() -> None:
    begin, end = pages.marks(ID)
    printed = PAGE.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0]
    for command in (TRAINING, COMPARISON):
        assert f"$ python -m tasks {shlex.join(command)}\n" in printed
    assert PICTURE.is_file()
    assert build_parser().parse_args([ID]).run == run
