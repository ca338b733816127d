"""The best entry within the limits, the others tested against it; the best entry at each cost."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from django.http import HttpResponse, QueryDict
from django.test import Client

from benchmark.choose import recommendation
from benchmark.choose.costs import MOST_SHOWN, chart_of, cost_of, points_of
from benchmark.choose.recommendation import Need, Option, Recommendation, baseline_within, choice_of
from benchmark.choose.views import lanes_of
from benchmark.leaderboard import jobs, ranking_data
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.models import Entry
from benchmark.leaderboard.query import BoardQuery
from benchmark.shipped.vectors import ShippedVectors
from benchmark.submissions.models import Submission
from tasks.baseline.published import published
from tasks.results import MODES
from tasks.suites import OPEN_2026
from tests.benchmark.conftest import Make
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


@pytest.mark.parametrize(("limit", "dimensions"), [(0, 100), (25, 50), (50, 50), (200, 100), (300, 300)])
def test_the_baseline_within_a_limit_is_the_largest(limit: int, dimensions: int) -> None:
    within, used = published(OPEN_2026, dimensions), published(OPEN_2026)
    assert within is not None
    assert used is not None
    cells = [(task.id, mode) for task, mode in OPEN_2026.cells_of_mean(MODES)]
    pairs = [(within.result(*cell), used.result(*cell)) for cell in cells]
    overall = np.mean([(one.score - base.score) / (1 - base.score) for one, base in pairs if one and base])
    assert baseline_within(OPEN_2026, limit, "overall-as-used") == (dimensions, pytest.approx(overall))
    assert baseline_within(OPEN_2026, limit, "sim-simlex-999") == (100, 0.0)


def answer(**limits: int) -> Recommendation:
    choice = choice_of(board_of(SUITE, FIXED, size=None), Need(**limits))  # type: ignore[arg-type]
    assert choice is not None
    return choice


def names(choice: Recommendation) -> list[str]:
    return [option.row.facts.name for option in choice.options]


@pytest.mark.usefixtures("entries")
def test_the_best_entry_is_recommended_and_controls_are_not() -> None:
    choice = answer()
    assert names(choice) == ["large", "small", "worse", "below"]
    assert [option.is_worse for option in choice.options] == [False, False, True, True]
    assert choice.from_best is None


@pytest.mark.usefixtures("entries")
def test_the_smallest_entry_that_is_not_told_apart_is_named() -> None:
    choice = answer()
    assert [option.row.facts.name for option in choice.equals] == ["small"]
    assert choice.smaller is choice.options[1]
    assert answer(dimensions=50).smaller is None


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize(("megabytes", "expected"), [(19, ["below"]), (20, ["small", "worse", "below"])])
def test_any_number_of_megabytes_is_a_limit(megabytes: int, expected: list[str]) -> None:
    assert names(answer(megabytes=megabytes)) == expected


@pytest.mark.usefixtures("entries")
def test_within_limits_entries_are_tested_against_the_best_within_them() -> None:
    choice = answer(licensed=True, dimensions=100)
    assert [option.is_worse for option in choice.options] == [False, True]
    assert choice.first.row.facts.name == "worse"


@pytest.mark.usefixtures("entries")
def test_the_recommended_entry_is_tested_against_the_best_without_limits() -> None:
    near, far = answer(dimensions=50).from_best, answer(dimensions=10).from_best
    assert near is not None
    assert near.difference is not None
    assert near.difference.difference == pytest.approx(-0.001)
    assert not near.is_worse
    assert far is not None
    assert far.is_worse


@pytest.mark.usefixtures("entries")
def test_a_new_limit_that_fits_the_same_entries_computes_no_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    monkeypatch.setattr(recommendation, "ranking_data_of", lambda reports: read.append(len(reports)) or {})
    for megabytes in (50, 51, 119):
        answer(megabytes=megabytes)
    assert read == [3, 4]


def test_an_entry_below_the_baseline_is_not_told_apart_only_if_the_test_says_so(submission: Make) -> None:
    for name, shift in (("best", 0.02), ("below", -0.02)):
        with_error(submission(name=name, shift=shift), "fixed", shift, error=0.05)
    (worst,) = answer().options[1:]
    assert not worst.is_worse
    assert worst.difference is not None
    low, high = worst.difference.interval or (0.0, 0.0)
    assert low < -0.1
    assert high > 0.05


def test_an_entry_below_the_baseline_is_no_equal_of_the_best_however_wide_its_interval(
    submission: Make, stranger: Client
) -> None:
    for name, shift, error in (("best", 0.2, 0.01), ("next", 0.199, 0.01), ("wide", -0.01, 0.5)):
        with_error(submission(name=name, shift=shift), "fixed", shift, error=error)
    choice = answer()
    assert [option.is_worse for option in choice.options] == [False, False, False]
    assert ([o.row.facts.name for o in choice.equals], [o.row.facts.name for o in choice.wide]) == (["next"], ["wide"])
    text = section(stranger.get("/choose"))
    assert "1 other is not told apart from it" in text
    assert "1 entry is below the baseline and not recommended" in text
    assert text.count("below the baseline, but the interval is wide") == 1


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
    assert "standard errors are missing" in stranger.get("/choose").content.decode()


def section(page: HttpResponse) -> str:
    """The answer as plain text."""
    found = page.content.decode().split('id="answer"')[1].split("</section>")[0]
    return " ".join(re.sub("<[^>]*>", " ", found).split())


@pytest.mark.usefixtures("entries")
def test_the_page_begins_with_one_recommendation_and_its_reason(stranger: Client) -> None:
    text = section(stranger.get("/choose?megabytes=50"))
    assert "Within 50 MB, take small" in text
    assert "the best score of the 3 entries within your limits" in text
    assert "The tests do not tell it apart from the best of all, large (120 MB" in text


@pytest.mark.usefixtures("entries")
def test_every_row_has_its_size_its_interval_and_its_verdict(stranger: Client) -> None:
    page = stranger.get("/choose").content.decode()
    assert page.count('class="lane') == 5  # with the axis
    assert re.findall(r'data-l="Size in memory">([^<]*)<', page) == ["120 MB", "20 MB", "20 MB", "4 MB"]
    assert len(re.findall("significantly worse</small>", page)) == 2
    assert len(re.findall("not told apart</small>", page)) == 1
    assert "<script src" not in page.split("<main")[1]


def test_vectors_are_offered_as_a_file_or_as_the_command_that_makes_them(
    submission: Make, stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered = submission(name="offered", licence="CC0", offers_download=True, file_key="uploads/x")
    shipped = submission(name="shipped", track="prescribed", vectors_sha256="ab" * 32)
    public = submission(name="public", track="other", vectors_sha256="cd" * 32)
    made_by = {shipped.pk: ShippedVectors("cbow-w5-d50"), public.pk: ShippedVectors("glove-6b-50d")}
    monkeypatch.setattr(recommendation, "shipped_as", lambda row: made_by.get(row.pk))
    page = stranger.get("/choose").content.decode()
    assert f'href="/s/{offered.pk}/vectors">Download the vectors</a>' in page
    assert f"<code>python -m research.board vectors cbow-w5-d50 --suite {SUITE.id}</code>" in page
    assert "<code>vecboard public glove-6b-50d</code>" in page
    rebuilt = page.split("research.board vectors")[0].split("<tr")[-1]
    assert "Rebuild the vectors with this command of the program" in rebuilt
    assert f'href="/r/{shipped.pk}"' in rebuilt
    assert page.count('<tr class="get"><td colspan="5"><details>') == 3


@pytest.mark.usefixtures("entries")
def test_of_more_entries_than_are_tested_the_page_says_so(stranger: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recommendation, "MOST_TESTED", 2)
    text = section(stranger.get("/choose"))
    assert "1 other of the 2 best is not told apart from it" in text
    assert "2 more entries are on the board" in text


def test_for_political_text_no_entry_is_called_best(stranger: Client) -> None:
    assert "No entry is best for political text" in stranger.get("/choose?for=political").content.decode()


def test_for_another_language_its_board_is_the_answer(submission: Make, stranger: Client) -> None:
    assert "submit vectors" in stranger.get("/choose?for=language").content.decode().split('id="answer"')[1]
    submission(name="auf Deutsch", language="de")
    jobs.compute(SUITE.id, SUITE.version)
    section = stranger.get("/choose?for=language").content.decode().split('id="answer"')[1]
    (address,) = re.findall(r'href="(/\?language=[^"]*)">German</a>', section)
    assert "auf Deutsch" in stranger.get(address).content.decode()


def test_purposes_that_no_entry_can_answer_say_so_and_cannot_be_chosen(submission: Make, stranger: Client) -> None:
    def options() -> dict[str, str]:
        return dict(re.findall(r'<option value="([^"]+)"( [a-z]+)?>', stranger.get("/choose").content.decode()))

    before = options()
    assert (before["any"], before["sim-simlex-999"], before["political"]) == (" selected", " disabled", "")
    submission()
    assert options()["sim-simlex-999"] == ""


@pytest.mark.usefixtures("entries")
def test_costs_that_no_entry_states_say_so_and_cannot_be_chosen(stranger: Client) -> None:
    shown = stranger.get("/cost").content.decode()
    assert "training minutes (no entry states them)" in shown
    assert '<a href="?by=megabytes">' in shown


def test_an_empty_board_has_no_answer(stranger: Client) -> None:
    assert "No entry fits" in stranger.get("/choose").content.decode()


@pytest.mark.parametrize("value", ["0", "-5", "0.05", "1.2.3", "fifty", "1000000"])
def test_an_unusable_number_of_megabytes_is_answered_with_a_sentence(stranger: Client, value: str) -> None:
    page = stranger.get("/choose", {"megabytes": value}).content.decode()
    assert "“megabytes” may be a number from 0.1 to 999,999, such as 50 or 7.5." in page


def test_a_need_is_read_from_an_address() -> None:
    found = Need.parse(QueryDict("for=pos&mode=x&dimensions=7&megabytes=-1&licensed=yes"))
    assert replace(found, ignored=()) == Need("pos")
    assert [one.name for one in found.ignored] == ["mode", "dimensions", "megabytes", "licensed"]
    assert Need.parse(QueryDict("mode=fine-tuned&dimensions=100&megabytes=37&licensed=1")) == Need(
        "any", "fine-tuned", 100, 37, True
    )
    assert Need.parse(QueryDict("megabytes=50.5")) == Need(megabytes=50.5)
    assert repr(Need.parse(QueryDict("megabytes=50.0")).megabytes) == "50"
    assert Need("pos", "fine-tuned").column({"pos.fine-tuned", "pos"}) == "pos.fine-tuned"
    assert Need("sim-simlex-999").column({"sim-simlex-999"}) == "sim-simlex-999"


@pytest.fixture
def priced(submission: Make) -> None:
    for name, shift, columns in (
        ("cheap", 0.10, {"dimensions": 50, "training_minutes": 1.0}),
        ("beaten", 0.05, {"dimensions": 50, "training_minutes": 0.5}),
        ("best", 0.20, {"dimensions": 300}),
        ("wasteful", 0.15, {"dimensions": 300, "training_minutes": 9.0}),
        ("control", 0.30, {"dimensions": 10, "algorithm": "random"}),
    ):
        with_error(submission(name=name, shift=shift, **columns), "overall", shift, error=0.005)


def line(by: str) -> dict[str, bool]:
    board = board_of(SUITE, BoardQuery(columns=("overall",)), size=None)
    return {point.facts.name: point.is_best for point in points_of(board.rows, by)}


@pytest.mark.usefixtures("priced")
def test_the_line_has_the_best_score_at_every_cost_and_controls_are_left_out() -> None:
    assert line("dimensions") == {"best": True, "wasteful": False, "cheap": True, "beaten": False}
    assert line("minutes") == {"wasteful": True, "cheap": True, "beaten": True}


def test_a_lead_that_may_be_chance_is_not_on_the_line(submission: Make) -> None:
    for name, shift, dimensions in (("first", 0.10, 50), ("ahead", 0.101, 100), ("better", 0.20, 300)):
        with_error(submission(name=name, shift=shift, dimensions=dimensions), "overall", shift)
    assert line("dimensions") == {"better": True, "ahead": False, "first": True}


def test_a_slightly_smaller_entry_with_an_equal_score_begins_the_line_alone(submission: Make) -> None:
    for name, words in (("smaller", 35_800), ("larger", 35_900)):
        with_error(submission(name=name, shift=0.1, dimensions=100, words=words), "overall", 0.1)
    assert line("megabytes") == {"smaller": True, "larger": False}


def test_entries_that_were_not_tested_are_not_on_the_line(submission: Make) -> None:
    submission(name="cheap", shift=0.1, dimensions=50)
    submission(name="better", shift=0.2, dimensions=100)
    assert line("dimensions") == {"better": False, "cheap": True}


def test_an_entry_of_unknown_size_has_no_megabytes(submission: Make) -> None:
    assert cost_of(submission(dimensions=300, words=1_000).facts, "megabytes") == 1.2
    unknown = submission(dimensions=300, words=None).facts
    assert cost_of(unknown, "megabytes") is None
    assert cost_of(unknown, "dimensions") == 300
    assert cost_of(submission(open_vocabulary=True).facts, "megabytes") is None


def test_a_model_that_composes_words_has_its_own_size_and_not_that_of_the_composed_words(submission: Make) -> None:
    model = submission(name="tokens", words=295_000, dimensions=256, open_vocabulary=True, model_bytes=16_400_000)
    assert cost_of(model.facts, "megabytes") == 16.4
    assert Need(megabytes=17).fits(model.facts)
    assert not Need(megabytes=16).fits(model.facts)


def test_a_cost_of_zero_has_no_place_on_a_logarithmic_axis(submission: Make) -> None:
    assert cost_of(submission(training_minutes=0.0).facts, "minutes") is None


@pytest.mark.usefixtures("priced")
def test_every_point_has_its_name_and_the_line_is_marked() -> None:
    board = board_of(SUITE, BoardQuery(columns=("overall",)), size=None)
    chart = chart_of(points_of(board.rows, "dimensions"), "dimensions")
    assert chart.title == "2 of 4 entries are the best at their cost"
    for drawing in (chart.drawing, chart.narrow):
        assert drawing
        assert sorted(re.findall(">([a-z]+)</text>", drawing.body)) == ["beaten", "best", "cheap", "wasteful"]
        assert drawing.body.count('class="nr strong"') == 2
    assert chart.drawing.body.count('class="better"') == 2
    assert 'class="front"' in chart.svg
    assert "best: 300 · +" in chart.description


@pytest.mark.usefixtures("priced")
@pytest.mark.parametrize("by", ["dimensions", "minutes", "megabytes", "nonsense"])
def test_the_page_lists_what_it_draws(stranger: Client, by: str) -> None:
    page = stranger.get(f"/cost?by={by}").content.decode()
    assert page.count('<th scope="row">') == (3 if by == "minutes" else 4)


def test_of_many_entries_the_cheap_end_of_the_line_stays(submission: Make) -> None:
    with_error(submission(name="cheapest", shift=-0.5, dimensions=10), "overall", -0.5)
    for nth in range(MOST_SHOWN + 1):
        with_error(submission(name=f"e{nth}", shift=0.001 * nth, dimensions=300), "overall", 0.001 * nth)
    found = line("dimensions")
    assert len(found) == MOST_SHOWN
    assert [name for name, is_best in found.items() if is_best] == [f"e{MOST_SHOWN}", "cheapest"]


def test_without_entries_there_is_nothing_to_draw(stranger: Client) -> None:
    assert "Nothing to show." in stranger.get("/cost").content.decode()
