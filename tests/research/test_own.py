"""The examples of one's own data."""

from __future__ import annotations

from pathlib import Path

import pytest

from research.own import EXAMPLES, LEAST_POSTS, PAGE, newsgroups, questions, report_table, threads
from research.pages import marks
from tasks.datasets.store import DataStore
from tasks.own.report import OwnReport


@pytest.mark.data("20ng")
def test_all_posts_of_a_large_thread_are_relevant_to_its_subject(tmp_path: Path) -> None:
    data = threads(DataStore.default(), tmp_path)
    counts = data.relevant.sum(axis=1)
    assert (len(data.queries), len(data.texts)) == (322, 7_711)
    assert counts.min() == LEAST_POSTS
    assert data.relevant.sum() == data.judgements


@pytest.mark.data("20ng", "trec-qc")
def test_the_published_splits_are_used(tmp_path: Path) -> None:
    for example, sizes in ((questions, (5_452, 500)), (newsgroups, (4_621, 3_071))):
        (train, test) = example(DataStore.default(), tmp_path).divisions[0]
        assert (len(train), len(test)) == sizes


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_page_has_a_place_for_every_example(example: str) -> None:
    begin, end = marks(f"own {example}")
    assert PAGE.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0].strip()


def test_a_figure_without_an_interval_is_shown_alone() -> None:
    report: OwnReport = {
        "kind": "labelled",
        "data": {
            "sentence": "20 texts", "texts": 20, "tested": 20, "labels": 2, "divisions": 1, "queries": None,
            "judgements": None, "left_out": 0, "reasons": [],
        },
        "margin": 1.0,
        "scores": [
            {
                "name": "words", "dimensions": None, "known": None, "without_words": None, "seconds": 1.0,
                "figures": [
                    {"name": "accuracy", "unit": "%", "value": 80.0, "interval": (75.0, 85.0)},
                    {"name": "macro-F1", "unit": "%", "value": 79.0, "interval": None},
                ],
            }
        ],
        "comparisons": [],
        "seconds": 1.0,
    }  # fmt: skip
    assert "| words | – | 80.0 (75.0 to 85.0) | 79.0 |" in report_table(report)
