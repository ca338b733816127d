"""One entry, one range of ranks: the same on every page, in every file and in every answer."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from django.test import Client

from benchmark.leaderboard import jobs, ranking_data
from benchmark.leaderboard.models import ComputedBoard
from benchmark.leaderboard.table import current, packed, unpacked
from benchmark.submissions.models import StoredReport, Submission
from tasks.results import Aggregates
from tests.benchmark.conftest import Make
from tests.benchmark.reports import SUITE, report_of
from tests.benchmark.scores import figure

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
        figures = {mean: figure(shift, error * generator.standard_normal(1_000)) for mean in MEANS}
        ranking_data.save(rows[name].report.entry, figures, {})
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
    assert all(f"rank {place}" in facts[title] for title in ("Fixed", "Fine-tuned"))
    assert facts["Overall"][-1].endswith(f", {place} of all")

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


def test_geometric_means_are_ranked_by_their_logarithms(entries: dict[str, Submission], stranger: Client) -> None:
    """The same ratios of errors, with the same standard errors: each is told apart from the next, or none is."""
    generator = np.random.default_rng(11)
    for name, (shift, _) in SHIFTS.items():
        noisy = figure(-math.log1p(-shift), 0.01 * generator.standard_normal(1_000))
        ranking_data.save(entries[name].report.entry, {"overall": replace(noisy, is_log=True)}, {})
    jobs.compute(SUITE.id, SUITE.version)
    ranges = {entry["name"]: entry["rank"] for entry in stranger.get("/api/v1/leaderboard").json()["entries"]}
    assert ranges == {"clear": [1, 1], "low": [2, 2], "wide": [3, 3], "high": [4, 4]}
    size = current(SUITE.id, SUITE.version)[0].detectable["en"]["overall"]
    assert -math.log1p(-size) == pytest.approx(0.01 * math.sqrt(2) * (1.96 + 0.84), rel=0.05)


@pytest.fixture
def of_two_sizes(entries: dict[str, Submission]) -> dict[str, Submission]:
    """The first two entries have 50 dimensions, the others 100."""
    generator = np.random.default_rng(11)
    for nth, (name, (shift, error)) in enumerate(SHIFTS.items()):
        measured = report_of(shift)
        of_size = replace(measured, vectors={**measured.vectors, "dimensions": 50 if nth < 2 else 100})
        stored = StoredReport.publish(entries[name], of_size)
        figures = {"overall": figure(shift, error * generator.standard_normal(1_000))}
        ranking_data.save(stored.entry, figures, {})
    jobs.compute(SUITE.id, SUITE.version)
    return entries


def test_ranks_within_a_size_come_from_the_tests_within_it(
    of_two_sizes: dict[str, Submission], stranger: Client
) -> None:
    answer = stranger.get("/api/v1/leaderboard").json()["entries"]
    of_sizes = {entry["name"]: entry["rank_within_size"] for entry in answer}
    assert of_sizes == {"clear": [1, 1], "low": [2, 2], "wide": [1, 2], "high": [1, 2]}
    assert {entry["name"]: entry["rank"] for entry in answer}["low"] == [2, 3]
    _, *lines = stranger.get("/board.csv").content.decode().splitlines()
    rows = {row["name"]: row for row in csv.DictReader(lines)}
    assert (rows["wide"]["rank_within_size"], rows["wide"]["rank_within_size_last"]) == ("1", "2")


def test_a_board_kept_before_has_no_ranks_within_sizes_and_its_means_are_not_copied(
    of_two_sizes: dict[str, Submission],
) -> None:
    table, _ = current(SUITE.id, SUITE.version)
    with np.load(io.BytesIO(packed(table))) as stored:
        arrays = {name: stored[name] for name in stored if name != "within_size"}
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    assert not unpacked(stream.getvalue()).within_size.any()
    keys = ("equal-overall", *table.keys)
    parts = {name: np.hstack([values[:, :1], values + 1]) for name, values in table.parts.items()}
    body = packed(replace(table, keys=keys, parts=parts))
    ComputedBoard.objects.update(body=body, digest="earlier")
    assert current(SUITE.id, SUITE.version)[0].keys == keys
    jobs.compute(SUITE.id, SUITE.version)
    again, _ = current(SUITE.id, SUITE.version)
    assert again.keys == table.keys
    assert np.array_equal(again.values("overall"), table.values("overall"))


@pytest.fixture
def without_pos(entries: dict[str, Submission]) -> dict[str, Submission]:
    """The last entry would be the first without part-of-speech tagging."""
    row, report = entries["high"], report_of(2.0)
    changed = [replace(one, relative_error_reduction=-8.8) if one.task == "pos" else one for one in report.results]
    means = Aggregates(0.2, 0.2, 0.2)
    stored = StoredReport.objects.create(
        submission=row, body=replace(report, results=tuple(changed), aggregates=means).to_json()
    )
    generator = np.random.default_rng(5)
    figures = {mean: figure(0.2, 0.01 * generator.standard_normal(1_000)) for mean in MEANS}
    ranking_data.save(stored.entry, figures, {})
    jobs.compute(SUITE.id, SUITE.version)
    return entries


def test_the_range_without_a_task_is_the_same_wherever_it_is_shown(
    without_pos: dict[str, Submission], stranger: Client
) -> None:
    pk = without_pos["high"].pk
    answer = stranger.get("/api/v1/leaderboard").json()["entries"]
    ranges = {entry["name"]: entry["rank_without_a_task"] for entry in answer}
    assert ranges == {"clear": [1, 2], "low": [2, 3], "wide": [3, 4], "high": [1, 4]}
    _, *lines = stranger.get("/board.csv").content.decode().splitlines()
    rows = {row["id"]: row for row in csv.DictReader(lines)}
    assert (rows[pk]["rank_without_a_task"], rows[pk]["rank_without_a_task_last"]) == ("1", "4")
    page = Text(stranger.get("/?view=scores").content.decode())
    (row,) = (row for row in page.rows if "high" in row)
    assert row[1:3] == ["without one task", "1–4"]
    assert stranger.get(f"/r/{pk}").content.decode().count('<span class="without">1–4 without one task</span>') == 1


def test_a_board_ranked_by_another_column_has_no_range_without_a_task(
    without_pos: dict[str, Submission], stranger: Client
) -> None:
    answer = stranger.get("/api/v1/leaderboard?sort=fixed").json()["entries"]
    assert {entry["rank_without_a_task"] for entry in answer} == {None}
    page = stranger.get("/?sort=fixed").content.decode()
    assert "without one task" not in page
    assert "leave-one-task-out" in stranger.get("/?view=scores").content.decode()


def sizes(client: Client, name: str = "detectable") -> dict[str, float | None]:
    return {column["key"]: column[name] for column in client.get("/api/v1/leaderboard").json()["columns"]}


@pytest.mark.usefixtures("entries")
def test_the_smallest_detectable_difference_is_that_of_the_median_pair(stranger: Client) -> None:
    """Of six pairs, three have the standard error 0.01 √2, and three have √(0.01² + 0.1²): (1.96 + 0.84) times."""
    low, high = 2.8 * 0.01 * np.sqrt(2), 2.8 * np.hypot(0.01, 0.1)
    assert sizes(stranger)["overall"] == pytest.approx((low + high) / 2, rel=0.06)
    assert sizes(stranger)["pos.fixed"] is None
    page = stranger.get("/?c=overall").content.decode()
    assert f"Detectable: {100 * sizes(stranger)['overall']:.2f}\N{NO-BREAK SPACE}points (" in page


@pytest.mark.usefixtures("entries")
def test_after_correction_it_is_that_of_one_test_among_an_entrys_comparisons(stranger: Client) -> None:
    """Three comparisons: 2.394 + 0.842 instead of 1.960 + 0.842."""
    corrected = sizes(stranger, "detectable_corrected")
    assert corrected["overall"] == pytest.approx(sizes(stranger)["overall"] * 3.236 / 2.802, rel=1e-3)
    assert corrected["pos.fixed"] is None
    page = stranger.get("/?c=overall").content.decode()
    assert f"({100 * corrected['overall']:.2f}\N{NO-BREAK SPACE}points after correction)." in page


def test_controls_do_not_count_in_the_smallest_detectable_difference(
    entries: dict[str, Submission], stranger: Client
) -> None:
    Submission.objects.filter(pk=entries["wide"].pk).update(algorithm="random")
    jobs.compute(SUITE.id, SUITE.version)
    assert sizes(stranger)["overall"] == pytest.approx(2.8 * 0.01 * np.sqrt(2), rel=0.06)


@pytest.mark.usefixtures("entries")
def test_the_smallest_detectable_difference_rests_on_a_bounded_number_of_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST_PAIRED", 2)
    jobs.compute(SUITE.id, SUITE.version)
    size = current(SUITE.id, SUITE.version)[0].detectable["en"]["overall"]
    assert size == pytest.approx(2.8 * 0.01 * np.sqrt(2), rel=0.06)  # of the first two


def test_one_entry_alone_has_no_smallest_detectable_difference(
    entries: dict[str, Submission], stranger: Client
) -> None:
    Submission.objects.exclude(pk=entries["clear"].pk).update(ranked=False)
    jobs.compute(SUITE.id, SUITE.version)
    assert set(sizes(stranger).values()) == {None}
    assert "Smallest detectable" not in stranger.get("/?view=scores").content.decode()


@pytest.mark.usefixtures("entries")
def test_the_suite_page_shows_the_smallest_detectable_differences(stranger: Client) -> None:
    page = stranger.get(f"/suites/{SUITE.id}").content.decode()
    assert re.search(r"Smallest detectable differences of the means: overall \d+\.\d\d", page)


@pytest.mark.django_db
def test_the_suite_page_without_a_board_gives_the_reason(stranger: Client) -> None:
    page = stranger.get("/suites/open-2026").content.decode()
    assert page.count("Needs two ranked entries with a score.") > 5
    assert "Descriptive, not compared." in page
    assert "Differences are not tested." in page
    assert "of the variance of the overall mean" not in page


def test_the_suite_page_names_the_cells_that_carry_the_overall_mean(submission: Make, stranger: Client) -> None:
    for i in range(5):
        row, report = submission(), report_of(0.1)
        changed = [
            replace(one, relative_error_reduction=0.1 * i) if (one.task, one.mode) == ("pos", "fixed") else one
            for one in report.results
        ]
        stored = StoredReport.objects.create(submission=row, body=replace(report, results=tuple(changed)).to_json())
        noise = np.random.default_rng(i).normal(0, 0.01, 1_000)
        ranking_data.save(stored.entry, {"overall": figure(0.1, noise)}, {})
    jobs.compute(SUITE.id, SUITE.version)
    page = stranger.get(f"/suites/{SUITE.id}").content.decode()
    assert "Part-of-speech tagging fixed (100\N{NO-BREAK SPACE}%), " in page
    assert "carry 100\N{NO-BREAK SPACE}% of the variance of the overall mean between the ranked entries" in page


def test_a_permanent_link_keeps_its_range_and_its_smallest_detectable_difference(
    without_pos: dict[str, Submission], stranger: Client
) -> None:
    link = stranger.post("/board/freeze")["Location"].partition("?")[2]
    before = stranger.get(f"/api/v1/leaderboard?{link}").json()
    Submission.objects.filter(pk__in=[without_pos["clear"].pk, without_pos["wide"].pk]).update(ranked=False)
    jobs.compute(SUITE.id, SUITE.version)
    now, then = (stranger.get(f"/api/v1/leaderboard{view}").json() for view in ("", f"?{link}"))
    assert {entry["name"]: entry["rank_without_a_task"] for entry in now["entries"]} == {
        "clear": None,
        "low": [1, 2],
        "wide": None,
        "high": [1, 2],
    }
    assert now["columns"][0]["detectable"] != before["columns"][0]["detectable"]
    assert then == before
