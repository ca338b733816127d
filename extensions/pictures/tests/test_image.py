"""A view of the board as a picture, in a frame and as a badge, and limits on rendering for strangers."""

from __future__ import annotations

import html
import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from django.test import Client
from numpy.typing import NDArray
from PIL import Image

from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.markup import strip_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.operations.counting import count
from benchmark.submissions.models import Submission, Visibility
from extensions.pictures import image
from extensions.pictures.apps import MOST_ROWS
from plots.chart import MARGIN, PAPER, SCALE
from tests.benchmark.conftest import Make
from tests.benchmark.leaderboard.test_leaderboard import entries  # noqa: F401
from tests.benchmark.reports import SUITE
from tests.benchmark.scores import measured_with


@pytest.fixture(autouse=True)
def nothing_rendered_yet() -> None:
    image.rendered.cache_clear()


def opened(client: Client, view: str = "") -> Image.Image:
    answer = client.get(f"/board.png{view}")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    return Image.open(io.BytesIO(answer.content))


@pytest.mark.usefixtures("entries")
def test_the_page_links_to_the_view_in_each_form(stranger: Client) -> None:
    page = html.unescape(stranger.get("/?q=best&c=fixed").content.decode())
    links = re.findall(r'href="(/board\.(?:svg|pdf|png))\?([^"]*)"', page)
    assert [address for address, _ in links] == ["/board.svg", "/board.pdf", "/board.png"]
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
    assert all_rows.height - one_row.height == 3 * image.LINE * SCALE  # of four entries
    assert all_rows.width > one_column.width
    assert 0.003 < (np.asarray(all_rows.convert("L")) < 200).mean() < 0.2


BLUE, ORANGE, GREY = (0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00), (0x8A, 0x86, 0x7E)


def places_of(colour: tuple[int, int, int], picture: NDArray[np.uint8]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the pixels of exactly this colour."""
    return np.nonzero((picture[..., :3] == colour).all(axis=-1))


def drawn_entries(submission: Make, **means: float) -> None:
    """Entries with these means and intervals that are ten points wide."""
    for name, mean in means.items():
        ends = [mean, mean - 0.05, mean + 0.05, None]
        measured_with(submission(name=name), {"overall": ends, "fixed": ends})


def test_a_picture_shows_each_mean_at_its_place_with_the_zero_line_through_all_rows(
    submission: Make, stranger: Client
) -> None:
    drawn_entries(submission, good=0.3, bad=-0.1, close=0.0)
    board = board_of(SUITE, BoardQuery(columns=("overall", "fixed")))
    picture = np.asarray(opened(stranger, "?c=overall&c=fixed").convert("RGB"))
    scale = strip_of(board.table, board.columns[0])
    begin = MARGIN + image.NAME + 7 * image.LETTERS
    left, right = begin + image.NUMBER + 16, begin + image.DRAWN - 16

    def expected(value: float) -> float:
        return SCALE * (left + (right - left) * (value - scale.low) / (scale.high - scale.low))

    for colour, value in ((BLUE, 0.3), (ORANGE, -0.1)):
        rows, columns = places_of(colour, picture)
        assert columns.mean() == pytest.approx(expected(value), abs=2)
        assert [np.ptp(columns), np.ptp(rows)] == pytest.approx([8 * SCALE] * 2, abs=4)  # a dot and nothing else
    rows, columns = places_of(GREY, picture[:, : SCALE * (begin + image.DRAWN)])
    assert columns.min() == pytest.approx(expected(0), abs=2)
    assert columns.max() == pytest.approx(expected(0), abs=2)
    assert np.ptp(rows) == pytest.approx(SCALE * image.LINE * 3, abs=4)
    rows, columns = places_of(GREY, picture[:, SCALE * (begin + image.DRAWN) :])  # whiskers' zero in the other cells
    assert len(set(rows // (SCALE * image.LINE))) == 3
    assert np.ptp(columns) <= SCALE


def test_every_program_finds_the_same_places_in_a_picture(submission: Make, stranger: Client) -> None:
    drawn_entries(submission, good=0.3, bad=-0.1)
    drawn = ET.fromstring(stranger.get("/board.svg").content)
    assert [mark.tag for mark in drawn.iter() if mark.tag.endswith("}svg")] == ["{http://www.w3.org/2000/svg}svg"]
    assert not [value for mark in drawn.iter() for value in mark.attrib.values() if value.endswith("%")]
    assert [text.text for text in drawn.iter() if text.get("dy") == "-3"].count("0") == 1


def test_numbers_on_shading_have_no_halo(submission: Make, stranger: Client) -> None:
    drawn_entries(submission, good=0.3)
    picture = np.asarray(opened(stranger, "?c=fixed").convert("RGB")).astype(int)
    row = picture[-(MARGIN + image.NOTE + image.LINE // 2) * SCALE]  # through the only row
    shaded = row[-(MARGIN + image.RANK + image.COLUMN - 2) * SCALE : -(MARGIN + image.RANK + 2) * SCALE]
    paper = np.array([int(PAPER[i : i + 2], 16) for i in (1, 3, 5)])
    assert (np.abs(shaded - paper).max(axis=-1) > 12).all()


def test_a_name_may_hold_anything(submission: Make, stranger: Client) -> None:
    for name in ("two\nlines", "\u202eturned", "\x1b[31m", "𝕨𝕠𝕣𝕕𝕤"):
        submission(name=name)
    assert opened(stranger).height > 4 * image.LINE * SCALE


@pytest.mark.usefixtures("entries")
def test_a_picture_is_rendered_once_and_revalidated(stranger: Client) -> None:
    first = stranger.get("/board.png?c=fixed")
    assert stranger.get("/board.png?c=fixed&rows=roomy").content == first.content
    assert image.rendered.cache_info().misses == 1
    assert stranger.get("/board.png?c=fixed", headers={"If-None-Match": first["ETag"]}).status_code == 304


@pytest.mark.usefixtures("entries")
@pytest.mark.usefixtures("stopped_clock")
def test_all_visitors_together_may_not_keep_the_site_rendering(stranger: Client) -> None:
    assert stranger.get("/board.png?sort=name").status_code == 200
    count("board-pictures", 60, image.OF_ALL)  # others' pictures
    refused = stranger.get("/board.png?q=best", REMOTE_ADDR="192.0.2.1")
    assert refused.status_code == 429
    assert refused["Retry-After"] == "60"
    assert "take the SVG" in refused.content.decode()
    assert stranger.get("/board.png?sort=name").status_code == 200  # kept
    assert stranger.get("/board.svg?q=best").status_code == 200


@pytest.mark.usefixtures("entries")
def test_only_the_embedded_board_may_be_framed(stranger: Client) -> None:
    frame, page = stranger.get("/embed"), stranger.get("/")
    assert "frame-ancestors *" in frame["Content-Security-Policy"]
    assert "X-Frame-Options" not in frame
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    assert "<script" not in frame.content.decode()


def test_a_badge_shows_score_and_name_and_nothing_hidden(submission: Make, stranger: Client) -> None:
    row = submission(name="mine", shift=0.1234)
    picture = stranger.get(f"/badge/{row.pk}.svg")
    assert picture["Content-Type"] == "image/svg+xml"
    assert "+12.34 %" in picture.content.decode()
    Submission.objects.filter(pk=row.pk).update(visibility=Visibility.PRIVATE)
    assert stranger.get(f"/badge/{row.pk}.svg").status_code == 404


@pytest.mark.usefixtures("entries")
def test_the_boards_link_names_the_number_of_rows(stranger: Client) -> None:
    assert re.search(
        rf'href="/board.svg[^"]*">the first {MOST_ROWS} as an SVG image</a>', stranger.get("/").content.decode()
    )
