"""Charts: description, table, escaping, and files as SVG and PNG."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from django.utils.html import conditional_escape
from numpy.typing import NDArray
from PIL import Image

from plots.chart import LINE_HEIGHT, MARGIN, SCALE, Chart, chart_pdf, chart_png, png
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


def test_texts_are_escaped_everywhere(chart: Chart) -> None:
    assert "<script" not in chart.figure
    assert "<script" not in chart.file()
    assert ET.fromstring(chart.figure).findtext(".//text") == NASTY
    assert ET.fromstring(chart.figure).findtext("figcaption") == NASTY


def test_the_table_is_next_to_the_picture_and_has_row_headers(chart: Chart) -> None:
    figure = ET.fromstring(chart.figure)
    assert [head.attrib["scope"] for head in figure.iter("th")] == ["col", "col", "row"]
    assert [cell.text for cell in figure.iter("td")] == ["0.5"]


def test_a_template_does_not_escape_a_chart_again(chart: Chart) -> None:
    assert conditional_escape(chart.figure) == chart.figure


def test_a_picture_with_links_is_not_a_single_image() -> None:
    assert 'role="group"' in Chart("i", "T", "d", Drawing(1, 1), links=True).svg


def test_a_file_is_complete_and_follows_light_and_dark(chart: Chart) -> None:
    file = ET.fromstring(chart.file())
    assert file.tag == "{http://www.w3.org/2000/svg}svg"
    assert "prefers-color-scheme:dark" in chart.file()
    assert (file.attrib["width"], file.attrib["height"]) == ("100", "50")


def test_only_empty_elements_are_self_closing() -> None:
    assert element("rect", kind="bar", x=0, y=1.26, fill="") == '<rect class="bar" x="0" y="1.3"/>'
    assert element("td", "") == "<td></td>"


def pixels(file: bytes) -> NDArray[np.uint8]:
    with Image.open(io.BytesIO(file)) as picture:
        assert picture.format == "PNG"
        return np.asarray(picture.convert("RGB"))


def titled(drawing: Drawing, title: str = "T") -> Chart:
    return Chart("c", title, "d", drawing)


def test_a_bar_is_rendered_at_its_position() -> None:
    drawing = Drawing(100, 50)
    drawing.bar(20, 10, 40, 20, "worse")
    found = pixels(chart_png(titled(drawing)))
    top, left = found.shape[0] - (MARGIN + 50) * SCALE, MARGIN * SCALE
    assert tuple(found[top + 20 * SCALE, left + 40 * SCALE]) == (0xD5, 0x5E, 0x00)
    assert (found[top + 5 * SCALE, left + 40 * SCALE] > 240).all()
    assert (found[top + 20 * SCALE, left + 70 * SCALE] > 240).all()


def test_a_picture_in_fixed_colours_has_no_variable_left_and_every_other_one_has_both_modes() -> None:
    drawing = titled(Drawing(100, 50))
    assert re.search(r"var\(|:root|@media", drawing.file(fixed=True)) is None
    assert "prefers-color-scheme:dark" in drawing.file()


def test_letters_come_from_the_fonts_that_ship() -> None:
    drawn = {word: chart_png(titled(Drawing(100, 50), word)) for word in ("n", "ñ", "ł", "ß", "Ω", "Ж")}
    assert len(set(drawn.values())) == len(drawn)
    heavy, light = ((pixels(png(_text(weight))) < 128).sum() for weight in (600, 400))
    assert heavy > 1.1 * light > 0


def _text(weight: int) -> str:
    style = f"font:{weight} 20px system-ui,sans-serif"
    space = "http://www.w3.org/2000/svg"
    return f'<svg xmlns="{space}" width="90" height="30"><text y="20" style="{style}">weight</text></svg>'


def test_a_pdf_has_the_size_of_the_drawing_and_the_fonts_that_ship() -> None:
    drawing = Drawing(100, 50)
    drawing.text(5, 20, "ñ Ω Ж", "label")
    file = chart_pdf(titled(drawing))
    width, height = (float(value) for value in re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+)", file)[0])
    points = 3 / 4  # of a pixel
    assert width == points * (100 + 2 * MARGIN)
    assert height == points * (50 + LINE_HEIGHT + 8 + 2 * MARGIN)
    assert {b"Inter-Regular", b"Inter-SemiBold"} <= set(re.findall(rb"\+(Inter-\w+)", file))


@pytest.mark.parametrize("name", ["\x00\x1b[31m", "two\nlines", "\ud800", "\uffff", "漢字 🙂", "<b>&amp;", "\u202e"])
def test_characters_invalid_in_xml_do_not_break_a_picture(name: str) -> None:
    drawing = Drawing(100, 50)
    drawing.text(5, 20, name, "label")
    assert chart_png(Chart("c", name, name, drawing)).startswith(b"\x89PNG")
    assert chart_pdf(Chart("c", name, name, drawing)).startswith(b"%PDF")


def test_text_that_is_not_svg_is_refused() -> None:
    with pytest.raises(ValueError, match="root node"):
        png("<svg")
