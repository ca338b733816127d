"""Exploring an entry: dimensions, map, neighbours, and the report's section with links to them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client, RequestFactory

from benchmark import storage
from benchmark.operations.counting import address_payer, count
from benchmark.operations.models import Job
from benchmark.reports.page import ReportPage
from benchmark.reports.sections.word_tasks import word_tasks
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from benchmark.submissions.vectors import OF_ALL
from extensions.explore.views import Dot, labels_of
from tasks.neighbours import _search
from tasks.prepared import MATRIX_FILE, store
from tasks.results import CellResult, Unavailable
from tasks.suites import OPEN_2026
from tasks.vectors import Embedding
from tests.benchmark.conftest import Make
from tests.benchmark.reports import report_of, result_of

WORDS = ["king", "queen", "democracy", "freedom", "man", "0000"]
DIMENSIONS = [
    {"dimension": 0, "property": "semcor.noun.person", "r": 0.2, "words": ["king", "queen"]},
    {"dimension": 1, "property": "semcor.noun.time", "r": 0.5, "words": ["year", "day"]},
    {"dimension": 2, "property": None, "r": 0.0, "words": ["thing", "day"]},
]
MAP = {"words": ["king", "war"], "x": [0.0, 1.0], "y": [0.5, 0.0], "supersenses": ["noun.person", None]}


def result(task: str, **secondary: Any) -> CellResult:
    return replace(result_of(OPEN_2026.task(task), None, 0.0), secondary=secondary, interval=(0.4, 0.6))


def report_with(*results: CellResult, missing: tuple[Unavailable, ...] = ()) -> Any:
    return replace(report_of(0.1), results=results, unavailable=missing)


@pytest.fixture
def entry(submission: Make, settings: Any) -> Callable[..., Submission]:
    """A finished entry with these results and prepared vectors."""

    def make(*results: CellResult, prepared: bool = True, **columns: Any) -> Submission:
        if prepared:
            matrix = np.random.default_rng(1).standard_normal((len(WORDS), 4)).astype(np.float32)
            directory = store(Embedding("e", WORDS, matrix, "e"), Path(settings.VECBOARD_VAR) / "prepared")
            columns["vectors_sha256"] = directory.name
        body = report_with(*(results or (result("map", **MAP),))).to_json()
        return submission(suite="open-2026", body=body, **columns)

    return make


def page(client: Client, row: Submission, path: str) -> Any:
    return client.get(f"/entries/{row.pk}/{path}")


def test_dimensions_are_sorted_by_the_strength_of_their_correlation(entry: Make, stranger: Client) -> None:
    table = page(stranger, entry(result("qvec-en", dimensions=DIMENSIONS)), "dimensions").context["table"]
    assert [(row.number, row.property) for row in table.rows] == [(1, "noun.time"), (0, "noun.person"), (2, "")]


@pytest.mark.parametrize(
    ("query", "found"),
    [("person", [0]), ("day", [1, 2]), ("DAY", [1, 2]), ("2", [2]), ("x", []), ("person, 2", [0, 2])],
)
def test_dimensions_are_found_by_property_word_and_number(
    query: str, found: list[int], entry: Make, stranger: Client
) -> None:
    row = entry(result("qvec-en", dimensions=DIMENSIONS))
    table = page(stranger, row, f"dimensions?sort=dimension&q={query}").context["table"]
    assert [dimension.number for dimension in table.rows] == found


def test_a_search_of_dimensions_says_how_many_words_it_read_and_which_match_nothing(
    entry: Make, stranger: Client
) -> None:
    row = entry(result("qvec-en", dimensions=DIMENSIONS))
    shown = page(stranger, row, f"dimensions?q={DIMENSIONS[0]['words'][0]};covfefe").content.decode()
    assert "read 2 words; 1 not found: <bdi>covfefe</bdi>" in shown
    assert "not found" not in page(stranger, row, "dimensions").content.decode()


def test_cues_that_the_vectors_lack_are_named_and_not_links(entry: Make, stranger: Client) -> None:
    shown = page(stranger, entry(), "neighbours").content.decode()
    assert re.findall(r'<a href="\?word=(\w+)"', shown) == ["democracy", "freedom"]
    assert re.search(r"not in this vocabulary: .*abortion.*welfare", shown)


def test_a_report_without_dimensions_says_why(entry: Make, stranger: Client) -> None:
    assert "No table of dimensions." in page(stranger, entry(), "dimensions").content.decode()


def test_every_word_of_the_map_can_be_read_without_a_script(entry: Make, stranger: Client) -> None:
    shown = page(stranger, entry(), "map").content.decode()
    assert "<title>king, noun.person</title>" in shown
    assert "<title>war</title>" in shown


def test_a_word_is_marked_and_a_supersense_picked_out(entry: Make, stranger: Client) -> None:
    shown = page(stranger, entry(), "map?word=KING&sense=noun.person").context["map"]
    assert shown.marked is not None
    assert shown.marked.word == "king"
    assert [dot.word for dot in shown.dots if dot.faded] == ["war"]


def test_labels_of_a_map_do_not_overlap() -> None:
    dots = [Dot("word", "", x, y, 0) for x, y in [(0, 0), (5, 2), (0, 40), (100, 0), (30, 5)]]
    assert [(label.x, label.y) for label in labels_of(dots)] == [(6, 4), (6, 44), (106, 4)]


def test_ten_neighbours_are_shown_with_their_cosines(entry: Make, stranger: Client) -> None:
    response = page(stranger, entry(), "neighbours?word=Democracy")
    near = response.context["answer"].neighbours
    assert len(near) == len(WORDS) - 1
    assert [n.cosine for n in near] == sorted((n.cosine for n in near), reverse=True)
    assert "?word=freedom" in response.content.decode()  # a cue of the political list


def test_a_word_is_looked_up_without_the_comma_after_it(entry: Make, stranger: Client) -> None:
    assert page(stranger, entry(), "neighbours?word=king,").context["answer"].spelling == "king"


def test_of_a_list_each_word_has_a_link(entry: Make, stranger: Client) -> None:
    shown = page(stranger, entry(), "neighbours?word=king;queen").content.decode()
    assert "These are 2 words. Look up one at a time." in shown
    assert '<a href="?word=queen">' in shown


@pytest.mark.usefixtures("stopped_clock")
def test_all_visitors_together_look_up_for_a_bounded_time(entry: Make, stranger: Client) -> None:
    row, other = entry(), entry()
    count("look-ups", 60, OF_ALL)  # others' look-ups
    for page in (f"/entries/{row.pk}/neighbours?word=king", f"/compare?e={row.pk}&e={other.pk}&word=king"):
        answer = stranger.get(page)
        assert (answer.status_code, answer.headers.get("Retry-After")) == (429, "60")
        assert "Try again in a minute" in answer.content.decode()


@pytest.mark.usefixtures("stopped_clock")
def test_one_visitor_leaves_half_of_the_look_ups_for_others(entry: Make, stranger: Client) -> None:
    page = f"/entries/{entry().pk}/neighbours?word=king"
    statuses = [stranger.get(page, REMOTE_ADDR="192.0.2.1").status_code]
    count(f"look-ups:{address_payer(RequestFactory().get('/', REMOTE_ADDR='192.0.2.1'))}", 60, OF_ALL // 2)
    statuses += [stranger.get(page, REMOTE_ADDR=visitor).status_code for visitor in ("192.0.2.1", "192.0.2.2")]
    assert statuses == [200, 429, 200]


def test_a_word_that_was_looked_up_is_not_searched_again(entry: Make, stranger: Client) -> None:
    row = entry()
    first = stranger.get(f"/entries/{row.pk}/neighbours?word=king").content
    assert b"queen" in first
    matrix = storage.prepared_root() / row.vectors_sha256 / MATRIX_FILE
    np.save(matrix, np.load(matrix)[::-1])  # a search would now find other words
    _search.cache_clear()
    assert stranger.get(f"/entries/{row.pk}/neighbours?word=king").content == first


def test_a_word_is_never_markup(entry: Make, stranger: Client) -> None:
    for path in ("neighbours?word=<script>x", "map?word=<script>x", "dimensions?q=<script>x"):
        assert "<script>x" not in page(stranger, entry(result("qvec-en", dimensions=DIMENSIONS)), path).content.decode()


@pytest.mark.parametrize("path", ["dimensions", "map", "neighbours?word=king"])
def test_a_hidden_entry_is_not_there_for_strangers(
    path: str, entry: Make, stranger: Client, owner: Callable[[Submission], Client]
) -> None:
    row = entry(visibility="private")
    assert page(stranger, row, path).status_code == 404
    shown = page(owner(row), row, path)
    assert shown.status_code == 200
    assert "no-store" in shown["Cache-Control"]


def test_its_pages_count_as_pages_of_the_leaderboard(entry: Make, stranger: Client) -> None:
    header = page(stranger, entry(), "map").content.decode().partition("</header>")[0]
    assert re.findall(r'<a[^>]* aria-current="true"[^>]*>([^<]+)', header) == ["Leaderboard"]


def test_an_entry_without_a_report_has_nothing_to_explore(submission: Make, stranger: Client) -> None:
    assert page(stranger, submission(State.RUNNING), "map").status_code == 404


def test_vectors_that_are_not_on_this_machine_can_be_asked_for_once(entry: Make, stranger: Client) -> None:
    row = entry(prepared=False, vectors_sha256="ab" * 32)
    assert "not ready for look-up on this machine" in page(stranger, row, "neighbours?word=king").content.decode()
    for _ in range(2):
        asked = stranger.post(f"/entries/{row.pk}/prepare", {"word": "king"})
        assert asked["Location"] == f"/entries/{row.pk}/neighbours?word=king"
    assert [(job.kind, job.subject) for job in Job.objects.order_by("pk")] == [("prepare_vectors", row.pk)]


def test_the_page_waits_by_itself_while_a_worker_prepares_the_vectors(entry: Make, stranger: Client) -> None:
    row = entry(prepared=False, vectors_sha256="ab" * 32)
    assert "data-waiting" not in page(stranger, row, "neighbours").content.decode()
    stranger.post(f"/entries/{row.pk}/prepare")
    shown = page(stranger, row, "neighbours").content.decode()
    assert ["data-waiting" in shown, "js/waiting.js" in shown, "Prepare them again" in shown] == [True, True, False]


def test_an_entry_whose_file_is_not_kept_offers_no_word_to_look_up(entry: Make, stranger: Client) -> None:
    row = entry(result("map", **MAP), prepared=False, vectors_sha256="ab" * 32)
    assert "/neighbours" in page(stranger, row, "map").content.decode()
    Submission.objects.filter(pk=row.pk).update(file_key="")
    word = MAP["words"][0]
    assert "/neighbours" not in page(stranger, row, f"map?word={word}").content.decode()
    shown = page(stranger, row, "neighbours").content.decode()
    assert "This site does not keep the vectors of this entry. Until the vectors are back, words cannot" in shown
    assert "<form" not in shown


def test_the_section_has_every_figure_with_interval_and_coverage(entry: Make) -> None:
    similarity = result("sim-men-tr-3k", known=2555, pairs=3000, unknown_as_zero=0.41)
    report = report_with(similarity, missing=(Unavailable("qvec-en", "The oracles are missing."),))
    context = word_tasks(ReportPage(report, entry(), OPEN_2026, ""))
    assert context is not None
    rows = {row.id: row for group in context["groups"] for row in group.rows}
    similar = rows["sim-men-tr-3k"]
    assert (similar.score.interval, similar.coverage, similar.counted) == ("0.400 to 0.600", 0.95, "2,555 of 3,000")
    assert similar.score.beside == ("0.410 with unknown pairs counted as 0", "chance ±0.039")
    assert rows["qvec-en"].score.reason == "The oracles are missing."


def test_a_report_without_word_tasks_has_no_section(entry: Make) -> None:
    assert word_tasks(ReportPage(report_with(), entry(), OPEN_2026, "")) is None
