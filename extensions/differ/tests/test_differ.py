"""Where two sets of vectors differ: kinds of errors, their test, the texts, and the command."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from extensions.differ.measure.differ import CellTexts, comparable, differ, score_difference, texts_of
from tasks.base import Task
from tasks.baseline.published import published
from tasks.cells import evaluate_cell
from tasks.cli import main
from tasks.datasets import demo
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.languages import ENGLISH
from tasks.metrics import PRECISION_AT_1
from tasks.results import UNIT, UNITS, UNITS_OF_COUNT, CellResult, Outcomes, Predictions
from tasks.statistics.correlations import correlation_difference
from tasks.suites import DEMO, OPEN_2026
from tasks.vectors import Embedding
from tests.tasks.statistics.uncertain import CELLS, SUITE, VECTORS, report, result

QUESTIONS, CHUNK = DEMO.task("questions"), DEMO.task("chunk")
LABELS = ("animal", "art", "place")


def answered(gold: list[int], predicted: list[int], lengths: list[int] | None = None) -> Outcomes:
    """Outcomes with these predictions of one seed."""
    codes = np.array(gold), np.array(predicted)
    right = (codes[0] == codes[1]).astype(np.float32)
    parts = np.split(right, np.cumsum(lengths)[:-1]) if lengths else right[:, None]
    outcomes = Outcomes.of(correct=[part.sum() for part in parts], total=[len(part) for part in parts])
    held = Predictions(LABELS, *codes, None if lengths is None else np.array(lengths))
    return replace(outcomes, predictions=held)


def without_answers(outcomes: Outcomes) -> Outcomes:
    return replace(outcomes, predictions=None)


def test_a_prediction_is_the_gold_label_only_if_more_than_half_of_the_seeds_are_right() -> None:
    gold = np.array([0, 0, 0, 2])
    seeds = [np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([1, 2, 2, 2])]
    # Twice right of three; once right, then the first of two others; the same in another order; once right.
    assert Predictions.of_seeds(LABELS, gold, seeds).predicted.tolist() == [0, 1, 1, 1]
    assert Predictions.of_seeds(LABELS, gold, seeds[:2]).predicted.tolist() == [0, 1, 1, 1]


def test_the_answers_that_one_gets_right_are_counted_by_kind_of_error() -> None:
    gold = [0, 0, 0, 1, 1, 2]
    found = differ(QUESTIONS, answered(gold, [2, 2, 0, 1, 0, 1]), answered(gold, [0, 0, 1, 1, 0, 0]), None)
    assert (found.both, found.first, found.second, found.neither, found.left_out) == (1, 1, 2, 2, 0)
    assert found.what == "texts"
    assert {(kind.group, kind.answer): (kind.first, kind.second) for kind in found.kinds} == {
        ("animal", "place"): (2, 0),
        ("animal", "art"): (0, 1),
    }
    assert [(row.example, row.error, row.answers, row.first_is_right) for row in found.rows] == [
        (0, "place", ("place", "animal"), False),
        (1, "place", ("place", "animal"), False),
        (2, "art", ("animal", "art"), True),
    ]


def test_a_planted_kind_of_error_comes_first_and_chance_errors_are_not_significant() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(3, size=600)
    noise = [np.where(rng.random(600) < 0.2, rng.integers(3, size=600), gold) for _ in range(2)]
    planted = noise[0].copy()
    planted[np.flatnonzero(gold == 0)[:30]] = 2
    found = differ(
        QUESTIONS, answered(gold.tolist(), planted.tolist()), answered(gold.tolist(), noise[1].tolist()), None
    )
    first, *others = found.kinds
    assert (first.group, first.answer) == ("animal", "place")
    assert first.adjusted is not None
    assert first.adjusted < 0.001
    assert not any(kind.is_clear for kind in others)
    assert {(row.group, row.error) for row in found.rows[: first.first + first.second]} == {("animal", "place")}


def test_p_is_mcnemars_exact_one_corrected_for_the_kinds_with_enough_errors() -> None:
    gold = [0] * 10 + [1] * 10 + [2] * 80
    own = [2] * 10 + [0] * 6 + [1] * 4 + [0] * 5 + [2] * 75
    first, second, third = differ(QUESTIONS, answered(gold, own), answered(gold, gold), None).kinds
    assert (first.p, second.p) == pytest.approx((2 / 2**10, 2 / 2**6))
    assert (first.adjusted, second.adjusted) == pytest.approx((4 / 2**10, 2 / 2**6))
    assert (third.first, third.p, third.adjusted) == (5, None, None)


@pytest.mark.parametrize("units", [[UNIT], UNITS, PRECISION_AT_1.units])
def test_errors_that_share_a_unit_are_no_evidence_for_a_kind(units: list[str]) -> None:
    gold = [0] * 10 + [2] * 90
    own, other = answered(gold, [1] * 10 + [2] * 90), answered(gold, gold)
    (apart,) = differ(QUESTIONS, own, other, None).kinds
    tens = np.stack([np.arange(100) // 10] * len(units), axis=1)
    own, other = (
        replace(one, columns=(*one.columns, *units), values=np.concatenate([one.values, tens], axis=1))
        for one in (own, other)
    )
    (together,) = differ(QUESTIONS, own, other, None).kinds
    assert apart.p is not None
    assert together.p is not None
    assert apart.p < 0.01
    assert together.p > 0.2


def test_a_tagged_sentence_differs_at_its_tokens() -> None:
    gold, lengths = [0, 1, 2, 0, 1], [2, 3]
    found = differ(CHUNK, answered(gold, [0, 0, 2, 0, 0], lengths), answered(gold, [0, 1, 2, 0, 1], lengths), None)
    assert found.what == "tokens"
    assert [(row.example, row.token, row.group, row.error) for row in found.rows] == [
        (0, 1, "art", "animal"),
        (1, 2, "art", "animal"),
    ]


def test_sentences_are_compared_by_their_shares_of_right_tokens_if_the_answers_of_one_are_unknown() -> None:
    gold, lengths = [0, 1, 2, 0, 1], [2, 3]
    own, other = answered(gold, [0, 0, 2, 0, 1], lengths), answered(gold, [0, 1, 2, 0, 1], lengths)
    found = differ(CHUNK, own, without_answers(other), None)
    assert (found.what, found.by_share, found.both, found.first, found.second) == ("sentences", True, 1, 0, 1)
    assert [(row.example, row.token, row.answers) for row in found.rows] == [(0, None, ("1 of 2", "2 of 2"))]


def test_without_the_answers_of_one_the_right_texts_are_known_and_kinds_are_gold_labels() -> None:
    gold = [0, 0, 1]
    own, other = answered(gold, [2, 0, 1]), without_answers(answered(gold, [0, 0, 2]))
    found = differ(QUESTIONS, own, other, None)
    assert [(kind.group, kind.answer) for kind in found.kinds] == [("animal", ""), ("art", "")]
    assert [row.answers for row in found.rows] == [("place", ""), ("art", "")]


def test_without_any_answers_the_data_set_knows_the_gold_labels() -> None:
    outcomes = [without_answers(answered([0, 1], predicted)) for predicted in ([0, 0], [0, 1])]
    texts = CellTexts(["a cat", "a song"], ["animal", "art"])
    assert [row.group for row in differ(QUESTIONS, outcomes[0], outcomes[1], texts).rows] == ["art"]
    assert [row.group for row in differ(QUESTIONS, outcomes[0], outcomes[1], None).rows] == [""]


def test_questions_that_one_cannot_answer_are_left_out() -> None:
    analogies = DEMO.task("analogy-google")
    own = Outcomes.of(correct=[1, 0, 0], total=[1, 0, 1])
    other = Outcomes.of(correct=[0, 1, 0], total=[1, 1, 1])
    found = differ(analogies, own, other, None)
    assert (found.first, found.second, found.neither, found.left_out) == (1, 0, 1, 1)


def test_pairs_of_words_are_compared_by_the_distance_of_their_rank_from_peoples() -> None:
    gold = [9, 7, 5, 3, 1]
    own = Outcomes.of(predicted=[9, 5, 7, np.nan, 1], gold=gold)
    other = Outcomes.of(predicted=[1, 8, 7, 0, 9], gold=gold)
    found = differ(DEMO.task("sim-simlex-999"), own, other, None)
    # Of the four that both know, people's ranks are 1 to 4, the first set's 1, 3, 2, 4, the second's 4, 2, 3, 1.
    assert (found.both, found.first, found.second, found.left_out) == (0, 2, 2, 1)
    assert found.kinds == ()
    assert [(row.example, row.group, row.answers, row.first_is_right) for row in found.rows] == [
        (0, "1", ("1", "4"), True),
        (4, "4", ("4", "1"), True),
        (1, "2", ("3", "2"), False),
        (2, "3", ("2", "3"), False),
    ]


def test_the_difference_of_correlations_is_that_of_compare() -> None:
    rng = np.random.default_rng(0)
    gold = rng.normal(size=200)
    own, other = (Outcomes.of(predicted=gold + rng.normal(0, noise, 200), gold=gold) for noise in (0.5, 2))
    one = replace(result("questions", "fixed", 0.5, 1), metric="spearman")
    apart = score_difference(SUITE, (replace(one, outcomes=own), "a"), (replace(one, outcomes=other), "b"), "en")
    expected = correlation_difference(own, other)
    assert apart is not None
    assert expected is not None
    assert (apart.difference, apart.p) == pytest.approx((expected.first - expected.second, expected.p))


@pytest.mark.parametrize(
    ("task", "change", "said"),
    [
        ("weat-1", {}, "no right and wrong answers"),
        ("questions", {"task_hash": "other"}, "different definitions"),
        ("questions", {"outcomes": None}, "not stored for both"),
        ("questions", {"outcomes": Outcomes.of(correct=[1], total=[1])}, "different examples"),
    ],
)
def test_results_that_cannot_be_compared_are_refused(task: str, change: dict[str, object], said: str) -> None:
    one = result("questions", "fixed", 0.5, 1)
    other: CellResult = replace(one, **change)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=said):
        comparable(OPEN_2026.task(task), one, other)


WITH_ANSWERS = [task for task in OPEN_2026.tasks if task.family.id in UNITS_OF_COUNT and task.applies_to(ENGLISH)]


@pytest.mark.parametrize(
    "task", [pytest.param(task, id=task.id, marks=pytest.mark.data(task.data)) for task in WITH_ANSWERS]
)
def test_a_task_with_answers_has_a_text_for_each_outcome_of_the_baseline(task: Task, store: DataStore) -> None:
    baseline = published(OPEN_2026)
    assert baseline is not None
    cell = baseline.result(task.id, task.modes[0])
    assert cell is not None
    assert cell.outcomes is not None
    texts = texts_of(task, store)
    assert (len(texts.texts), len(texts.groups)) == (len(cell.outcomes), len(cell.outcomes))


def test_the_tokens_of_a_sentence_are_separated_by_one_space(store: DataStore) -> None:
    sentences = store.load("demo-chunk")["test"]
    texts = texts_of(CHUNK, store).texts
    assert [len(text.split(" ")) for text in texts] == [len(sentence[0]) for sentence in sentences]


def damaged(vectors: Embedding) -> Embedding:
    """The test words for animals get the vectors of words for places."""
    words = demo.topic_words("test")
    animals, places = vectors.find(words["animal"]), vectors.find(words["place"])
    matrix = np.array(vectors.matrix)
    matrix[animals] = matrix[np.resize(places, len(animals))]
    return replace(vectors, matrix=matrix, sha256="damaged", stored=None)


def test_damaged_vectors_show_their_kind_of_error(demo_vectors: Embedding, store: DataStore) -> None:
    own, other = (
        evaluate_cell(vectors, DEMO, QUESTIONS, "fixed", data=store)
        for vectors in (damaged(demo_vectors), demo_vectors)
    )
    found = differ(QUESTIONS, *comparable(QUESTIONS, own, other), texts_of(QUESTIONS, store))
    assert (found.kinds[0].group, found.kinds[0].answer) == ("animal", "place")
    assert found.kinds[0].is_clear
    assert not any(kind.group != "animal" and kind.is_clear for kind in found.kinds)


@pytest.mark.parametrize("task", ["chunk", "questions", "analogy-google"])
def test_the_predictions_of_a_cell_agree_with_its_outcomes(
    task: str, demo_vectors: Embedding, store: DataStore
) -> None:
    declared = DEMO.task(task)
    outcomes = evaluate_cell(demo_vectors, DEMO, declared, declared.modes[0], data=store, seeds=1).outcomes
    assert outcomes is not None
    held = outcomes.predictions
    assert held is not None
    examples = np.repeat(np.arange(len(outcomes)), 1 if held.lengths is None else held.lengths)
    right = np.bincount(examples, held.gold == held.predicted, len(outcomes))
    np.testing.assert_array_equal(right, outcomes.column("correct"))
    unanswered = [answer == "" for answer in held.named(held.predicted)]
    assert sum(unanswered) == (outcomes.column("total") == 0).sum()


def test_the_score_difference_counts_examples_and_seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VECBOARD_BASELINE_SCORES", str(tmp_path))
    own, other = result("questions", "fixed", 0.9, 1), result("questions", "fixed", 0.5, 2)
    apart = score_difference(SUITE, (own, "a"), (other, "b"), "en")
    assert apart is not None
    assert apart.difference == pytest.approx(own.score - other.score)
    assert apart.p < 0.001


@pytest.fixture
def two(tmp_path: Path) -> tuple[str, str]:
    """Two reports: of ten animals, the new one takes eight for places."""
    of = {"id": DEMO.id, "version": DEMO.version, "hash": "", "comparable": False}
    n = len(DataStore.default().load("demo-questions")["test"])
    gold = [0] * 10 + [2] * (n - 10)
    for name, predicted in (("new", [2] * 8 + gold[8:]), ("old", gold)):
        cells = [result(task, mode, 0.5, 1) for task, mode in CELLS]
        changed = [
            replace(cell, outcomes=answered(gold, predicted)) if cell.task == "questions" else cell for cell in cells
        ]
        used = replace(report(0.5, 1), suite=of, vectors={**VECTORS, "sha256": name}, results=tuple(changed))
        used.write(tmp_path / f"{name}.json")
    return str(tmp_path / "new.json"), str(tmp_path / "old.json")


def test_the_command_prints_kinds_and_examples_and_writes_all_rows(
    two: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "differing.csv"
    assert main(["differ", *two, "--task", "questions", "--most", "2", "--csv", str(table)]) == 0
    out = capsys.readouterr().out
    assert "only new right on 0 texts, only old right on 8;" in out
    assert "animal → place" in out
    assert out.count("old right; gold animal, new place, old animal: ") == 2
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8
    first = " ".join(DataStore.default().load("demo-questions")["test"][0].words)
    assert rows[0] == {
        "example": "0", "token": "", "gold": "animal", "answer of new": "place", "answer of old": "animal",
        "right": "old", "text": first,
    }  # fmt: skip


def test_the_command_refuses_a_task_without_a_score(two: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["differ", *two, "--task", "analogy-google"]) == 2
    assert "have a score for analogy-google" in capsys.readouterr().err
