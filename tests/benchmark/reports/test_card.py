"""The preview image of a report: its size, its content, its text alternative."""

from __future__ import annotations

import io
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from django.test import Client
from numpy.typing import NDArray
from PIL import Image

from benchmark.reports.charts import chart_of_the_mean
from benchmark.reports.summary import CAPTION as OF_MEANS
from benchmark.reports.summary import CAPTION_OF_DEMO, Card, card_of, card_png
from benchmark.submissions.models import StoredReport, Submission
from tests.benchmark.conftest import Make
from tests.benchmark.reports import SUITE, report_of

FIGURES_OF_CARD = (("Fixed", "+1.00", "1"), ("Fine-tuned", "+2.00", ""), ("Overall", "–", ""))
CARD = Card("GloVe", "Open 2026 version 1", FIGURES_OF_CARD, OF_MEANS)
"""Rows of pixels with the name, the scores, and the last line."""
NAME, FIGURES, AT_THE_FOOT = slice(150, 240), slice(370, 440), slice(545, 590)


def ink(picture: bytes, rows: slice = slice(20, None)) -> NDArray[np.uint8]:
    """Dark pixels of the image, below its upper edge."""
    with Image.open(io.BytesIO(picture)) as image:
        image.load()
        assert (image.format, image.size) == ("PNG", (1200, 630))
        return (np.asarray(image.convert("L"))[rows] < 128).astype(np.uint8)


class Metas(HTMLParser):
    """The meta tags of a page, by property or name."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "meta" and values.get("content"):
            self.found[values.get("property") or values.get("name") or ""] = str(values["content"])


def test_a_link_to_a_report_has_a_picture_that_previews_take(submission: Make, stranger: Client) -> None:
    entry = submission(name="Zebra & friends", shift=0.1)
    metas = Metas(stranger.get(f"/r/{entry.pk}").content.decode()).found
    assert metas["og:image"] == f"http://testserver/r/{entry.pk}/card.png"
    assert (metas["og:image:type"], metas["twitter:card"]) == ("image/png", "summary_large_image")
    assert "Zebra & friends on Demo version" in metas["og:image:alt"]
    assert "Overall +10.00" in metas["og:image:alt"]
    picture = stranger.get(metas["og:image"].removeprefix("http://testserver"))
    assert picture["Content-Type"] == "image/png"
    with Image.open(io.BytesIO(picture.content)) as image:
        assert [str(side) for side in image.size] == [metas["og:image:width"], metas["og:image:height"]]


def test_a_different_name_or_score_changes_its_part_of_the_picture_only() -> None:
    drawn, renamed = card_png(CARD), card_png(replace(CARD, name="fastText"))
    assert (ink(drawn, NAME) != ink(renamed, NAME)).any()
    assert (ink(drawn, FIGURES) == ink(renamed, FIGURES)).all()
    better = card_png(replace(CARD, figures=(("Fixed", "+9.00", "1"), *CARD.figures[1:])))
    assert (ink(drawn, FIGURES) != ink(better, FIGURES)).any()


def test_cards_that_differ_in_their_charts_only_are_two_pictures() -> None:
    suite, pictures = SUITE, []
    for shift in (0.1, 0.3):
        chart = chart_of_the_mean(report_of(shift), suite)
        pictures.append(card_png(card_of("GloVe", suite, 1, [], chart)))
    assert pictures[0] != pictures[1]


@pytest.mark.parametrize("name", ["漢字", "🙂\n🙂", "\u200b"])
def test_a_name_without_drawable_letters_leaves_neither_a_gap_nor_boxes(name: str) -> None:
    neutral = ink(card_png(replace(CARD, name="Word embeddings")), NAME)
    assert (ink(card_png(replace(CARD, name=name)), NAME) == neutral).all()


def test_a_long_name_stays_within_the_picture() -> None:
    drawn = ink(card_png(replace(CARD, name="a name of many words " * 9)))
    assert not drawn[:, 1150:].any()


def test_the_picture_of_a_demo_entry_says_that_it_is_not_comparable() -> None:
    said = ink(card_png(replace(CARD, caption=CAPTION_OF_DEMO)), AT_THE_FOOT)
    assert (ink(card_png(CARD), AT_THE_FOOT) != said).any()
    assert not said[:, 1090:].any()  # complete: a line that is cut off would reach the margin


def test_a_picture_is_kept_by_caches_until_something_in_it_changes(submission: Make, stranger: Client) -> None:
    entry = submission()
    first = stranger.get(f"/r/{entry.pk}/card.png")
    kept = {"If-None-Match": first["ETag"]}
    assert stranger.get(f"/r/{entry.pk}/card.png", headers=kept).status_code == 304
    Submission.objects.filter(pk=entry.pk).update(name="renamed")
    assert stranger.get(f"/r/{entry.pk}/card.png", headers=kept).status_code == 200


def test_the_picture_of_an_entry_has_its_chart_and_no_rank(submission: Make, stranger: Client) -> None:
    entry = submission(shift=0.1)
    metas = Metas(stranger.get(f"/r/{entry.pk}").content.decode()).found
    assert "Fixed: better on 6 of 6 tasks." in metas["og:image:alt"]
    with Image.open(io.BytesIO(stranger.get(f"/r/{entry.pk}/card.png").content)) as image:
        pixels = np.asarray(image.convert("RGB"))[230:560, 320:]
    bars = (np.abs(pixels.astype(int) - (0x00, 0x72, 0xB2)).sum(axis=2) < 30).mean()
    assert bars > 0.02


def test_an_earlier_version_keeps_its_own_picture(submission: Make, stranger: Client) -> None:
    entry = submission(shift=0.1)
    StoredReport.objects.create(submission=entry, body=report_of(0.3).to_json())
    metas = Metas(stranger.get(f"/r/{entry.pk}/v1").content.decode()).found
    assert metas["og:image"].endswith(f"/r/{entry.pk}/v1/card.png")
    assert "Overall +10.00" in metas["og:image:alt"]
    assert stranger.get(f"/r/{entry.pk}/v1/card.png").content != stranger.get(f"/r/{entry.pk}/card.png").content
