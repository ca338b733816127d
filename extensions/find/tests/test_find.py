"""The best vectors within the limits, the others tested against them; the best at each size."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.http import HttpResponse, QueryDict
from django.test import Client

from benchmark.leaderboard import ranking_data
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.models import Entry
from benchmark.leaderboard.query import BoardQuery
from benchmark.shipped.recipes import ShippedVectors
from benchmark.submissions.models import Submission
from extensions.find import downloads, recommendation
from extensions.find.downloads import Download
from extensions.find.memory import MOST_SHOWN, memory_chart, sized_options
from extensions.find.recommendation import Need, Option, Recommendation, choice_of, scored_rows
from extensions.find.views import lanes_of
from tests.benchmark.conftest import Make
from tests.benchmark.people_accounts import browser_of, person
from tests.benchmark.reports import SUITE
from tests.benchmark.scores import figure

pytestmark = pytest.mark.django_db
FIXED = BoardQuery(sort="fixed", columns=("fixed",))
ENTITIES = "ner.fixed"


NOISE = np.random.default_rng(5)


def with_error(made: Submission, key: str, value: float, error: float = 0.01) -> Submission:
    ranking_data.save(Entry.objects.get(submission=made), {key: figure(value, NOISE.normal(0, error, 1000))}, {})
    return made


@pytest.fixture
def entries(submission: Make) -> dict[str, str]:
    """Two entries that no test tells apart, two that are clearly worse, and a control; ids by name."""
    return {
        name: with_error(submission(name=name, shift=shift, words=100_000, **columns), "fixed", shift).pk
        for name, shift, columns in (
            ("large", 0.200, {"dimensions": 300, "licence": "CC0"}),
            ("small", 0.199, {"dimensions": 50}),
            ("worse", 0.100, {"dimensions": 50, "licence": "CC0"}),
            ("below", -0.100, {"dimensions": 10, "licence": "CC0"}),
            ("control", 0.300, {"algorithm": "random"}),
        )
    }


def test_vectors_of_all_sizes_compete_as_used() -> None:
    keys = {"fixed", "fixed-as-used", "ner.fixed", "ner.fixed-as-used", "sim-simlex-999"}
    needs = (Need(), Need("ner"), Need("sim-simlex-999"))
    assert [need.column(keys) for need in needs] == ["fixed-as-used", "ner.fixed-as-used", "sim-simlex-999"]
    assert Need().column({"fixed"}) == "fixed"


def answer(**limits: int) -> Recommendation:
    board = board_of(SUITE, FIXED, size=None)
    choice = choice_of(scored_rows(board), board.columns[0], Need(**limits))  # type: ignore[arg-type]
    assert choice is not None
    return choice


def names(choice: Recommendation) -> list[str]:
    return [option.row.facts.name for option in choice.options]


@pytest.mark.usefixtures("entries")
def test_the_best_entry_is_recommended_and_controls_are_not() -> None:
    choice = answer()
    assert names(choice) == ["large", "small", "worse", "below"]
    assert [option.is_worse for option in choice.options] == [None, False, True, True]


@pytest.mark.usefixtures("entries")
def test_the_smallest_entry_that_is_not_told_apart_is_named() -> None:
    choice = answer()
    assert [option.row.facts.name for option in choice.equals] == ["small"]
    assert choice.smaller is choice.options[1]
    assert answer(megabytes=50).smaller is None


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize(("megabytes", "expected"), [(19, ["below"]), (20, ["small", "worse", "below"])])
def test_any_number_of_megabytes_is_a_limit(megabytes: int, expected: list[str]) -> None:
    assert names(answer(megabytes=megabytes)) == expected


@pytest.mark.usefixtures("entries")
def test_within_limits_entries_are_tested_against_the_best_within_them() -> None:
    choice = answer(licensed=True, megabytes=50)
    assert [option.is_worse for option in choice.options] == [None, True]
    assert choice.first.row.facts.name == "worse"


@pytest.mark.usefixtures("entries")
def test_a_new_limit_that_fits_the_same_entries_computes_no_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    monkeypatch.setattr(recommendation, "ranking_data_of", lambda reports: read.append(len(reports)) or {})
    for megabytes in (50, 51, 119):
        answer(megabytes=megabytes)
    assert read == [3]


def test_an_entry_below_the_baseline_is_not_told_apart_only_if_the_test_says_so(submission: Make) -> None:
    for name, shift in (("best", 0.02), ("below", -0.02)):
        with_error(submission(name=name, shift=shift), "fixed", shift, error=0.05)
    (worst,) = answer().options[1:]
    assert worst.is_worse is False


def test_an_entry_below_the_baseline_is_no_equal_of_the_best_however_wide_its_interval(
    submission: Make, stranger: Client
) -> None:
    for name, shift, error in (("best", 0.2, 0.01), ("next", 0.199, 0.01), ("wide", -0.01, 0.5)):
        with_error(submission(name=name, shift=shift), "fixed", shift, error=error)
    choice = answer()
    assert [option.is_worse for option in choice.options] == [None, False, False]
    assert ([option.row.facts.name for option in choice.equals], choice.wide) == (["next"], 1)
    text = section(stranger.get("/find"))
    assert "In all, 1 other is too close to call" in text
    assert "1 more may be as good, but scores below the baseline" in text


def test_where_every_entry_is_below_the_baseline_those_not_told_apart_are_equals(submission: Make) -> None:
    for name, shift in (("best", -0.100), ("next", -0.101)):
        with_error(submission(name=name, shift=shift), "fixed", shift)
    assert [option.row.facts.name for option in answer().equals] == ["next"]


def test_a_dot_is_hollow_where_the_interval_includes_zero(submission: Make) -> None:
    for name, shift in (("above", 0.3), ("near", 0.01), ("under", -0.3)):
        submission(name=name, shift=shift)
    board = board_of(SUITE, BoardQuery(sort=ENTITIES, columns=(ENTITIES,)), size=None)
    _, drawn = lanes_of([Option(row, board.columns[0]) for row in board.rows], has_zero=True)
    found = [re.findall('<circle class="([a-z]+)"', lane) for lane in drawn]
    assert found == [["better"], ["close"], ["worse"]]


def test_entries_without_standard_errors_are_not_tested(submission: Make, stranger: Client) -> None:
    submission(name="best", shift=0.2)
    submission(name="other", shift=0.1)
    choice = answer()
    assert not choice.is_tested
    assert choice.equals == []
    assert "standard errors are missing" in stranger.get("/find").content.decode()


def section(page: HttpResponse) -> str:
    """The answer as plain text."""
    found = page.content.decode().split('id="answer"')[1].split("</section>")[0]
    return " ".join(re.sub("<[^>]*>", " ", found).split())


@pytest.mark.usefixtures("entries")
def test_the_page_begins_with_one_recommendation_and_its_reason(stranger: Client) -> None:
    text = section(stranger.get("/find?megabytes=50"))
    assert "Within 50 MB, take small 19.9 % fewer errors on several tasks than the baseline" in text
    assert "It is clearly better than each of the other 2." in text


@pytest.mark.usefixtures("entries")
def test_what_less_memory_offers_is_in_the_same_sentence(stranger: Client) -> None:
    text = section(stranger.get("/find"))
    assert "If 120 MB is too much , small needs 20 MB; which of the two is better is too close to call." in text


def test_more_errors_than_the_baseline_are_said_in_words(submission: Make, stranger: Client) -> None:
    with_error(submission(name="worst", shift=-0.1), "fixed", -0.1)
    assert "10.0 % more errors on several tasks than the baseline" in section(stranger.get("/find"))


@pytest.mark.usefixtures("entries")
def test_every_row_has_its_size_its_score_and_its_verdict(stranger: Client) -> None:
    page = stranger.get("/find").content.decode().split("<tbody>")[1].split("</tbody>")[0]
    assert page.count('class="lane') == 4
    assert re.findall(r'data-l="Memory">([^<]*)<', page) == ["120 MB", "20 MB", "20 MB", "4 MB"]
    assert re.findall(r'data-l="Errors avoided">([^<]*)&nbsp;%<', page) == ["+20.0", "+19.9", "+10.0", "−10.0"]
    assert re.findall("<small>(clearly worse|too close to call)</small>", page) == [
        "too close to call", "clearly worse", "clearly worse"
    ]  # fmt: skip


def test_the_smallest_that_may_be_as_good_is_listed_however_many_score_higher(
    submission: Make, stranger: Client
) -> None:
    for nth in range(7):
        dimensions = 50 if nth == 6 else 300
        with_error(
            submission(name=f"e{nth}", shift=0.2 - 0.0001 * nth, dimensions=dimensions), "fixed", 0.2 - 0.0001 * nth
        )
    page = stranger.get("/find").content.decode().split("<tbody>")[1].split("</tbody>")[0]
    assert re.findall("<bdi>(e[0-9])</bdi>", page) == ["e0", "e1", "e2", "e3", "e6"]


def test_vectors_are_offered_as_a_file_or_as_the_command_that_makes_them(
    submission: Make, stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered = submission(
        name="offered", shift=0.3, licence="CC0", offers_download=True, file_key="uploads/x", file_bytes=3_000_000
    )
    shipped = submission(name="shipped", shift=0.2, track="prescribed", vectors_sha256="ab" * 32, licence="CC BY-SA")
    public = submission(name="public", shift=0.1, track="other", vectors_sha256="cd" * 32)
    submission(name="kept back", shift=0.0)
    made_by = {shipped.pk: ShippedVectors("cbow-w5-d50"), public.pk: ShippedVectors("glove-6b-50d")}
    monkeypatch.setattr(downloads, "shipped_as", lambda row: made_by.get(row.pk))
    page = stranger.get("/find").content.decode()
    assert f'<a href="/s/{offered.pk}/vectors" class="do">Download the vectors (3 MB, CC0)</a>' in page
    assert f"<code>python -m research.board vectors cbow-w5-d50 --suite {SUITE.id}</code>" in page
    assert "<code>python -m vecboard public glove-6b-50d --save glove-6b-50d.txt.gz</code>" in page
    assert page.count("<div popover") == 2
    for row, verb in ((shipped, "Make"), (public, "Download")):
        assert f'<button popovertarget="get-{row.pk}" class="as-link">{verb}<' in page
        assert f'id="get-{row.pk}" role="dialog"' in page


@pytest.mark.usefixtures("entries")
def test_vectors_that_the_owner_keeps_have_no_button(stranger: Client) -> None:
    page = stranger.get("/find").content.decode()
    assert "The owner does not offer the file" in page
    assert "popover" not in page.split("<main")[1]


@pytest.mark.parametrize(
    ("licence", "about"),
    [
        ("MIT, as its package states", "19 MB, MIT"),
        ("None stated (program: Apache 2.0)", "19 MB, None stated"),
        ("", "19 MB, no licence stated"),
    ],
)
def test_a_button_has_the_beginning_of_the_licence(licence: str, about: str) -> None:
    assert Download(licence, bytes=19_000_000).about == about


@pytest.mark.usefixtures("entries")
def test_of_more_entries_than_are_tested_the_page_says_so(stranger: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recommendation, "MOST_TESTED", 2)
    text = section(stranger.get("/find"))
    assert "All 4" in text
    assert section(stranger.get("/find?megabytes=50")).count("of the 2 best") == 1


def test_old_addresses_lead_to_the_same_answer(stranger: Client) -> None:
    for old, new in (("/choose?for=pos&megabytes=7.5", "/find?for=pos&megabytes=7.5"), ("/cost?by=minutes", "/find")):
        response = stranger.get(old)
        assert (response.status_code, response["Location"]) == (301, new)


def test_a_suite_offers_the_purposes_that_it_has_tasks_for(stranger: Client, settings: Any) -> None:
    def purposes() -> list[str]:
        page = stranger.get("/find").content.decode()
        return re.findall('value="([^"]+)"', page.split('name="for"')[1].split("</select>")[0])

    assert purposes() == ["any", "pos", "ner", "sentiment", "questions", "sim-simlex-999"]
    assert "None have a score in this yet" in stranger.get("/find?for=sim-simlex-999").content.decode()
    settings.VECBOARD_SUITE = "veceval-2016"
    assert purposes() == ["any", "pos", "ner", "sentiment", "questions"]
    assert "None have a score in this yet" in stranger.get("/find?for=sim-simlex-999").content.decode()


def test_a_size_from_a_link_is_among_the_offered_ones(stranger: Client) -> None:
    page = stranger.get("/find?megabytes=7.5").content.decode()
    assert '<option value="7.5" selected>7.5 MB</option>' in page


def test_an_empty_board_has_no_answer(stranger: Client) -> None:
    assert "No vectors fit" in stranger.get("/find").content.decode()


@pytest.mark.parametrize("value", ["0", "-5", "0.05", "1.2.3", "fifty", "1000000"])
def test_an_unusable_number_of_megabytes_is_answered_with_a_sentence(stranger: Client, value: str) -> None:
    page = stranger.get("/find", {"megabytes": value}).content.decode()
    assert "“megabytes” may be a number from 0.1 to 999,999, such as 50 or 7.5." in page


def test_a_need_is_read_from_an_address() -> None:
    need = Need.parse(QueryDict("for=political&mode=x&megabytes=-1&licensed=yes"))
    assert replace(need, ignored=()) == Need()
    assert [ignored.name for ignored in need.ignored] == ["for", "mode", "megabytes", "licensed"]
    assert Need.parse(QueryDict("mode=fine-tuned&megabytes=37&licensed=1")) == Need("any", "fine-tuned", 37, True)
    assert Need.parse(QueryDict("megabytes=50.5")) == Need(megabytes=50.5)
    assert repr(Need.parse(QueryDict("megabytes=50.0")).megabytes) == "50"
    assert Need("pos", "fine-tuned").column({"pos.fine-tuned", "pos"}) == "pos.fine-tuned"
    assert Need("sim-simlex-999").column({"sim-simlex-999"}) == "sim-simlex-999"


@pytest.fixture
def sized(submission: Make) -> None:
    for name, shift, columns in (
        ("small", 0.10, {"dimensions": 50}),
        ("beaten", 0.05, {"dimensions": 50}),
        ("best", 0.20, {"dimensions": 300}),
        ("wasteful", 0.15, {"dimensions": 300}),
        ("control", 0.30, {"dimensions": 10, "algorithm": "random"}),
    ):
        with_error(submission(name=name, shift=shift, **columns), "overall", shift, error=0.005)


def line() -> dict[str, bool]:
    board = board_of(SUITE, BoardQuery(columns=("overall",)), size=None)
    options, places = sized_options(scored_rows(board), board.columns[0])
    return {option.row.facts.name: place in places for place, option in enumerate(options)}


@pytest.mark.usefixtures("sized")
def test_the_line_has_the_best_score_at_every_size_and_controls_are_left_out() -> None:
    assert line() == {"best": True, "wasteful": False, "small": True, "beaten": False}


def test_a_lead_that_may_be_chance_is_not_on_the_line(submission: Make) -> None:
    for name, shift, dimensions in (("first", 0.10, 50), ("ahead", 0.101, 100), ("better", 0.20, 300)):
        with_error(submission(name=name, shift=shift, dimensions=dimensions), "overall", shift)
    assert line() == {"better": True, "ahead": False, "first": True}


def test_a_slightly_smaller_entry_with_an_equal_score_begins_the_line_alone(submission: Make) -> None:
    for name, words in (("smaller", 35_800), ("larger", 35_900)):
        with_error(submission(name=name, shift=0.1, dimensions=100, words=words), "overall", 0.1)
    assert line() == {"smaller": True, "larger": False}


def test_entries_that_were_not_tested_are_not_on_the_line(submission: Make) -> None:
    submission(name="small", shift=0.1, dimensions=50)
    submission(name="better", shift=0.2, dimensions=100)
    assert line() == {"better": False, "small": True}


def test_an_entry_of_unknown_size_is_not_drawn(submission: Make) -> None:
    submission(name="whole", dimensions=300, words=1_000)
    submission(name="unknown", dimensions=300, words=None)
    submission(name="composed", open_vocabulary=True)
    assert list(line()) == ["whole"]


def test_a_model_that_composes_words_has_its_own_size_and_not_that_of_the_composed_words(submission: Make) -> None:
    model = submission(name="tokens", words=295_000, dimensions=256, open_vocabulary=True, model_bytes=16_400_000)
    assert Need(megabytes=17).fits(model.facts)
    assert not Need(megabytes=16).fits(model.facts)


@pytest.mark.usefixtures("sized")
def test_every_point_has_its_name_and_the_line_is_marked() -> None:
    board = board_of(SUITE, BoardQuery(columns=("overall",)), size=None)
    chart = memory_chart(*sized_options(scored_rows(board), board.columns[0]), "Errors avoided, %")
    assert chart.title.startswith("Clearly better vectors at ")
    for drawing in (chart.drawing, chart.narrow):
        assert drawing
        assert sorted(re.findall(">([a-z]+)</text>", drawing.body)) == ["beaten", "best", "small", "wasteful"]
        assert drawing.body.count('class="nr strong"') == 2
    assert chart.drawing.body.count('class="better"') == 2
    assert 'class="front"' in chart.svg
    assert re.search(r"best: 240 kB, \+20\.0", chart.description)
    assert len(chart.table) == 5


def test_where_nothing_larger_is_better_the_chart_says_so(submission: Make) -> None:
    for name, dimensions in (("first", 50), ("larger", 300)):
        with_error(submission(name=name, shift=0.1, dimensions=dimensions), "overall", 0.1)
    board = board_of(SUITE, BoardQuery(columns=("overall",)), size=None)
    chart = memory_chart(*sized_options(scored_rows(board), board.columns[0]), "Errors avoided, %")
    assert chart.title == "Nothing larger is known to be clearly better than first"


def test_of_many_entries_the_small_end_of_the_line_stays(submission: Make) -> None:
    with_error(submission(name="smallest", shift=-0.5, dimensions=10), "overall", -0.5)
    for nth in range(MOST_SHOWN + 1):
        with_error(submission(name=f"e{nth}", shift=0.001 * nth, dimensions=300), "overall", 0.001 * nth)
    drawn = line()
    assert len(drawn) == MOST_SHOWN
    assert [name for name, is_worth_it in drawn.items() if is_worth_it] == [f"e{MOST_SHOWN}", "smallest"]


def test_without_entries_there_is_no_chart(stranger: Client) -> None:
    assert "What does more memory buy?" not in stranger.get("/find").content.decode()


def test_an_own_private_entry_is_recommended_to_its_owner_alone(submission: Make, stranger: Client) -> None:
    owner = person("ada")
    submission(name="public one", shift=0.1, words=200, dimensions=10)
    mine = {"visibility": "private", "owner": owner, "vectors_sha256": "9" * 64}
    submission(name="mine alone", shift=0.3, words=200, dimensions=10, **mine)
    browser = browser_of(owner)
    for path in ("/find", "/find?for=ner"):
        response = browser.get(path)
        assert response.content.decode().index("mine alone") < response.content.decode().index("public one")
        assert response["Cache-Control"] == "private, no-store"
        for other in (stranger, browser_of(person(f"eve{path[-1]}"))):
            page = other.get(path).content.decode()
            assert ("public one" in page, "mine alone" in page) == (True, False)
