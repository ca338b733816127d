"""The reader's choices are in the URL; exports, frames and badges show the same."""

from __future__ import annotations

import csv
import json
import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from benchmark.leaderboard import jobs
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.columns import columns_of
from benchmark.leaderboard.exports import answer_of, citation
from benchmark.leaderboard.models import Entry
from benchmark.leaderboard.query import BoardQuery
from benchmark.submissions.models import Submission, Visibility
from tasks.hashes import suite_hash
from tasks.suites import DEFAULT, SUITES
from tests.benchmark.conftest import Make
from tests.benchmark.leaderboard.test_leaderboard import entries  # noqa: F401
from tests.benchmark.reports import REASON, SUITE, report_of
from tests.benchmark.scores import measured_with

SECRET = "zephyranthes"


def shown(client: Client, address: str) -> list[str]:
    return [entry["name"] for entry in client.get(f"/api/v1/leaderboard{address}").json()["entries"]]


@pytest.fixture
def varied(submission: Make) -> None:
    user = get_user_model().objects.create_user("ada", "ada@example.org", "a long password 1")
    submission(name="glove", corpus="Gigaword", algorithm="GloVe", dimensions=300, owner=user)
    submission(name="skip-gram", algorithm="word2vec", dimensions=100, track="prescribed", trained_on_task_data=True)
    Submission.objects.filter(name="skip-gram").update(open_vocabulary=True)


@pytest.mark.usefixtures("varied")
@pytest.mark.parametrize(
    ("address", "names"),
    [
        ("?track=prescribed", ["skip-gram"]),
        ("?task-data=no", ["glove"]),
        ("?task-data=yes", ["skip-gram"]),
        ("?vocabulary=open", ["skip-gram"]),
        ("?vocabulary=closed", ["glove"]),
        ("?dim-min=200", ["glove"]),
        ("?dim-max=200", ["skip-gram"]),
        ("?corpus=giga", ["glove"]),
        ("?algorithm=WORD2VEC", ["skip-gram"]),
        ("?owner=ada", ["glove"]),
        ("?q=gram", ["skip-gram"]),
        ("?q=nothing", []),
    ],
)
def test_every_filter_leaves_what_it_names(stranger: Client, address: str, names: list[str]) -> None:
    assert shown(stranger, address) == names
    page = stranger.get(f"/{address}").content.decode()
    assert all(f">{name}<" in page for name in names)


def test_no_filter_finds_out_an_anonymous_entry(submission: Make, stranger: Client) -> None:
    user = get_user_model().objects.create_user(SECRET, "x@example.org", "a long password 1")
    written = dict.fromkeys(("name", "description", "corpus", "algorithm"), SECRET)
    submission(visibility=Visibility.ANONYMOUS, owner=user, **written)
    for parameter in ("q", "corpus", "algorithm", "owner"):
        assert shown(stranger, f"?{parameter}={SECRET}") == []
    for path in (
        "/",
        "/?view=scores",
        "/board.csv",
        "/board.json",
        "/board.tex",
        "/embed",
        "/api/v1/leaderboard",
        "/practice",
    ):
        assert SECRET not in stranger.get(path).content.decode()


def test_sorting_by_name_reveals_nothing_of_an_anonymous_name(submission: Make, stranger: Client) -> None:
    submission(name="aaa", visibility=Visibility.ANONYMOUS)
    submission(name="Aardvark")
    assert shown(stranger, "?sort=name")[0] == "Aardvark"


@pytest.mark.usefixtures("entries")
def test_columns_are_chosen_by_key_or_group(stranger: Client) -> None:
    answer = stranger.get("/api/v1/leaderboard?c=overall&c=Fixed").json()
    assert [column["key"] for column in answer["columns"]][:2] == ["overall", "pos.fixed"]
    page = stranger.get("/?c=overall&c=ner.fixed").content.decode()
    assert 'value="ner.fixed" checked' in page
    assert 'value="pos.fixed" checked' not in page
    assert "&amp;c=ner.fixed" in page.split("<thead>")[1].split("</thead>")[0]


@pytest.mark.usefixtures("entries")
def test_every_column_of_the_largest_board_can_be_asked_for_at_once(stranger: Client) -> None:
    keys = [column.key for column in columns_of(SUITES[DEFAULT])]
    answer = stranger.get("/", {"suite": DEFAULT, "c": keys, "q": "x"})
    assert (answer.status_code, len(keys) > 60) == (200, True)


def test_pages_follow_each_other_without_gap_or_repeat(submission: Make) -> None:
    for number in range(7):
        submission(name=f"e{number}", shift=0.1 * (number % 3))
    query, seen = BoardQuery(), []
    while True:
        board = board_of(SUITE, query, size=3)
        seen += [row.facts.name for row in board.rows]
        if not board.next_after:
            break
        query = BoardQuery(after=board.next_after)
    assert len(seen) == len(set(seen)) == 7


def test_the_next_page_continues_at_the_same_place_if_the_last_entry_is_deleted(submission: Make) -> None:
    for number in range(4):
        submission(name=f"e{number}", shift=0.4 - 0.1 * number)
    first = board_of(SUITE, BoardQuery(), size=2)
    Submission.objects.filter(name="e1").update(visibility=Visibility.PRIVATE)
    rest = board_of(SUITE, BoardQuery(after=first.next_after), size=2)
    assert [row.facts.name for row in rest.rows] == ["e2", "e3"]


@pytest.mark.usefixtures("entries")
def test_the_csv_has_every_entry_with_intervals_and_reasons(stranger: Client) -> None:
    first, *lines = stranger.get("/board.csv?sort=fixed").content.decode().splitlines()
    assert first.endswith("sort=fixed")
    rows = list(csv.DictReader(lines))
    assert [row["name"] for row in rows] == ["best", "middle", "worst", "blank"]
    assert float(rows[0]["ner.fixed.low"]) == pytest.approx(0.25)
    assert float(rows[0]["ner.fixed.coverage"]) == pytest.approx(0.9876)
    assert rows[-1]["ner.fixed.blank"] == REASON


@pytest.mark.usefixtures("varied")
def test_the_csv_marks_entries_trained_on_task_data(stranger: Client) -> None:
    _, *lines = stranger.get("/board.csv?sort=name").content.decode().splitlines()
    assert {row["name"]: row["trained_on_task_data"] for row in csv.DictReader(lines)} == {
        "glove": "0",
        "skip-gram": "1",
    }


@pytest.mark.usefixtures("varied")
def test_an_open_vocabulary_is_marked_on_the_board_in_the_csv_and_in_the_json(stranger: Client) -> None:
    assert (
        stranger.get("/?view=scores").content.decode().split("<tbody>")[1].split("</tbody>")[0].count("open vocabulary")
        == 1
    )
    _, *lines = stranger.get("/board.csv?sort=name").content.decode().splitlines()
    assert [row["open_vocabulary"] for row in csv.DictReader(lines)] == ["0", "1"]
    answer = stranger.get("/api/v1/leaderboard?sort=name").json()
    assert [entry["open_vocabulary"] for entry in answer["entries"]] == [False, True]


@pytest.mark.usefixtures("entries")
def test_the_json_export_is_the_api_with_its_permanent_address(stranger: Client) -> None:
    export = json.loads(stranger.get("/board.json?q=best").content)
    assert export["address"] == f"http://testserver/?suite=demo&version={SUITE.version}&q=best"
    assert export["entries"] == stranger.get("/api/v1/leaderboard?q=best").json()["entries"]


def test_the_latex_export_is_a_booktabs_table_with_names_made_safe(submission: Make, stranger: Client) -> None:
    submission(name="50% & more_", shift=-0.1)
    table = stranger.get("/board.tex?c=overall").content.decode()
    assert r"50\% \& more\_ & $-$10.00 \\" in table
    assert table.count(r"\toprule") == table.count(r"\midrule") == table.count(r"\bottomrule") == 1


def test_a_name_is_not_a_formula_in_a_spreadsheet(submission: Make, stranger: Client) -> None:
    submission(name="=1+1")
    assert "'=1+1" in stranger.get("/board.csv").content.decode()


def test_the_link_from_the_heat_map_says_what_stays_shaded(submission: Make, stranger: Client) -> None:
    submission(shift=0.21)
    heat, usual = (stranger.get(f"/?c=ner.fixed{view}").content.decode() for view in ("&view=heat", ""))
    assert '<a href="?c=ner.fixed&amp;view=scores">Shade errors avoided only</a>' in heat
    assert ">Heat map</a>" in usual
    assert ' p4"' in usual


@pytest.mark.parametrize("view", ["", "&view=heat"])
def test_error_reductions_are_shaded_by_sign_and_size(submission: Make, stranger: Client, view: str) -> None:
    submission(name="good", shift=0.21), submission(name="bad", shift=-0.07)
    page = stranger.get(f"/?c=ner.fixed{view}").content.decode()
    assert page.index(' p4"') < page.index(' n2"')
    submission(name="floor", shift=-0.9)
    assert ' n2"' in stranger.get(f"/?c=ner.fixed{view}").content.decode()  # one control does not make all others pale


@pytest.mark.parametrize("view", ["", "&view=heat"])
def test_an_error_reduction_whose_interval_includes_zero_is_not_shaded(
    submission: Make, stranger: Client, view: str
) -> None:
    row = submission()
    for low, shades in ((-0.01, set()), (0.01, {"p4"})):
        measured_with(row, {"ner.fixed": [0.3, low, 0.6, None]})
        cell = stranger.get(f"/?c=ner.fixed&sort=name{view}").content.decode().split("<td")[-1]
        assert set(cell.split('class="')[1].split('"')[0].split()) - {"number", "group-start"} == shades


def test_overall_is_drawn_on_one_axis_and_the_baselines_line_runs_through_every_row(
    submission: Make, stranger: Client
) -> None:
    for shift in (0.3, 0.1, -0.2):
        submission(shift=shift)
    measured_with(submission(), {}, {"overall": "why"})
    body = stranger.get("/?view=scores").content.decode().split("<tbody>")[1].split("</tbody>")[0]
    lines = re.findall(r'<line class="zero" x1="([\d.]+%)"', body)
    assert (len(lines), len(set(lines))) == (4, 1)
    assert body.count("<circle") == 3


def test_an_older_version_of_the_suite_keeps_its_board(submission: Make, stranger: Client) -> None:
    row = submission(name="old")
    Entry.objects.filter(submission=row).update(version=7)
    jobs.compute(SUITE.id, 7)
    submission(name="new")
    assert shown(stranger, "?version=7") == ["old"]
    assert shown(stranger, "") == ["new"]
    assert "7</option>" in stranger.get("/").content.decode()
    assert stranger.get("/?version=99").status_code == 404


@pytest.mark.usefixtures("entries")
def test_a_page_asks_the_database_at_most_eight_times(stranger: Client, django_assert_max_num_queries: Any) -> None:
    stranger.get("/embed")  # the names that look alike are read once until a change
    for address in ("/", "/?view=scores", "/?sort=name&q=e&view=heat", "/board.csv", "/embed"):
        with django_assert_max_num_queries(8):
            stranger.get(address)


def test_a_cached_page_is_not_shown_after_a_change(submission: Make, stranger: Client) -> None:
    row = submission(name="before")
    assert ">before<" in stranger.get("/").content.decode()
    Submission.objects.filter(pk=row.pk).update(name="after")
    assert ">after<" in stranger.get("/").content.decode()


def test_coverage_has_a_column_and_a_number_is_explained_by_its_own_if_that_is_low(
    submission: Make, stranger: Client
) -> None:
    for name, known in (("low", 0.5), ("high", 0.95)):
        measured_with(
            submission(name=name), {"ner.fixed": [0.1, 0.05, 0.2, known], "coverage": [known, None, None, None]}
        )
    head, body = stranger.get("/?sort=name").content.decode().split("<thead>")[1].split("<tbody>")
    assert ">Coverage</a>" in head
    assert "<i>+5.00 to +20.00; 50.0 % known</i>" in body
    assert re.findall(r">(95\.0|50\.0)</td>", body) == ["95.0", "50.0"]
    assert "95.0 % known" not in body


def test_common_choices_of_columns_are_a_click_away(submission: Make, stranger: Client) -> None:
    submission()
    page = stranger.get("/?view=scores").content.decode()
    links = dict(
        reversed(link)
        for link in re.findall(r'<a href="([^"]+)">(fine-tuned|syntax|semantics|similarity|all)</a>', page)
    )
    assert list(links) == ["fine-tuned", "syntax", "semantics", "similarity", "all"]
    for name, (key, other) in {
        "syntax": ("pos.fixed", "ner.fixed"),
        "similarity": ("sim-simlex-999", "pos.fixed"),
    }.items():
        head = stranger.get("/" + unescape(links[name])).content.decode().split("<thead>")[1].split("</thead>")[0]
        assert f"sort={key}" in head
        assert f"sort={other}" not in head
        assert f"<strong>{name}</strong>" in stranger.get("/" + unescape(links[name])).content.decode()


@pytest.mark.usefixtures("entries")
def test_a_board_has_the_means_the_six_tasks_and_coverage_and_explains_without_titles(stranger: Client) -> None:
    page = stranger.get("/?view=scores").content.decode()
    head, body = page.split("<thead>")[1].split("</thead>")
    assert head.count('class="number') == 3 + 6 + 1  # coverage
    assert "title=" not in head + body.split("</table>")[0]
    assert "<i>+25.00 to +35.00</i>" in body  # an interval, for visitors who point, tap or focus
    assert f'<i class="why">{REASON}</i>' in body


@pytest.mark.usefixtures("entries")
def test_a_second_density_keeps_the_view(stranger: Client) -> None:
    page = stranger.get("/?sort=fixed&c=fixed").content.decode()
    (link,) = re.findall(r'<a href="([^"]+)">With details</a> ·', page)
    roomy = stranger.get("/" + unescape(link)).content.decode()
    assert re.search(r'<table class="[^"]*roomy', roomy)
    assert "rows=roomy" in roomy.split("<thead>")[1].split("</thead>")[0]  # kept when sorting
    assert 'aria-sort="descending"' in roomy


@pytest.mark.usefixtures("entries")
def test_a_view_can_be_cited(stranger: Client) -> None:
    page = stranger.get("/?q=best&c=fixed").content.decode()
    citation = page.split('<pre class="cite">')[1].split("</pre>")[0]
    assert f"url = {{http://testserver/?suite=demo&amp;version={SUITE.version}&amp;c=fixed&amp;q=best}}" in citation


@pytest.mark.usefixtures("entries")
def test_a_view_has_the_suites_hash_only_with_the_values_of_that_version(stranger: Client) -> None:
    jobs.compute(SUITE.id, SUITE.version + 1)
    for version, known in ((SUITE.version, suite_hash(SUITE)), (SUITE.version + 1, None)):
        board = board_of(SUITE, BoardQuery(version=version))
        assert answer_of(board)["suite"] == {"id": SUITE.id, "version": version, "hash": known}
        cited = citation(board, "http://testserver/", "2026-01-02")
        assert (f"note = {{suite {suite_hash(SUITE)[:16]}}}" in cited) == (known is not None)
        assert f"version {version}}}" in cited


def test_markup_in_names_and_reasons_is_shown_as_text(submission: Make, stranger: Client) -> None:
    row = submission(name="<b>x</b>", corpus="<i>y</i>")
    measured_with(row, {}, {"overall": "<u>why</u>"})
    for path in ("/", "/?view=scores", "/embed", "/board.svg"):
        page = stranger.get(path).content.decode()
        assert "<b>x" not in page
        assert "<i>y" not in page
        assert "<u>why" not in page


def test_a_report_of_other_tasks_breaks_no_column(submission: Make, stranger: Client) -> None:
    row = submission(name="odd")
    measured_with(row, {"retired-task": [0.5, None, None, None]})
    assert report_of(0.1).results
    assert 'value="retired-task"' in stranger.get("/?view=scores").content.decode()


@pytest.mark.usefixtures("entries")
def test_every_shown_column_is_explained_on_the_page(stranger: Client) -> None:
    board = board_of(SUITE, BoardQuery(columns=("overall", "ner.fixed")))
    explained = stranger.get("/?c=overall&c=ner.fixed").content.decode().split('id="explained"')[1]
    assert "<dt>Fixed: Named entities</dt>" in explained
    assert all(column.explanation in explained for column in board.columns)
    assert "Part-of-speech" not in explained


@pytest.mark.usefixtures("entries")
def test_a_page_says_when_the_column_that_it_is_sorted_by_is_not_shown(stranger: Client) -> None:
    assert "sorted by Overall (not shown)" in stranger.get("/?c=ner.fixed").content.decode()
    assert "not shown" not in stranger.get("/?c=ner.fixed&sort=ner.fixed").content.decode()


@pytest.mark.usefixtures("entries")
def test_an_order_can_be_chosen_without_column_headers(stranger: Client) -> None:
    page = stranger.get("/?c=overall&c=ner.fixed&sort=ner.fixed").content.decode()
    orders = page.split('<select name="sort">')[1].split("</select>")[0]
    assert '<option value="">Overall</option>' in orders
    assert '<option value="ner.fixed" selected>Fixed: Named entities</option>' in orders
    assert '<option value="-ner.fixed">Fixed: Named entities, worst first</option>' in orders
    assert '<option value="name">Entry</option>' in orders


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize(
    ("address", "label"),
    [
        ("?c=overall&c=ner.fixed", "Overall, %"),
        ("?c=overall&c=ner.fixed&sort=ner.fixed", "Fixed: Named entities, %"),
        ("?c=overall&c=ner.fixed&sort=name", "Overall, %"),
        ("?c=ner.fixed&c=dimensions", "Fixed: Named entities, %"),
    ],
)
def test_a_closed_row_of_a_phone_has_one_number_and_its_name(stranger: Client, address: str, label: str) -> None:
    row = stranger.get(f"/{address}").content.decode().split("<tbody>")[1].split("</tr>")[0]
    numbers = [cell for cell in row.split("<td")[2:] if " more" not in cell.split(">")[0]]
    assert len(numbers) == 1
    assert f'data-l="{label}"' in numbers[0].replace("\N{NO-BREAK SPACE}", " ")
