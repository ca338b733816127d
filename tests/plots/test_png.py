"""Charts as PNG: every mark at its place, in its colour, whatever the names on it hold."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from plots.chart import MARGIN, Chart
from plots.drawing import Drawing
from plots.png import SCALE, chart_png, png


def pixels(file: bytes) -> NDArray[np.uint8]:
    with Image.open(io.BytesIO(file)) as picture:
        assert picture.format == "PNG"
        return np.asarray(picture.convert("RGB"))


def chart(drawing: Drawing, title: str = "T") -> Chart:
    return Chart("c", title, "d", drawing)


def test_a_bar_is_where_the_drawing_has_it() -> None:
    drawing = Drawing(100, 50)
    drawing.bar(20, 10, 40, 20, "worse")
    found = pixels(chart_png(chart(drawing)))
    top, left = found.shape[0] - (MARGIN + 50) * SCALE, MARGIN * SCALE
    assert tuple(found[top + 20 * SCALE, left + 40 * SCALE]) == (0xD5, 0x5E, 0x00)
    assert (found[top + 5 * SCALE, left + 40 * SCALE] > 240).all()
    assert (found[top + 20 * SCALE, left + 70 * SCALE] > 240).all()


def test_a_picture_in_fixed_colours_has_no_variable_left_and_every_other_one_has_both_modes() -> None:
    drawing = chart(Drawing(100, 50))
    assert re.search(r"var\(|:root|@media", drawing.file(fixed=True)) is None
    assert "prefers-color-scheme:dark" in drawing.file()


def test_letters_come_from_the_fonts_that_ship() -> None:
    drawn = {word: chart_png(chart(Drawing(100, 50), word)) for word in ("n", "ñ", "ł", "ß", "Ω", "Ж")}
    assert len(set(drawn.values())) == len(drawn)
    heavy, light = ((pixels(png(_text(weight))) < 128).sum() for weight in (600, 400))
    assert heavy > 1.1 * light > 0


def _text(weight: int) -> str:
    style = f"font:{weight} 20px system-ui,sans-serif"
    space = "http://www.w3.org/2000/svg"
    return f'<svg xmlns="{space}" width="90" height="30"><text y="20" style="{style}">weight</text></svg>'


@pytest.mark.parametrize("name", ["\x00\x1b[31m", "two\nlines", "\ud800", "\uffff", "漢字 🙂", "<b>&amp;", "\u202e"])
def test_a_name_that_no_xml_file_may_hold_spoils_no_picture(name: str) -> None:
    drawing = Drawing(100, 50)
    drawing.text(5, 20, name, "label")
    assert chart_png(Chart("c", name, name, drawing)).startswith(b"\x89PNG")


def test_what_is_no_svg_is_refused() -> None:
    with pytest.raises(ValueError, match="root node"):
        png("<svg")
