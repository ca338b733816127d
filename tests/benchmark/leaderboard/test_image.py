"""A view of the board as a picture: its content, and limits on rendering for strangers."""

from __future__ import annotations

import html
import io
import re

import numpy as np
import pytest
from django.test import Client
from PIL import Image

from benchmark.leaderboard import exports
from benchmark.operations.counting import count
from plots.chart import SCALE
from tests.benchmark.conftest import Make
from tests.benchmark.leaderboard.test_leaderboard import entries  # noqa: F401


@pytest.fixture(autouse=True)
def nothing_rendered_yet() -> None:
    exports.as_png.cache_clear()


def opened(client: Client, view: str = "") -> Image.Image:
    answer = client.get(f"/board.png{view}")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    return Image.open(io.BytesIO(answer.content))


@pytest.mark.usefixtures("entries")
def test_the_page_links_to_the_view_in_both_forms(stranger: Client) -> None:
    page = html.unescape(stranger.get("/?q=best&c=fixed").content.decode())
    links = re.findall(r'href="(/board\.(?:svg|png))\?([^"]*)"', page)
    assert [address for address, _ in links] == ["/board.svg", "/board.png"]
    for address, view in links:
        assert "q=best" in view
        assert stranger.get(f"{address}?{view}").status_code == 200


@pytest.mark.usefixtures("entries")
def test_a_picture_has_the_rows_and_columns_of_the_view(stranger: Client) -> None:
    picture = stranger.get("/board.svg?q=best&c=fixed")
    assert picture["Content-Type"] == "image/svg+xml"
    drawn = picture.content.decode()
    assert ">best</text>" in drawn
    assert "+30.00" in drawn
    assert ">middle</text>" not in drawn


@pytest.mark.usefixtures("entries")
def test_pixels_are_those_of_the_drawing(stranger: Client) -> None:
    all_rows, one_row, one_column = opened(stranger), opened(stranger, "?q=best"), opened(stranger, "?c=fixed")
    assert all_rows.height - one_row.height == 3 * exports.LINE * SCALE  # of four entries
    assert all_rows.width > one_column.width
    assert 0.003 < (np.asarray(all_rows.convert("L")) < 200).mean() < 0.2


def test_a_name_may_hold_anything(submission: Make, stranger: Client) -> None:
    for name in ("two\nlines", "\u202eturned", "\x1b[31m", "𝕨𝕠𝕣𝕕𝕤"):
        submission(name=name)
    assert opened(stranger).height > 4 * exports.LINE * SCALE


@pytest.mark.usefixtures("entries")
def test_a_picture_is_rendered_once_and_revalidated(stranger: Client) -> None:
    first = stranger.get("/board.png?c=fixed")
    assert stranger.get("/board.png?c=fixed&rows=roomy").content == first.content
    assert exports.as_png.cache_info().misses == 1
    assert stranger.get("/board.png?c=fixed", headers={"If-None-Match": first["ETag"]}).status_code == 304


@pytest.mark.usefixtures("entries")
@pytest.mark.usefixtures("stopped_clock")
def test_all_visitors_together_may_not_keep_the_site_rendering(stranger: Client) -> None:
    assert stranger.get("/board.png?sort=name").status_code == 200
    count("board-pictures", 60, exports.OF_ALL)  # others' pictures
    refused = stranger.get("/board.png?q=best", REMOTE_ADDR="192.0.2.1")
    assert refused.status_code == 429
    assert refused["Retry-After"] == "60"
    assert "take the SVG" in refused.content.decode()
    assert stranger.get("/board.png?sort=name").status_code == 200  # kept
    assert stranger.get("/board.svg?q=best").status_code == 200
