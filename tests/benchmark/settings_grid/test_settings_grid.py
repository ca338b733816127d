"""The page of settings: grids, means of equal settings, what entries under review do not tell."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client

from benchmark.settings_grid.grids import LEFT, chart_of, grids_of, members_of
from benchmark.submissions.models import Submission, Visibility
from plots.chart import Chart
from tests.benchmark.scores import measured_with

Make = Callable[..., Submission]
GLOVE = {"corpus": "State of the Union", "algorithm": "GloVe", "window": 6, "tokens": 1_970_600}


@pytest.fixture
def grid(submission: Make) -> list[Submission]:
    """Two windows, two sizes; two entries share one setting."""
    settings = [(6, 50, 0.5, 1.0), (6, 100, 0.25, 2.0), (6, 100, 0.35, 3.0), (1, 50, 0.8, 0.5)]
    return [
        submission(
            name=f"entry {i}",
            vectors_sha256=f"{i:064x}",
            dimensions=d,
            loss=loss,
            training_minutes=minutes,
            **(GLOVE | {"window": w}),
        )
        for i, (w, d, loss, minutes) in enumerate(settings)
    ]


def members(rows: list[Submission]) -> Any:
    return members_of([row.entries.get() for row in rows])


def drawn(chart: Chart) -> ET.Element:
    return ET.fromstring(chart.svg)


def names(chart: Chart) -> list[ET.Element]:
    """The names of the lines."""
    return [text for text in drawn(chart).iter("text") if "class" not in text.attrib]


def y_ticks(chart: Chart) -> list[ET.Element]:
    return drawn(chart).findall(".//text[@text-anchor='end']")


def test_entries_of_one_corpus_and_algorithm_make_a_grid(grid: list[Submission], submission: Make) -> None:
    other = submission(name="other", **(GLOVE | {"algorithm": "skip-gram"}), dimensions=50)
    found = grids_of(members([*grid, other]))
    assert [(item.algorithm, len(item.members)) for item in found] == [("GloVe", 4), ("skip-gram", 1)]
    assert [chart.heading for chart in found[0].charts] == ["Loss at convergence", "Training minutes"]
    assert found[1].charts == ()


def test_equal_settings_stand_at_their_mean(grid: list[Submission]) -> None:
    chart = chart_of("loss", members(grid))
    assert chart is not None
    assert "window 6: 50 dimensions 0.5, 100 dimensions 0.3" in chart.description
    assert [text.text for text in names(chart)] == ["window 1", "window 6"]


def test_labels_of_lines_that_end_alike_do_not_cover_each_other(submission: Make) -> None:
    rows = [
        submission(name=f"{w}-{d}", **(GLOVE | {"window": w}), dimensions=d, loss=0.5)
        for w in (1, 6, 12)
        for d in (50, 100)
    ]
    chart = chart_of("loss", members(rows))
    assert chart is not None
    places = sorted(float(text.attrib["y"]) for text in names(chart))
    assert len(places) == 3
    assert min(b - a for a, b in pairwise(places)) >= 15


def test_entries_without_files_are_reported_and_not_linked_to_a_map_of_dashes(grid: list[Submission]) -> None:
    Submission.objects.filter(pk=grid[0].pk).update(file_key="")
    address = Client().get("/settings").content.decode().split("/compare/heat?")[1].split('"')[0]
    assert f"e={grid[0].pk}" not in address
    assert f"e={grid[1].pk}" in address
    Submission.objects.update(file_key="")
    text = Client().get("/settings").content.decode()
    assert "/compare/heat?" not in text
    assert "Similarity is unavailable: this site does not keep their vectors." in text


def test_the_page_shows_every_entry_and_links_its_report(grid: list[Submission]) -> None:
    text = Client().get("/settings").content.decode()
    assert all(f"/r/{row.pk}" in text for row in grid)
    assert all(f"e={row.pk}&amp;" in text.split("/compare/heat?")[1].split('"')[0] for row in grid)
    assert "1,970,600" in text


def test_an_entry_under_review_does_not_tell_its_corpus(submission: Make) -> None:
    submission(name="secret", **GLOVE, dimensions=50, visibility=Visibility.ANONYMOUS)
    text = Client().get("/settings").content.decode()
    assert "State of the Union" not in text
    assert "No settings yet" in text


def test_private_entries_and_unknown_settings_are_not_there(submission: Make) -> None:
    submission(name="private", **GLOVE, dimensions=50, visibility=Visibility.PRIVATE)
    submission(name="untold", corpus="x", algorithm="y")
    assert "No settings yet" in Client().get("/settings").content.decode()


def test_the_page_takes_as_many_queries_for_many_entries_as_for_few(
    grid: list[Submission], django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(8):
        Client().get("/settings")


@pytest.mark.parametrize(
    ("losses", "ticks"),
    [
        ((0.006299, 0.0041), ["0", "0.002", "0.004", "0.006", "0.008"]),
        ((5.936, 2.0), ["0", "2", "4", "6"]),
        ((5.0, 5.0), ["0", "2", "4", "6"]),
        ((0.0, 0.0), ["0", "0.05"]),
    ],
)
def test_ticks_are_round_numbers_for_which_there_is_room(
    submission: Make, losses: tuple[float, float], ticks: list[str]
) -> None:
    rows = [
        submission(name=f"{d}", **GLOVE, dimensions=d, loss=loss) for d, loss in zip((50, 100), losses, strict=True)
    ]
    chart = chart_of("loss", members(rows))
    assert chart is not None
    assert [tick.text for tick in y_ticks(chart)] == ticks
    highest = min(float(dot.attrib["cy"]) for dot in drawn(chart).iter("circle"))
    assert highest >= float(y_ticks(chart)[-1].attrib["y"])
    assert max(len(text) for text in ticks) * 9 < LEFT


def test_stability_keeps_its_axis_near_one(submission: Make) -> None:
    rows = [submission(name=f"{d}", **GLOVE, dimensions=d) for d in (50, 100)]
    for row, value in zip(rows, (0.962, 0.998), strict=True):
        measured_with(row, {"stability": [value, None, None, None]})
    chart = chart_of("stability", members(rows))
    assert chart is not None
    assert [tick.text for tick in y_ticks(chart)] == ["0.960", "0.980", "1.000"]
