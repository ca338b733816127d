"""Compared entries: differences and correlations; and the page of predictors."""

from __future__ import annotations

import csv
import json
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.test import Client

from benchmark import evidence
from benchmark.leaderboard import jobs, ranking_data
from benchmark.operations.models import Job
from benchmark.submissions.models import StoredReport, Submission
from extensions.differ.tests.test_differ_page import keep
from extensions.pairs.models import PairCorrelation
from tasks.metrics.distances import relative_deviation
from tasks.results import Aggregates, Outcomes, Report, SuiteUsed
from tasks.statistics.correlations import correlation_difference
from tasks.statistics.effects import FigureEstimate
from tasks.suite import Suite
from tasks.suites import OPEN_2026, SUITES
from tests.benchmark.conftest import Make
from tests.benchmark.reports import REASON, SUITE, report_of, result_of
from tests.benchmark.scores import figure


def noisy(seed: int, mean: float, error: float = 0.01) -> FigureEstimate:
    return figure(mean, np.random.default_rng(seed).normal(0, error, 1000))


@pytest.fixture
def two(submission: Make) -> tuple[Submission, Submission]:
    first, second = (
        submission(name=name, shift=shift, vectors_sha256=sha * 64, file_key=f"uploads/{sha}.gz")
        for name, shift, sha in (("first", 0.1, "a"), ("second", 0.3, "b"))
    )
    for row, mean, seed in ((first, 0.1, 1), (second, 0.3, 2)):
        ranking_data.save(row.report.entry, {"overall": noisy(seed, mean), "pos.fixed": noisy(seed, mean, 0.3)}, {})
    return first, second


def address(*rows: Submission, more: str = "") -> str:
    return f"/compare?{'&'.join(f'e={row.pk}' for row in rows)}{more}"


def test_a_clear_difference_is_marked_and_noise_is_not(two: tuple[Submission, ...], stranger: Client) -> None:
    page = stranger.get(address(*two)).content.decode()
    for title, is_clear in (("Overall", True), ("Part-of-speech tagging", False)):
        row = difference_of(page, title)
        assert "−20.00" in row
        assert ("*<span" in row) == is_clear


def test_the_page_begins_with_the_verdict_and_its_chart(two: tuple[Submission, ...], stranger: Client) -> None:
    page = stranger.get(address(*two)).content.decode()
    title = page.split("<h1>")[1].split("</h1>")[0].replace("\u00a0", " ")
    assert re.fullmatch(
        r'<strong class="c1"><bdi>second</bdi></strong> is clearly better overall, by 20\.0 points '
        r"\(1\d\.\d to 2\d\.\d\), though on none of 1 task alone",
        title,
    )
    assert "The other 11 of 12 tasks lack a score of one or were measured differently." in page
    assert page.index("<h1>") < page.index('class="lanes differences"') < page.index('id="differences"')


def test_neither_a_third_entry_nor_the_order_changes_a_verdict(
    two: tuple[Submission, ...], submission: Make, stranger: Client
) -> None:
    third = submission(name="third", shift=0.2, vectors_sha256="c" * 64)
    ranking_data.save(third.report.entry, {"overall": noisy(3, 0.2), "pos.fixed": noisy(3, 0.2)}, {})

    def differences(*rows: Submission) -> dict[str, tuple[float, bool, float | None]]:
        answer = stranger.get("/api/v1" + address(*rows)).json()["differences"]
        pairs = [one for one in answer if {one["entry"], one["against"]} == {row.pk for row in two}]
        return {one["column"]: (abs(one["difference"] or 0), one["significant"], one["p_corrected"]) for one in pairs}

    alone = differences(*two)
    assert alone["overall"][1]
    assert differences(*two[::-1]) == differences(*two, third) == alone


def test_an_entry_without_a_rank_is_tested_against_all_ranked_ones(
    two: tuple[Submission, ...], submission: Make, stranger: Client
) -> None:
    """p is 0.01: clear against two ranked entries (5 % / 2), and not against six."""
    generator = np.random.default_rng(7)
    late = submission(name="late", shift=0.1, vectors_sha256="d" * 64)
    noise = generator.standard_normal(1000)

    def ranked(count: int) -> None:
        for number in range(count):
            row = submission(name=f"entry {number}", shift=0.1, vectors_sha256=f"{number}" * 64)
            ranking_data.save(row.report.entry, {"overall": noisy(20 + number, 0.1)}, {})
        jobs.compute(SUITE.id, SUITE.version)

    ranking_data.save(two[0].report.entry, {"overall": figure(0.1, 0 * noise)}, {})
    ranked(0)
    ranking_data.save(late.report.entry, {"overall": figure(0.1 + 2.58 * 0.01, 0.01 * noise / noise.std())}, {})

    def overall() -> tuple[float, bool]:
        answer = stranger.get("/api/v1" + address(late, two[0])).json()["differences"]
        (of_overall,) = (one for one in answer if one["column"] == "overall")
        return of_overall["p"], of_overall["significant"]

    p, is_clear = overall()
    assert p == pytest.approx(0.01, rel=0.1)
    assert is_clear
    Submission.objects.filter(pk=late.pk).update(ranked=False)
    ranked(4)
    assert overall() == (p, False)


@pytest.mark.parametrize(("order", "difference"), [(1, "−28.57"), (-1, "+22.22")])
def test_of_geometric_means_the_difference_is_the_share_of_errors_avoided(
    two: tuple[Submission, ...], stranger: Client, monkeypatch: pytest.MonkeyPatch, order: int, difference: str
) -> None:
    """Errors of 90 and 70 % of the baseline's."""
    monkeypatch.setitem(SUITES, SUITE.id, replace(SUITE, mean="geometric"))
    for row, mean, seed in zip(two, (0.1, 0.3), (1, 2), strict=True):
        ratio = replace(noisy(seed, -math.log1p(-mean)), is_log=True)
        ranking_data.save(row.report.entry, {"overall": ratio}, {})
    assert difference in difference_of(stranger.get(address(*two[::order])).content.decode(), "Overall")


def test_ticks_of_large_differences_have_no_exponent(
    two: tuple[Submission, ...], submission: Make, stranger: Client
) -> None:
    measured_again(two[0], report_of(-15.0))
    third = submission(name="third", shift=0.2, vectors_sha256="c" * 64)
    for rows, tick in ((two, ">1000<"), ((*two, third), ">-1000 %<")):
        axis = stranger.get(address(*rows)).content.decode().split('class="lane axis"')[1].split("</svg>")[0]
        assert tick in axis


def difference_of(page: str, title: str) -> str:
    return page.split('id="differences"')[1].split(f'<th scope="row">{title}</th>')[1].split("</tr>")[0]


def table_of(client: Client, name: str, kind: str, *rows: Submission) -> str:
    response = client.get(address(*rows).replace("/compare", f"/compare/{name}.{kind}"))
    assert response.status_code == 200, response.content
    return str(response.content.decode())


def test_the_scores_of_two_are_a_table_for_papers_with_the_corrected_tests(
    two: tuple[Submission, ...], stranger: Client
) -> None:
    page = stranger.get(address(*two)).content.decode()
    for kind in ("tex", "md", "csv", "json"):
        assert f'href="/compare/scores.{kind}?e={two[0].pk}&amp;e={two[1].pk}"' in page
    comment, *lines = table_of(stranger, "scores", "csv", *two).splitlines()
    for part in (f"version {SUITE.version}, ", "corrected", "by Holm", "Intervals hold 95\u00a0%", address(*two)):
        assert part in comment
    rows = {row["key"]: row for row in csv.DictReader(lines)}
    answer = stranger.get("/api/v1" + address(*two)).json()["differences"]
    tested = {one["column"]: one for one in answer if one["p"] is not None}
    assert tested.keys() == {"overall", "pos.fixed"}
    for key, one in tested.items():
        row, sign = rows[key], 1 if one["entry"] == two[0].pk else -1
        assert float(row["difference"]) == pytest.approx(sign * one["difference"])
        for name in ("p", "p_corrected", "tests", "detectable_corrected"):
            assert row[f"difference.{name}"] == ("" if one[name] is None else str(one[name]))
        assert (row["difference.mark"] == "clear") == one["significant"]
    assert {key: row["difference.mark"] for key, row in rows.items() if row["difference.mark"]} == {"overall": "clear"}
    latex = table_of(stranger, "scores", "tex", *two)
    assert re.search(r"^Overall & Mean & \+10.00 & \+30.00 & \$-\$20.00\$\^{\*}\$ ", latex, flags=re.MULTILINE)


def test_of_several_the_best_is_bold_and_those_too_close_are_underlined(
    two: tuple[Submission, ...], submission: Make, stranger: Client
) -> None:
    third = submission(name="third", shift=0.299, vectors_sha256="c" * 64)
    ranking_data.save(third.report.entry, {"overall": noisy(3, 0.299, 0.1)}, {})
    (overall,) = (
        row["values"] for row in json.loads(table_of(stranger, "scores", "json", *two, third))["rows"]
        if row["key"] == "overall"
    )  # fmt: skip
    assert [overall[row.pk]["mark"] for row in (*two, third)] == ["", "best", "equal"]


def test_a_table_needs_two_entries_that_the_visitor_may_see(two: tuple[Submission, ...], stranger: Client) -> None:
    Submission.objects.filter(pk=two[0].pk).update(visibility="private")
    for rows in (two, two[1:]):
        assert stranger.get(address(*rows).replace("/compare", "/compare/scores.tex")).status_code == 404


def measured_again(row: Submission, report: Report) -> None:
    """Another report of an entry, with the figures of the previous one."""
    figures = ranking_data.ranking_data_of([row.report.pk])[row.report.pk].figures
    stored = StoredReport.objects.create(submission=row, body=report.to_json())
    ranking_data.save(stored.entry, figures, {})


def test_cells_with_different_definitions_are_not_tested(two: tuple[Submission, ...], stranger: Client) -> None:
    now = report_of(0.3)
    earlier: SuiteUsed = {**now.suite, "version": SUITE.version - 1}
    changed = [replace(one, task_hash="earlier") if one.task == "chunk" else one for one in now.results]
    measured_again(two[1], replace(now, suite=earlier, results=tuple(changed)))
    page = stranger.get(address(*two)).content.decode()
    assert "differences on tasks that changed are not tested" in page
    assert "Not tested" in difference_of(page, "Overall")
    assert "Not tested" not in difference_of(page, "Part-of-speech tagging")  # the same definition in both versions


def test_reductions_of_different_baselines_are_not_tested(two: tuple[Submission, ...], stranger: Client) -> None:
    now = report_of(0.3)
    results = tuple(replace(one, baseline=0.5) if one.task == "pos" else one for one in now.results)
    measured_again(two[1], replace(now, results=results))
    page = stranger.get(address(*two)).content.decode()
    assert all("Not tested" in difference_of(page, title) for title in ("Overall", "Part-of-speech tagging"))


def test_means_of_entries_in_two_languages_are_not_tested(two: tuple[Submission, ...], stranger: Client) -> None:
    now = report_of(0.3)
    measured_again(two[1], replace(now, vectors={**now.vectors, "language": "de"}))
    assert "Not tested" in difference_of(stranger.get(address(*two)).content.decode(), "Overall")


def test_the_reason_for_a_blank_cell_is_visible_and_not_in_a_tooltip(
    two: tuple[Submission, ...], stranger: Client
) -> None:
    StoredReport.objects.create(submission=two[1], body=report_of(0.3, missing=["ner"]).to_json())
    page = stranger.get(address(*two)).content.decode().split("<main")[1]
    assert page.count(f'<small class="reason">{REASON}') >= 2
    assert set(re.findall(' title="([^"]*)"', page)) == {
        "first",
        "second",
    }  # of names in the heat map, which are cut where they are long


def test_entries_in_a_language_without_downstream_tasks_have_no_empty_tables_and_charts(
    submission: Make, stranger: Client
) -> None:
    rows = [submission(name=name, suite="open-2026", language="ar") for name in ("first", "second")]
    page = stranger.get(address(*rows)).content.decode()
    assert "no downstream tasks in the language of these entries" in page
    assert "?suite=open-2026&amp;language=ar" in page
    assert "Part-of-speech" not in page
    assert 'id="differences"' not in page
    Submission.objects.filter(pk=rows[0].pk).update(language="en")
    assert "Part-of-speech" in stranger.get(address(*rows)).content.decode()


def test_open_and_closed_vocabularies_are_compared_with_a_notice(two: tuple[Submission, ...], stranger: Client) -> None:
    notice = "Open and closed vocabularies are compared"
    assert notice not in stranger.get(address(*two)).content.decode()
    Submission.objects.filter(pk=two[0].pk).update(open_vocabulary=True)
    assert notice in stranger.get(address(*two)).content.decode()


def keep_pairs(row: Submission, predicted: np.ndarray, gold: np.ndarray) -> Outcomes:
    outcomes = Outcomes(("predicted", "gold"), np.stack([predicted, gold], axis=1).astype(np.float32))
    keep(row, outcomes, "sim-ws-353-all", "")
    return outcomes


def row_of(page: str, title: str) -> str:
    return page.split('id="correlations"')[1].split(f'<th scope="row">{title}')[1].split("</tr>")[0]


def scored(row: Submission, suite: Suite = SUITE, **scores: float) -> None:
    """Another report of an entry, with these scores of tasks alone."""
    results = [replace(result_of(suite.task(task), None, 0.0), score=score) for task, score in scores.items()]
    used = {**report_of(0.1).suite, "id": suite.id}
    Submission.objects.filter(pk=row.pk).update(suite=suite.id)
    report = replace(report_of(0.1), suite=used, results=tuple(results), aggregates=Aggregates(None, None, None))
    StoredReport.objects.create(submission=row, body=report.to_json())


def test_correlations_are_compared_on_the_pairs_that_all_know(
    two: tuple[Submission, Submission], stranger: Client
) -> None:
    rng = np.random.default_rng(0)
    gold = rng.normal(size=200)
    good, poor = gold + rng.normal(0, 0.3, 200), gold + rng.normal(0, 3, 200)
    good[:50] = np.nan
    first, second = keep_pairs(two[0], good, gold), keep_pairs(two[1], poor, gold)
    page = stranger.get(address(*two)).content.decode()
    row = row_of(page, "WordSim-353")
    expected = correlation_difference(first, second)
    assert expected is not None
    assert "150 of 200<small>chance ±0.161</small>" in row  # 1.96 / √149
    assert "own 0.500 on 150" in row
    assert "own 0.500 on 200" in row
    assert f"{expected.first:.3f}" in row
    assert f"{expected.second:.3f}" in row
    assert row.count(" clear</span>") == 1
    assert row.count("Williams&#x27; test: p &lt; 0.0001") + row.count("Williams' test: p &lt; 0.0001") == 1


def test_an_order_that_reverses_on_the_words_that_all_know_is_stated(
    two: tuple[Submission, Submission], stranger: Client
) -> None:
    """Of ten shared pairs, A exchanges the first two (ρ = 1 − 6 · 2 / 990), B none; B also knows ten, reversed."""
    gold = np.arange(20.0)
    first, second = gold.copy(), gold.copy()
    first[:2], first[10:] = [1, 0], np.nan
    second[10:] = -gold[10:]
    for row, predicted in zip(two, (first, second), strict=True):
        keep_pairs(row, predicted, gold)
    scored(two[0], **{"sim-ws-353-all": 0.988})
    scored(two[1], **{"sim-ws-353-all": -0.5})
    page = stranger.get(address(*two)).content.decode()
    assert "the order reverses in 1 of 1 data set:</strong> WordSim-353." in page
    row = row_of(page, "WordSim-353")
    assert "order reverses" in row
    assert "10 of 20" in row
    assert "0.988<small>own 0.988 on 10</small>" in row
    assert "1.000<small>own −0.500 on 20</small>" in row


def test_of_several_entries_those_whose_order_reverses_are_named(
    two: tuple[Submission, ...], submission: Make, stranger: Client
) -> None:
    third = submission(name="third", vectors_sha256="c" * 64)
    gold = np.arange(20.0)
    part = np.where(gold < 12, gold, np.nan)
    for row, predicted, score in zip((*two, third), (part, -gold, gold), (0.2, 0.3, 0.1), strict=True):
        keep_pairs(row, predicted, gold)
        scored(row, **{"sim-ws-353-all": score})
    page = stranger.get(address(*two, third)).content.decode()
    assert (
        "the order reverses in 1 of 1 data set:</strong> WordSim-353 (first and second, second and third)."
        in re.sub("</?bdi>", "", page)
    )


def test_without_a_reversal_the_page_says_that_there_is_none(two: tuple[Submission, ...], stranger: Client) -> None:
    gold = np.arange(20.0)
    some = np.where(gold < 12, gold, np.nan)
    for row, predicted, score in zip(two, (some, -gold), (0.9, -0.9), strict=True):
        keep_pairs(row, predicted, gold)
        scored(row, **{"sim-ws-353-all": score})
    assert "but their order reverses in no data set" in stranger.get(address(*two)).content.decode()
    evidence.save(evidence.key(two[0].vectors_sha256, "sim-ws-353-all", ""), Outcomes.of(predicted=gold, gold=gold))
    assert "All entries know the same words" in stranger.get(address(*two)).content.decode()


def test_distances_from_people_and_analogies_are_compared_on_the_words_that_all_know(
    two: tuple[Submission, ...], stranger: Client
) -> None:
    """Two cues of six words. A lacks the first of each, and orders the others as people do; B has all of them reversed,
    but answers nine of the ten questions that both know, and A five.
    """
    human, cue = np.tile(np.arange(1.0, 7), 2), np.repeat([0.0, 1.0], 6)
    lacking = np.where(human == 1, np.nan, 10 * human)
    known, pair = np.ones(20), np.arange(20.0)
    questions = {"first pair": pair, "second pair": pair, "category": pair * 0}
    for row, ranks, right, total in zip(two, (lacking, -human), (pair < 5, pair < 9), (pair < 10, known), strict=True):
        ranked = Outcomes.of(predicted=ranks, gold=human).with_units(cue[None])
        keep(row, ranked, "political-human", "")
        keep(row, Outcomes.of(correct=right, total=total, **questions), "analogy-google", "")
        scored(row, OPEN_2026, **{"political-human": 0.5, "analogy-google": 0.3})
    page = stranger.get(address(*two)).content.decode()
    row = row_of(page, "Distance from people")
    assert "Log rank deviation, lower is better" in row
    assert "10 of 12<small>chance " in row
    assert "0.00<small>own 0.50 on 10</small>" in row
    reverse = relative_deviation([5, 4, 3, 2, 1], [1, 2, 3, 4, 5])
    assert f"{reverse:.2f}<small>own 0.50 on 12</small>" in row
    row = row_of(page, "Google analogies")
    assert "50.00<small>own 30.00 on 10</small>" in row
    assert "90.00<small>own 30.00 on 20</small>" in row
    assert " clear</span>" not in row


def test_tasks_that_cannot_be_compared_are_named_with_the_reason(
    two: tuple[Submission, ...], submission: Make, stranger: Client
) -> None:
    gold = np.arange(20.0)
    for row, predicted in zip(two, (gold, np.where(gold < 9, gold, np.nan)), strict=True):
        scored(row, **{"sim-ws-353-all": 0.5})
        keep_pairs(row, predicted, gold)
    assert "WordSim-353 (only 9 of 20 pairs are known to all)." in stranger.get(address(*two)).content.decode()
    third = submission(name="third", vectors_sha256="c" * 64)
    scored(third, **{"sim-ws-353-all": 0.5})
    assert "WordSim-353 (no outcomes of third are stored)." in stranger.get(address(*two, third)).content.decode()
    keep_pairs(third, gold, gold + 1)
    page = stranger.get(address(*two, third)).content.decode()
    assert "WordSim-353 (the entries were measured on different examples)." in page
    scored(third)
    assert "WordSim-353 (third without a score)." in stranger.get(address(*two, third)).content.decode()


def test_viewing_computes_nothing_and_a_request_is_queued_once(two: tuple[Submission, ...], stranger: Client) -> None:
    stranger.get(address(*two))
    assert not PairCorrelation.objects.exists()
    for _ in range(2):
        answer = stranger.post("/compare/correlate", {"e": [row.pk for row in two], "cues": "freedom, taxes"})
    assert [job.subject for job in Job.objects.order_by("pk")] == [str(PairCorrelation.objects.get().pk)]
    assert answer.url.endswith("#ranking")
    assert "0 of 1 pairs are done" in stranger.get(answer.url).content.decode()


def test_results_are_found_by_the_vectors(two: tuple[Submission, ...], stranger: Client) -> None:
    stranger.post("/compare/correlate", {"e": [row.pk for row in reversed(two)], "cues": "freedom"})
    PairCorrelation.objects.update(figures={"mean": 0.75, "se": 0.05, "n": 1, "common_words": 900, "reason": ""})
    page = stranger.get(address(*two, more="&cues=freedom")).content.decode()
    assert page.count(">0.750</a>") == 2
    assert "900 words" in page


def test_entries_of_two_suites_are_not_compared(submission: Make, stranger: Client) -> None:
    assert stranger.get(address(submission(), submission(suite="open-2026"))).status_code == 404


def test_a_comparison_asks_the_database_at_most_eight_times(
    submission: Make, stranger: Client, django_assert_max_num_queries: Any
) -> None:
    rows = [submission(name=f"e{i}", vectors_sha256=str(i) * 64) for i in range(8)]
    with django_assert_max_num_queries(8):
        stranger.get(address(*rows))


def test_each_entry_has_its_own_values(two: tuple[Submission, ...], stranger: Client) -> None:
    page = stranger.get(address(*two)).content.decode()
    row = difference_of(page, "Chunking")
    assert "+10.00<small>+5.00 to +15.00</small>" in row
    assert "+30.00<small>+25.00 to +35.00</small>" in row


def test_more_entries_than_fit_are_not_dropped_silently(submission: Make, stranger: Client) -> None:
    rows = [submission(name=f"entry {i}") for i in range(9)]
    assert "You selected 9 entries; the first 8 are shown." in stranger.get(address(*rows)).content.decode()
    assert "You selected" not in stranger.get(address(*rows[:8], rows[0])).content.decode()
    pair = stranger.get(address(*rows[:3]).replace("/compare", "/compare/pair")).content.decode()
    assert "You selected 3 entries; the first 2 are shown." in pair
    people = stranger.get(address(*rows).replace("/compare", "/compare/people")).content.decode()
    assert "You selected" not in people


@pytest.mark.parametrize("path", ["/compare", "/compare/heat"])
def test_entries_without_files_are_named_in_one_sentence_instead_of_a_grid_of_dashes(
    submission: Make, stranger: Client, path: str
) -> None:
    kept = [submission(name=f"kept {c}", vectors_sha256=c * 64, file_key=f"uploads/{c}.gz") for c in "ab"]
    gone = [submission(name=f"gone {c}", vectors_sha256=c * 64, file_key="") for c in "cd"]
    none = stranger.get(address(*gone).replace("/compare", path)).content.decode()
    assert "This site does not keep the vectors of these entries, so there are no rankings to compare." in none
    assert "Compare rankings" not in none
    assert "Ten nearest words" not in none
    some = stranger.get(address(*kept, *gone).replace("/compare", path)).content.decode()
    assert (
        "This site does not keep the vectors of <bdi>gone c</bdi> and <bdi>gone d</bdi>, so their pairs stay blank."
        in some
    )
    assert "Compare rankings" in some
    every = stranger.get(address(*kept).replace("/compare", path)).content.decode()
    assert "does not keep the vectors" not in every
