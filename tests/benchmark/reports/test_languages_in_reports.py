"""Reports of vectors in other languages: only tasks in their language."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from django.test import Client

from benchmark.leaderboard.jobs import compute
from benchmark.reports.page import ReportPage
from benchmark.reports.sections.word_tasks import GroupRow, word_tasks
from benchmark.reports.summary import NO_MEAN_RANK
from benchmark.submissions.models import Submission
from tasks.datasets.examples import WordGroup
from tasks.evaluate import evaluate
from tasks.results import Report
from tasks.suites import OPEN_2026
from tests.benchmark.conftest import Make
from tests.benchmark.scores import measured_with
from tests.tasks.intrinsic.conftest import Invented
from tests.tasks.made import embedding

GROUPS = {
    "colours": ("أحمر", "أخضر", "أزرق", "أسود"),
    "fruit": ("تفاح", "موز", "عنب", "تمر"),
    "months": ("يناير", "فبراير", "مارس", "أبريل"),
    "drinks": ("شاي", "قهوة"),
}
SIMILARITY = ["sim-simlex-999-{}", "sim-ws-353-all-{}", "sim-ws-353-rel-{}", "sim-ws-353-sim-{}"]
ARABIC = [WordGroup(name, words, ("شاي أخضر",)) for name, words in GROUPS.items()]
STORE = Invented({"paralex": {"ar": list(ARABIC), "en": [], "da": [], "it": [], "ru": []}})
WORDS = [word for words in GROUPS.values() for word in words]
AXES = np.repeat(np.eye(4), [len(words) for words in GROUPS.values()], axis=0) + 0.01


def measured(language: str) -> Report:
    vectors = embedding(WORDS, AXES, language=language)
    return evaluate(vectors, OPEN_2026, tasks=[task.id for task in OPEN_2026.tasks if not task.extrinsic], data=STORE)


def entry(submission: Make, language: str) -> Submission:
    body = measured(language).to_json()
    return submission(language=language, suite="open-2026", suite_version=OPEN_2026.version, body=body)


def test_every_group_has_its_trials_an_interval_and_what_was_known(submission: Make) -> None:
    section = word_tasks(ReportPage(measured("ar"), submission(language="ar", suite="open-2026"), OPEN_2026, ""))
    assert section is not None
    rows = section["word_groups"]
    right = GroupRow("colours", "4 of 4", "100 of 100", "100.00", "96.30 to 100.00")
    assert rows == [
        right,
        replace(right, name="fruit"),
        replace(right, name="months"),
        GroupRow("drinks", "2 of 2"),
    ]


def test_a_report_in_arabic_has_its_tasks_its_direction_and_its_command(submission: Make, stranger: Client) -> None:
    page = stranger.get(f"/r/{entry(submission, 'ar').pk}").content.decode()
    for expected in ("· Arabic ·", "Group by group", "Fewer than four known words.", "--language ar", "Word intrusion"):
        assert expected in page, expected
    for absent in ("Analogies</h3>", "Semantic priming</h3>", "Word similarity</h3>", "SimLex"):
        assert absent not in page, absent
    assert "tasks: Not applicable: their words are in a different language from the vectors." in page
    assert "The suite has no downstream tasks in Arabic." in page
    assert "errors avoided" not in page.lower()
    assert "Fine-tuned" not in page
    assert "the grey tick the baseline" not in page
    assert f"?suite=open-2026&amp;version={OPEN_2026.version}&amp;language=ar" in page


def test_where_there_are_no_means_a_report_its_picture_and_its_badge_have_the_mean_rank(
    submission: Make, stranger: Client
) -> None:
    rows = [entry(submission, "ar") for _ in range(2)]
    for row in rows:
        measured_with(row, {"odd-one-out": [1.0, 0.9, 1.0, 1.0]})
    address = f"/r/{rows[0].pk}"
    assert NO_MEAN_RANK in stranger.get(address).content.decode()
    compute(OPEN_2026.id, OPEN_2026.version)
    page = stranger.get(address).content.decode()
    assert '<dt>Mean rank</dt><dd class="">1.5</dd><dd class="bounds">' in page
    assert '<dd class="bounds">rank 1–2</dd>' in page
    assert "mean rank 1.5 · rank 1–2" in stranger.get(f"/badge/{rows[0].pk}.svg").content.decode()


def test_a_language_without_any_task_has_word_intrusion_only(submission: Make, stranger: Client) -> None:
    row = entry(submission, "eo")
    section = word_tasks(ReportPage(measured("eo"), row, OPEN_2026, ""))
    assert section is not None
    assert [group.title for group in section["groups"]] == ["Word intrusion"]  # type: ignore[attr-defined]
    assert section["word_groups"] == []
    assert stranger.get(f"/r/{row.pk}").status_code == 200
    assert stranger.get("/?suite=open-2026&language=eo").status_code == 200


@pytest.mark.parametrize(
    ("language", "tasks"),
    [
        ("da", ["qvec-da", "qvec-cca-da", "odd-one-out", "intrusion"]),
        ("it", [*SIMILARITY, "qvec-it", "qvec-cca-it", "odd-one-out", "intrusion"]),
        ("ru", [*SIMILARITY, "odd-one-out", "intrusion"]),
    ],
)
def test_word_tasks_of_a_language_are_in_one_section(submission: Make, language: str, tasks: list[str]) -> None:
    section = word_tasks(
        ReportPage(measured(language), submission(language=language, suite="open-2026"), OPEN_2026, "")
    )
    assert section is not None
    shown = [row.id for group in section["groups"] for row in group.rows]  # type: ignore[attr-defined]
    assert shown == [task.format(language) for task in tasks]


def test_a_report_keeps_the_language_that_it_was_measured_in(submission: Make, stranger: Client) -> None:
    row = entry(submission, "ar")
    Submission.objects.filter(pk=row.pk).update(language="de")
    page = stranger.get(f"/r/{row.pk}").content.decode()
    assert "· Arabic ·" in page
    assert "Group by group" in page


def test_an_english_report_has_no_table_without_a_score_and_says_other_languages_once(
    submission: Make, stranger: Client
) -> None:
    page = stranger.get(f"/r/{entry(submission, 'en').pk}").content.decode()
    assert "Group by group" not in page
    assert page.count("in a different language from the vectors") == 1
    assert "--language" not in page
