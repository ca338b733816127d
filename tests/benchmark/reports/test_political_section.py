"""The political section of a report, from a real measurement of small vectors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from django.template.loader import render_to_string

from benchmark.reports.charts import BASE, name_places, stability_axis, stability_chart
from benchmark.reports.page import ReportPage
from benchmark.reports.sections.political import political
from benchmark.submissions.models import Submission
from tasks.baseline import svd_ppmi as baseline
from tasks.datasets.store import DataStore
from tasks.evaluate import evaluate
from tasks.prepared import store
from tasks.results import Coverage, Report
from tasks.suites import OPEN_2026
from tests.benchmark.reports import report_of, result_of
from tests.tasks.made import random_embedding, words

CUES = ["democracy", "freedom", "equality", "justice", "welfare"]
TASKS = ["political-en", "political-random", "political-all", "political-es", "stability"]


@pytest.fixture
def report(tmp_path: Path) -> Report:
    """Random vectors with five of the ten cues, and others as the baseline."""
    own = DataStore(tmp_path)
    baseline.keep(random_embedding([*words(300), *CUES], 0), OPEN_2026, own)
    entry = random_embedding([*words(300), *CUES, "taxes"], 1)
    return evaluate(entry, OPEN_2026, tasks=TASKS, data=own)


def on_page(report: Report, language: str) -> ReportPage:
    return ReportPage(report, Submission(language=language), OPEN_2026, "")


def shown(report: Report, language: str = "en") -> str:
    section = political(on_page(report, language))
    assert section is not None
    return render_to_string("reports/sections/political.html", {"section": section, "report": report})


def test_every_cue_has_its_row_and_an_unknown_one_says_so(report: Report) -> None:
    text = shown(report)
    assert text.count("left out of the mean") == 5
    assert "5 of 10 cues" in text
    assert '<path class="curve"' in text


def test_a_task_without_a_score_says_why(report: Report) -> None:
    assert "Stability needs several runs of the same settings; there is one file." in shown(report)


def test_a_descriptive_score_is_marked_and_lists_in_other_languages_are_left_out(report: Report) -> None:
    text = shown(report)
    assert text.count("descriptive: neither end is better") == 3
    assert "Political cues, Spanish" not in text


def test_the_histogram_counts_every_common_word_in_words_too(report: Report) -> None:
    assert "Histogram of the Pearson correlation of 305 words" in shown(report)


def test_a_report_without_political_results_has_no_section(report: Report) -> None:
    assert political(on_page(replace(report, results=()), "en")) is None


def test_runs_have_a_chart_of_their_correlations_in_words_too(tmp_path: Path) -> None:
    runs = [random_embedding([*words(300), *CUES], seed) for seed in range(3)]
    further = [store(run, tmp_path) for run in runs[1:]]
    found = evaluate(runs[0], OPEN_2026, tasks=["stability"], data=DataStore(tmp_path), runs=further)
    text = shown(found)
    assert "3 runs agree at" in text
    assert text.count('<circle class="best"') == 6  # a dot per pair, for the random cues and over the political ones
    assert text.count('class="middle-half"') == 2
    assert "100 random cues: mean" in text


def test_the_chart_of_identical_runs_has_an_axis() -> None:
    ones = {"mean": 1.0, "interval": [1.0, 1.0], "pairs": [1.0], "quantiles": [1.0] * 5, "cues": 10}
    assert stability_chart({"runs": 2, "common_words": 300, "random": ones, "political": None}) is not None
    scale, ticks = stability_axis(1.0)
    assert scale(1.0) == ticks[-1][0]
    assert len({x for x, _ in ticks}) == len(ticks) >= 2


def test_the_names_of_curves_near_zero_stand_apart_and_clear_of_the_axis() -> None:
    upper, lower = name_places([BASE, BASE])
    assert upper + 14 <= lower <= BASE - 8
    assert name_places([50.0, 40.0]) == [54.0, 40.0]


def test_without_runs_there_is_no_chart() -> None:
    assert stability_chart({}) is None


def test_deviations_that_are_not_divided_are_next_to_the_headline() -> None:
    spread = {"sd": None, "se": None, "min": 1.0, "max": 9.0, "n": 1}
    means = {"full": {**spread, "mean": 13.25}, "within": {**spread, "mean": 1.5}, "relative": {**spread, "mean": 0.75}}
    cue = {"full": 13.25, "within": 1.5, "relative": 0.75, "known": 8, "mentioned": 10}
    cues = {"freedom": cue, "law": cue | {"relative": None, "known": 1}, "order": None}
    result = result_of(OPEN_2026.task("political-human"), None, 0.0)
    result = replace(result, score=0.75, coverage=Coverage(0.3, 1), secondary={**means, "cues": cues})
    text = shown(replace(report_of(0.1), results=(result,)))
    row = text.split('id="task-political-human"')[1].split("</tr>")[0]
    assert ">0.75" in row
    assert "not divided 1.50" in row
    assert "in the full vocabulary 13.25" in row
    assert "of 3 cues, 9 of 30 words" in row
    assert '>0.75</td><td class="number">1.50</td><td class="number">13.25</td><td class="number">8 of 10' in text
    assert '>–</td><td class="number">1.50</td>' in text


@pytest.mark.parametrize(
    ("score", "verdict"),
    [
        (0.5, "nearer to people than that"),
        (0.52, "too close to a random order to call"),
        (1.5, "further from people than that"),
    ],
)
def test_a_distance_from_people_stands_beside_that_of_random_orders(score: float, verdict: str) -> None:
    """Two words are in people's order (0) or not (2): the standard deviation is 1, and that of sixteen cues ¼."""
    cue = {"full": 2.0, "within": 0.5, "relative": score, "known": 2, "mentioned": 10}
    secondary = {"full": None, "within": None, "relative": None, "cues": {f"cue{i}": cue for i in range(16)}}
    result = result_of(OPEN_2026.task("political-human"), None, 0.0)
    result = replace(result, score=score, coverage=Coverage(0.2, 1), secondary=secondary)
    text = shown(replace(report_of(0.1), results=(result,)))
    assert "random orders 0.51 to 1.49" in text
    assert f"{score:.2f} over 32 of the 160 words" in text
    assert verdict in text


def test_stability_names_its_words_and_its_corpus(tmp_path: Path) -> None:
    runs = [random_embedding(words(300), seed) for seed in range(2)]
    found = evaluate(runs[0], OPEN_2026, tasks=["stability"], data=DataStore(tmp_path), runs=[store(runs[1], tmp_path)])
    section = political(on_page(found, "en"))
    texts = [
        render_to_string(
            "reports/sections/political.html", {"section": section, "report": found, "submission": submission}
        )
        for submission in (Submission(tokens=147_000, corpus="Inaugural addresses"), Submission())
    ]
    assert "2 runs on a corpus of 147,000 tokens (Inaugural addresses) share 300 words." in texts[0]
    assert "2 runs share 300 words." in texts[1]
    assert ["the size of this corpus is not stated" in text for text in texts] == [False, True]
    assert all("1 pair of 2 runs, 300 words" in text for text in texts)
