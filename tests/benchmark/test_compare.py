"""Entries beside each other: differences, correlations, rankings; and scores against scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from django.core.cache import cache
from django.test import Client

from benchmark import evidence
from benchmark.compare import ranking
from benchmark.compare.models import PairCorrelation
from benchmark.leaderboard import standing
from benchmark.submissions.models import Submission, TaskRun, Visibility
from tasks.correlations import correlation_difference
from tasks.practice import LEAST, associate, mean_ranks
from tasks.results import Outcomes
from tests.benchmark.reports import SUITE

Make = Callable[..., Submission]


def noise(seed: int, mean: float, spread: float = 0.01) -> np.ndarray:
    return (mean + np.random.default_rng(seed).normal(0, spread, 1000)).astype(np.float32)


@pytest.fixture
def two(submission: Make) -> tuple[Submission, Submission]:
    first, second = (
        submission(name=name, shift=shift, vectors_sha256=sha * 64, file_key=f"uploads/{sha}.gz")
        for name, shift, sha in (("first", 0.1, "a"), ("second", 0.3, "b"))
    )
    for row, mean, seed in ((first, 0.1, 1), (second, 0.3, 2)):
        standing.keep_draws(row.report.entry, {"overall": noise(seed, mean), "pos.fixed": noise(seed, mean, 0.3)})
    return first, second


def address(*rows: Submission, more: str = "") -> str:
    return f"/compare?{'&'.join(f'e={row.pk}' for row in rows)}{more}"


def test_a_clear_difference_is_marked_and_noise_is_not(two: tuple[Submission, ...], stranger: Client) -> None:
    page = stranger.get(address(*two)).content.decode()
    overall, pos = (page.split(f'<th scope="row">{title}</th>')[1].split("</tr>")[0] for title in
                    ("Overall", "Part-of-speech tagging"))  # fmt: skip
    assert "+20.00" in overall
    assert "significant" in overall
    assert "+20.00" in pos
    assert "significant" not in pos


def test_the_reference_can_be_chosen(two: tuple[Submission, ...], stranger: Client) -> None:
    page = stranger.get(address(*two, more="&ref=B")).content.decode()
    assert "Differences from B, second" in page
    assert "−20.00" in page


def test_a_chart_tells_every_figure_in_words(two: tuple[Submission, ...], stranger: Client) -> None:
    page = stranger.get(address(*two)).content.decode()
    assert "A, Chunking: +10.00 %, interval +5.00 to +15.00." in page
    assert "B, Chunking: +30.00 %" in page


def keep_pairs(row: Submission, predicted: np.ndarray, gold: np.ndarray) -> Outcomes:
    outcomes = Outcomes(("predicted", "gold"), np.stack([predicted, gold], axis=1).astype(np.float32))
    key = evidence.key(row.vectors_sha256, "hash", "")
    evidence.save(key, outcomes)
    TaskRun.objects.create(
        submission=row, task="sim-ws-353-all", task_hash="hash", vectors_sha256=row.vectors_sha256, position=0,
        outcomes_key=key,
    )  # fmt: skip
    return outcomes


def test_correlations_are_compared_on_the_pairs_that_all_know(
    two: tuple[Submission, Submission], stranger: Client
) -> None:
    rng = np.random.default_rng(0)
    gold = rng.normal(size=200)
    good, poor = gold + rng.normal(0, 0.3, 200), gold + rng.normal(0, 3, 200)
    good[:50] = np.nan
    first, second = keep_pairs(two[0], good, gold), keep_pairs(two[1], poor, gold)
    page = stranger.get(address(*two)).content.decode()
    row = page.split('<th scope="row">WordSim-353</th>')[1].split("</tr>")[0]
    expected = correlation_difference(first, second)
    assert expected is not None
    assert "150 of 200" in row
    assert f"{expected.first:.3f}" in row
    assert f"{expected.second:.3f}" in row
    assert row.count("significant") == 1


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    found: list[int] = []
    cache.clear()
    monkeypatch.setattr(ranking.queue, "enqueue_correlation", lambda pair, level: found.append(pair))
    return found


def test_looking_computes_nothing_and_asking_asks_a_worker_once(
    two: tuple[Submission, ...], stranger: Client, asked: list[int]
) -> None:
    stranger.get(address(*two))
    assert not PairCorrelation.objects.exists()
    for _ in range(2):
        answer = stranger.post("/compare/correlate", {"e": [row.pk for row in two], "cues": "freedom, taxes"})
    assert asked == [PairCorrelation.objects.get().pk]
    assert answer.url.endswith("#ranking")
    assert "is being computed by a worker" in stranger.get(answer.url).content.decode()


def test_what_was_computed_is_found_by_the_vectors(two: tuple[Submission, ...], stranger: Client, asked: Any) -> None:
    stranger.post("/compare/correlate", {"e": [row.pk for row in two], "cues": "freedom"})
    PairCorrelation.objects.update(figures={"mean": 0.75, "se": 0.05, "n": 1, "common_words": 900, "reason": ""})
    page = stranger.get(address(*reversed(two), more="&cues=freedom")).content.decode()
    assert page.count("0.750") == 2
    assert "900 words" in page


def test_a_private_entry_is_compared_by_nobody_else(two: tuple[Submission, ...], stranger: Client) -> None:
    Submission.objects.filter(pk=two[1].pk).update(visibility=Visibility.PRIVATE)
    assert stranger.get(address(*two)).status_code == 404


def test_entries_of_two_suites_are_not_compared(submission: Make, stranger: Client) -> None:
    assert stranger.get(address(submission(), submission(suite="open-2026"))).status_code == 404


def test_with_one_entry_the_page_offers_others(two: tuple[Submission, ...], stranger: Client) -> None:
    page = stranger.get(address(two[0])).content.decode()
    assert f'name="e" value="{two[1].pk}"' in page
    assert "One more at least" in page


def test_at_most_eight_entries_stand_beside_each_other(submission: Make, stranger: Client) -> None:
    rows = [submission(name=f"e{i}") for i in range(9)]
    page = stranger.get(address(*rows)).content.decode()
    assert "8 entries of Demo" in page


def test_too_many_cues_are_refused_in_words(two: tuple[Submission, ...], stranger: Client) -> None:
    page = stranger.get(address(*two, more="&cues=" + ",".join(f"w{i}" for i in range(60)))).content.decode()
    assert "this page takes 50" in page


def test_a_comparison_asks_the_database_at_most_eight_times(
    submission: Make, stranger: Client, django_assert_max_num_queries: Any
) -> None:
    rows = [submission(name=f"e{i}", vectors_sha256=str(i) * 64) for i in range(8)]
    with django_assert_max_num_queries(8):
        stranger.get(address(*rows))


def test_correlations_stand_on_complete_pairs_and_not_on_few() -> None:
    x = np.array([1, 2, 3, 4, 5, np.nan])
    found = associate(x, np.array([2, 4, 6, 8, 10, 1.0]))
    assert (found.n, found.pearson, found.spearman) == (5, pytest.approx(1.0), pytest.approx(1.0))
    assert associate(x[:4], x[:4]).pearson is None


def test_the_average_rank_leaves_out_entries_with_a_blank() -> None:
    values = np.array([[0.9, 0.1], [0.5, 0.5], [0.1, np.nan]])
    assert mean_ranks(values)[:2].tolist() == [1.5, 1.5]
    assert np.isnan(mean_ranks(values)[2])


def test_below_five_entries_no_correlation_is_shown(submission: Make, stranger: Client) -> None:
    for i in range(LEAST - 1):
        submission(name=f"e{i}", shift=0.1 * i)
    assert "Too few entries." in stranger.get("/practice").content.decode()


def test_a_pair_of_columns_is_shown_as_a_scatter_plot(submission: Make, stranger: Client) -> None:
    for i in range(6):
        row = submission(name=f"e{i}", shift=0.1 * i)
        figures = row.report.entry.figures | {"sim-ws-353-all": [0.1 * i, None, None, 1.0]}
        type(row.report.entry).objects.filter(pk=row.report.entry.pk).update(figures=figures)
    page = stranger.get("/practice?x=sim-ws-353-all&y=pos.fixed").content.decode()
    assert "Pearson 1.000" in page
    assert page.count('class="better"') == 6
    assert f"entries of {SUITE.title}" in page


def test_floors_can_be_left_out_of_the_correlations(submission: Make, stranger: Client) -> None:
    """Among the six real entries the two figures have nothing to do with each other; one floor makes it look so."""
    for i, similarity in enumerate([0.5, 0.6, 0.5, 0.6, 0.5, 0.6, -3.0]):
        floor = {"shift": -5.0, "algorithm": "random"} if similarity < 0 else {"shift": 0.1 * (i // 2)}
        row = submission(name=f"e{i}", **floor)
        figures = row.report.entry.figures | {"sim-ws-353-all": [similarity, None, None, 1.0]}
        type(row.report.entry).objects.filter(pk=row.report.entry.pk).update(figures=figures)
    pair = "/practice?x=sim-ws-353-all&y=pos.fixed"
    page, without = (stranger.get(pair + more).content.decode() for more in ("", "&floors=without"))
    assert "1 of the 7 entries is a floor" in page
    assert "a floor" not in without
    assert (page.count('class="better"'), without.count('class="better"')) == (7, 6)
    assert "Pearson 0.9" in page
    assert "Pearson 0.000" in without
    assert "floors=without&amp;x=" in without
