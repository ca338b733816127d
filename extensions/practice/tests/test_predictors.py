"""The title of the practice page claims only significant results."""

from __future__ import annotations

import re
from itertools import permutations

import numpy as np
import pytest
from django.test import Client
from scipy.special import ndtr

from benchmark.leaderboard.board import Board, board_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.submissions.models import Submission
from extensions.practice import predictors
from extensions.practice.predictors import NO_ANSWER, answer, clear_pairs, predictors_of
from tasks.statistics.intervals import correlation_p
from tests.benchmark.conftest import Make
from tests.benchmark.reports import SUITE
from tests.benchmark.scores import measured_with, scores_in

ENTRIES = 12
TASKS = ("pos", "chunk", "ner", "sentiment", "questions", "nli")


def entries(submission: Make, *, signal: float, seed: int = 0) -> Board:
    """A board on which WordSim correlates with tagging according to ``signal``; everything else is noise."""
    rng = np.random.default_rng(seed)
    for i in range(ENTRIES):
        row = submission(name=f"e{i}")
        noise = rng.standard_normal(20).tolist()
        figures = {f"{task}.{mode}": noise.pop() for task in TASKS for mode in ("fixed", "fine-tuned")}
        figures |= {"sim-ws-353-all": noise.pop(), "sim-simlex-999": noise.pop()}
        figures["pos.fixed"] = signal * figures["sim-ws-353-all"] + 0.05 * noise.pop()
        measured_with(row, {key: [value, None, None, 1.0] for key, value in figures.items()})
    return board_of(SUITE, BoardQuery(), size=None, all_by_default=True)


def test_a_clear_predictor_is_the_title_and_tasks_without_a_predictor_are_counted(submission: Make) -> None:
    board = entries(submission, signal=1.0)
    matrix = predictors.matrix_of(board, board.rows)
    said = answer(board, board.rows, matrix)
    assert said.title.startswith("WordSim-353 predicts part-of-speech tagging best; nothing clearly predicts ")
    assert set(clear_pairs(matrix)) == {("sim-ws-353-all", "pos.fixed")}
    assert "). 1 pair is significant (1 positive, 0 negative) over 12 entries (Student's t; Holm's" in said.detail
    assert said.task is not None
    assert said.task.key == "pos.fixed"


def test_choices_without_a_correlation_say_so_and_cannot_be_chosen(submission: Make, stranger: Client) -> None:
    entries(submission, signal=1.0)
    few = Submission.objects.values_list("pk", flat=True)[:4]
    Submission.objects.filter(pk__in=few).update(dimensions=77)
    for row in Submission.objects.exclude(pk__in=few):
        scores = scores_in(row)
        measured_with(row, {key: score for key, score in scores.items() if key != "ner.fixed"})
    shown = stranger.get(f"/practice?suite={SUITE.id}").content.decode()
    assert '<option value="77" disabled>of 77 dimensions (4, too few)</option>' in shown
    assert re.search(r'<option value="ner.fixed" disabled>[^<]*\(too few entries have a score\)</option>', shown)
    assert '<option value="pos.fine-tuned">' in shown
    assert (
        "Take entries of all dimensions" in stranger.get(f"/practice?suite={SUITE.id}&dimensions=77").content.decode()
    )


def test_significant_correlations_of_both_signs_are_counted_and_marked(submission: Make) -> None:
    entries(submission, signal=1.0)
    for row in Submission.objects.all():
        scores = scores_in(row)
        value = scores["pos.fixed"][0]
        assert value is not None
        measured_with(row, scores | {"ner.fixed": [-value, None, None, 1.0]})
    board = board_of(SUITE, BoardQuery(), size=None, all_by_default=True)
    matrix = predictors.matrix_of(board, board.rows)
    found = clear_pairs(matrix)
    assert {key: round(r) for key, r in found.items()} == {
        ("sim-ws-353-all", "pos.fixed"): 1,
        ("sim-ws-353-all", "ner.fixed"): -1,
    }
    said = answer(board, board.rows, matrix)
    assert "2 pairs are significant (1 positive, 1 negative) over 12 entries" in said.detail
    assert said.title.startswith("WordSim-353 predicts part-of-speech tagging")
    target = next(column for column in matrix.columns if column.key == "ner.fixed")
    (last,) = [one for one in predictors_of(matrix, target) if one.is_clear]
    assert (last.column.key, round(last.correlations.pearson or 0.0)) == ("sim-ws-353-all", -1)


def test_negative_correlations_alone_are_no_predictor(submission: Make) -> None:
    board = entries(submission, signal=-1.0)
    said = answer(board, board.rows, predictors.matrix_of(board, board.rows))
    assert said.title == NO_ANSWER
    assert said.detail.startswith("1 pair is significant (0 positive, 1 negative) over 12 entries")


def test_p_of_a_correlation_holds_its_level_where_fisher_s_z_does_not() -> None:
    """15 pairs without correlation, as on a board with 15 entries; against the correlations of all permutations too."""
    generator = np.random.default_rng(0)
    x, y = generator.standard_normal((2, 200_000, 15))
    x, y = (side - side.mean(axis=1, keepdims=True) for side in (x, y))
    r = (x * y).sum(axis=1) / np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    level = 0.001
    rejected = np.mean([correlation_p(one, 15) <= level for one in r[np.abs(r) > 0.7]]) * np.mean(np.abs(r) > 0.7)
    by_fisher = np.mean(2 * ndtr(-np.abs(np.arctanh(r)) * np.sqrt(12)) <= level)
    assert rejected == pytest.approx(level, abs=3e-4)
    assert by_fisher > 1.3 * level
    few = np.array([0.3, -1.2, 0.8, 2.0, 0.1, -0.4, 1.1])
    many = np.array([1.0, -0.2, 0.9, 1.5, 0.0, -1.0, 0.4])
    observed = float(np.corrcoef(few, many)[0, 1])
    orders = np.array([np.corrcoef(few, many[list(order)])[0, 1] for order in permutations(range(7))])
    assert correlation_p(observed, 7) == pytest.approx(np.mean(np.abs(orders) >= abs(observed) - 1e-12), abs=0.01)
    assert correlation_p(1.0, 9) == correlation_p(-1.0, 9) == 0.0


@pytest.mark.parametrize("seed", range(2))
def test_noise_is_not_an_answer(submission: Make, seed: int) -> None:
    board = entries(submission, signal=0.0, seed=seed)
    assert answer(board, board.rows, predictors.matrix_of(board, board.rows)).title == NO_ANSWER


def test_two_scores_that_cannot_be_told_apart_are_not_called_best(submission: Make) -> None:
    entries(submission, signal=1.0)
    for nth, row in enumerate(Submission.objects.order_by("name")):
        scores = scores_in(row)
        value = scores["sim-ws-353-all"][0]
        assert value is not None
        measured_with(row, scores | {"sim-simlex-999": [value + 0.01 * (nth % 3), None, None, 1.0]})
    board = board_of(SUITE, BoardQuery(), size=None, all_by_default=True)
    said = answer(board, board.rows, predictors.matrix_of(board, board.rows))
    assert " predicts part-of-speech tagging; " in said.title
    assert "Williams' test does not distinguish it from" in said.detail


def test_predictors_are_ranked_and_lower_is_better_scores_are_reversed(submission: Make) -> None:
    board = entries(submission, signal=1.0)
    matrix = predictors.matrix_of(board, board.rows)
    target = next(column for column in matrix.columns if column.key == "pos.fixed")
    found = predictors_of(matrix, target)
    values = [one.correlations.pearson or 0.0 for one in found]
    assert values == sorted(values, reverse=True)
    assert [one.is_clear for one in found][:1] == [True]
    rank = matrix.cells[[row.key for row in matrix.rows].index("sim-ws-353-all")][0]
    assert matrix.columns[0].best == "low"
    assert rank.pearson is not None
    assert rank.pearson > -0.5  # without reversing, a mean rank would fall as the score rises


def test_the_page_has_the_answer_as_its_title_and_the_matrix_behind_it(submission: Make, stranger: Client) -> None:
    entries(submission, signal=1.0)
    page = stranger.get("/practice").content.decode()
    assert "<h1>WordSim-353 predicts part-of-speech tagging" in page
    ranked, matrix = page.split('id="ranked"')[1].split('<details class="matrix"')
    assert ranked.index("WordSim-353") < ranked.index("SimLex-999")
    assert '<tr class="clear"><th scope="row">WordSim-353' in ranked
    assert "<table" in matrix
    other = stranger.get("/practice?y=ner.fine-tuned").content.decode()
    assert "named entities, vectors fine-tuned" in other
