"""A chart is a picture, its words and its table, and what people write in it is never markup."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from django.utils.html import conditional_escape

from plots.chart import Chart
from plots.drawing import Drawing, element

NASTY = "<script>\"x\" & 'y'</script>"


@pytest.fixture
def chart() -> Chart:
    drawing = Drawing(100, 50)
    with drawing.group("missing", title=NASTY, link=NASTY):
        drawing.text(1, 2, NASTY, "label", anchor="end")
        drawing.dot(10, 20, 5, "better", title=NASTY)
    table = (("Name", "Score"), (NASTY, "0.5"))
    return Chart("one", NASTY, NASTY, drawing, table=table, has_row_heads=True, caption=NASTY, note=NASTY)


def test_the_picture_is_described_in_words(chart: Chart) -> None:
    picture = ET.fromstring(chart.svg)
    assert picture.attrib["role"] == "img"
    assert [picture.findtext(f"*[@id='{name}']") for name in picture.attrib["aria-labelledby"].split()] == [NASTY] * 2


def test_texts_are_escaped_wherever_they_stand(chart: Chart) -> None:
    assert "<script" not in chart.figure
    assert "<script" not in chart.file()
    assert ET.fromstring(chart.figure).findtext(".//text") == NASTY
    assert ET.fromstring(chart.figure).findtext("figcaption") == NASTY


def test_the_table_is_beside_the_picture_with_heads_for_its_rows(chart: Chart) -> None:
    figure = ET.fromstring(chart.figure)
    assert [head.attrib["scope"] for head in figure.iter("th")] == ["col", "col", "row"]
    assert [cell.text for cell in figure.iter("td")] == ["0.5"]


def test_a_template_does_not_escape_a_chart_again(chart: Chart) -> None:
    assert conditional_escape(chart.figure) == chart.figure


def test_a_title_is_the_caption_where_there_is_no_other() -> None:
    assert "<figcaption><strong>T</strong></figcaption>" in Chart("i", "T", "d", Drawing(1, 1)).figure
    assert (
        "<figcaption><strong>H</strong> c</figcaption>"
        in Chart("i", "T", "d", Drawing(1, 1), heading="H", caption="c").figure
    )


def test_a_picture_with_links_is_not_a_single_image() -> None:
    assert 'role="group"' in Chart("i", "T", "d", Drawing(1, 1), links=True).svg


def test_a_file_is_complete_and_follows_light_and_dark(chart: Chart) -> None:
    file = ET.fromstring(chart.file())
    assert file.tag == "{http://www.w3.org/2000/svg}svg"
    assert "prefers-color-scheme:dark" in chart.file()
    assert (file.attrib["width"], file.attrib["height"]) == ("100", "50")


def test_only_what_has_nothing_inside_closes_itself() -> None:
    assert element("rect", kind="bar", x=0, y=1.26, fill="") == '<rect class="bar" x="0" y="1.3"/>'
    assert element("td", "") == "<td></td>"
