"""One entry, one range of ranks: the same on every page, in every file and in every answer."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser

import numpy as np
import pytest
from django.test import Client

from benchmark.leaderboard import jobs, ranking_data
from benchmark.submissions.models import Submission
from tests.benchmark.reports import SUITE

Make = Callable[..., Submission]
MEANS = ("overall", "fixed", "fine-tuned")
PLACES = {"clear": "1", "low": "2–3", "wide": "2–4", "high": "3–4"}
"""The wide one differs from neither of its two neighbours, which differ from each other."""
SHIFTS = {"clear": (0.9, 0.01), "low": (0.3, 0.01), "wide": (0.25, 0.10), "high": (0.2, 0.01)}
"""Error reduction and its standard error."""


@pytest.fixture
def entries(submission: Make) -> dict[str, Submission]:
    generator = np.random.default_rng(11)
    rows = {name: submission(name=name, shift=shift) for name, (shift, _) in SHIFTS.items()}
    for name, (shift, error) in SHIFTS.items():
        draws = {mean: (shift + error * generator.standard_normal(1_000)).astype(np.float32) for mean in MEANS}
        ranking_data.save(rows[name].report.entry, draws, {})
    jobs.compute(SUITE.id, SUITE.version)
    return rows


class Text(HTMLParser):
    """Visible text of each table row, and of each term in a list of facts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.facts: list[list[str]] = []
        self._into: list[str] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("tr", "dt"):
            self._into = []
            (self.rows if tag == "tr" else self.facts).append(self._into)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("tr", "dl"):
            self._into = None

    def handle_data(self, data: str) -> None:
        if self._into is not None and data.strip():
            self._into.append(data.strip())


def on_the_board(client: Client, address: str, name: str) -> str:
    (row,) = (row for row in Text(client.get(address).content.decode()).rows if name in row)
    return row[0]


@pytest.mark.parametrize("name", PLACES)
def test_one_entry_has_one_range_wherever_it_is_shown(
    name: str, entries: dict[str, Submission], stranger: Client
) -> None:
    pk, place = entries[name].pk, PLACES[name]
    first, last = int(place[0]), int(place[-1])

    assert on_the_board(stranger, "/", name) == place
    assert on_the_board(stranger, "/embed", name) == place

    report = stranger.get(f"/r/{pk}").content.decode()
    facts = {fact[0]: fact for fact in Text(report).facts}
    assert [facts[title][-1] for title in ("Overall", "Fixed", "Fine-tuned")] == [f"rank {place}"] * 3

    (card,) = set(re.findall(r'property="og:image:alt" content="([^"]*)"', report))
    assert re.findall(r"\(rank ([^)]*)\)", card) == [place] * 3

    assert f"rank {place}<" in stranger.get(f"/badge/{pk}.svg").content.decode()

    answer = stranger.get("/api/v1/leaderboard").json()["entries"]
    (entry,) = (entry for entry in answer if entry["id"] == pk)
    assert entry["rank"] == [first, last]

    (exported,) = (entry for entry in json.loads(stranger.get("/board.json").content)["entries"] if entry["id"] == pk)
    assert exported["rank"] == [first, last]

    _, *lines = stranger.get("/board.csv").content.decode().splitlines()
    (row,) = (row for row in csv.DictReader(lines) if row["id"] == pk)
    assert (row["rank"], row["rank_last"]) == (str(first), str(last))

    table = stranger.get("/board.tex?c=overall").content.decode()
    assert re.search(rf"^{place.replace('–', '--')} & {name} &", table, flags=re.MULTILINE)


@pytest.mark.usefixtures("entries")
def test_ranges_of_entries_may_overlap_without_being_equal(stranger: Client) -> None:
    """Rank: 1 + those significantly better; the end: all entries but those significantly worse."""
    ranges = {entry["name"]: entry["rank"] for entry in stranger.get("/api/v1/leaderboard").json()["entries"]}
    assert ranges == {"clear": [1, 1], "low": [2, 3], "wide": [2, 4], "high": [3, 4]}
