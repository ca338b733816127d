"""Analogies against brute force, their details, and the golden counts of gensim's evaluation."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.base import Context
from tasks.datasets.examples import AnalogyQuestion
from tasks.datasets.readers import Analogies
from tasks.datasets.store import DataStore
from tasks.errors import NoScore
from tasks.formats import read
from tasks.intrinsic import analogy
from tasks.intrinsic.analogy import precision_shares, word_pairs
from tasks.results import CellResult
from tasks.suites import DEMO, OPEN_2026
from tasks.vectors import LOWER_CASED, Embedding, Matrix, Rows
from tests.tasks.made import embedding

GOLDEN = Path(__file__).resolve().parents[3] / "shared" / "golden"
TASK = DEMO.task("analogy-google")


answers = partial(analogy.answers, epsilon=TASK.family.constants["epsilon"])


def random_matrix(words: int, seed: int = 0, dimensions: int = 6) -> Matrix:
    return np.random.default_rng(seed).standard_normal((words, dimensions)).astype(np.float32)


def by_brute_force(matrix: Matrix, question: list[int]) -> tuple[int, int]:
    a, b, c = question
    units = matrix.astype(float) / np.maximum(np.linalg.norm(matrix.astype(float), axis=1), 1e-300)[:, None]
    cosines = units @ units.T
    shifted = (cosines + 1) / 2
    add = cosines[b] + cosines[c] - cosines[a]
    multiply = shifted[b] * shifted[c] / (shifted[a] + 0.001)
    add[question], multiply[question] = -np.inf, -np.inf
    return int(add.argmax()), int(multiply.argmax())


def evaluate(vectors: Embedding, suite: object = DEMO, threads: int = 1) -> CellResult:
    return TASK.family.evaluate(TASK, vectors, None, Context(suite, DataStore.default(), range(1), threads=threads))  # type: ignore[arg-type]


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(4, 50), st.integers(1, 60))
def test_answers_equal_brute_force_wherever_blocks_begin(seed: int, asked: int, words: int, block: int) -> None:
    matrix = random_matrix(words, seed)
    questions: Rows = np.random.default_rng(seed).integers(0, words, size=(asked, 3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analogy, "_MOST_ROWS", block)
        patch.setattr(analogy, "_FEWEST_ROWS", 1)
        found = answers(matrix, questions, threads=2)
    expected = [by_brute_force(matrix, question) for question in questions.tolist()]
    assert list(zip(found.add.tolist(), found.multiply.tolist(), strict=True)) == expected


def test_a_given_word_is_never_the_answer() -> None:
    matrix = np.array([[1, 0], [1, 0.1], [1, -0.1], [-1, 0]], dtype=np.float32)
    found = answers(matrix, np.array([[0, 1, 2]]))
    assert found.add.tolist() == [3]


def test_the_first_of_equal_answers_wins() -> None:
    matrix = random_matrix(12)
    matrix[9] = matrix[4] = matrix[1] + matrix[2] - matrix[0]
    assert answers(matrix, np.array([[0, 1, 2]])).add.tolist() == [4]


def test_without_other_words_there_is_no_answer() -> None:
    found = answers(random_matrix(3), np.array([[0, 1, 2]]))
    assert found.add.tolist() == found.multiply.tolist() == [-1]


def test_zero_vectors_are_never_a_nan() -> None:
    matrix = random_matrix(20)
    matrix[[1, 7]] = 0.0
    with np.errstate(all="raise"):
        found = answers(matrix, np.array([[0, 1, 2], [1, 7, 3]]))
    assert (found.add >= 0).all()
    assert (found.multiply >= 0).all()


def test_a_barred_word_is_not_a_candidate() -> None:
    matrix = random_matrix(30)
    question = np.array([[0, 1, 2]])
    best = answers(matrix, question).add[0]
    others = np.arange(30) != best
    assert answers(matrix, question, candidates=others).add[0] != best


def test_figures_are_by_category_and_for_known_and_all_questions() -> None:
    categories = ["one", "one", "two", "three", "four", "five", "gram1"]
    right = np.array([1, 0, 0, 1, 0, 0, 1], dtype=bool)
    known = np.array([1, 1, 0, 1, 0, 0, 1], dtype=bool)
    found = precision_shares(categories, right, known)
    assert (found["total"], found["strict"]) == (3 / 4, 3 / 7)
    assert (found["semantic"], found["semantic_strict"]) == (2 / 3, 2 / 6)
    assert (found["syntactic"], found["syntactic_strict"]) == (1.0, 1.0)
    assert found["categories"]["one"] == {"correct": 1, "known": 2, "questions": 2}


def test_a_category_without_known_questions_has_no_precision() -> None:
    assert precision_shares(["only"], np.array([False]), np.array([False]))["total"] is None


FAMILY = ["boy", "girl", "brother", "sister", "king", "queen", "man", "woman", "son", "daughter"]


def family_embedding() -> Embedding:
    """Pairs that differ by the same offset, so that every question is answered correctly."""
    matrix = np.zeros((110, 12), dtype=np.float32)
    for pair in range(5):
        matrix[2 * pair : 2 * pair + 2, pair] = 3.0
        matrix[2 * pair + 1, 11] = 1.0
    matrix[10:, 6:11] = random_matrix(100, dimensions=5)
    return embedding(FAMILY + [f"word{i}" for i in range(100)], matrix)


def test_a_constant_offset_answers_every_known_question() -> None:
    measured = evaluate(family_embedding())
    assert measured.score == 1.0
    assert measured.n == measured.secondary["known"] == measured.secondary["categories"]["family"]["known"] > 0
    assert measured.secondary["cosmul"]["total"] == 1.0
    assert measured.secondary["strict"] == measured.n / measured.secondary["questions"]
    assert measured.secondary["syntactic"] is None
    assert measured.coverage.types == measured.n / measured.secondary["questions"]


def test_outcomes_have_a_row_for_every_question() -> None:
    measured = evaluate(family_embedding())
    assert measured.outcomes is not None
    assert measured.outcomes.column("correct").sum() == measured.outcomes.column("total").sum() == measured.n
    assert len(measured.outcomes.values) == measured.secondary["questions"]


def test_outcomes_say_which_word_pairs_a_question_sets_against_each_other() -> None:
    measured = evaluate(family_embedding())
    assert measured.outcomes is not None
    assert measured.metric == "precision at 1"
    assert set(TASK.metric.unit_columns) <= set(measured.outcomes.columns)
    questions = [q for q in DataStore.default().load(TASK.data)[TASK.options["part"]] if isinstance(q, AnalogyQuestion)]
    named: dict[int, set[frozenset[str]]] = {}
    for question, first, second in zip(
        questions, measured.outcomes.column("first pair"), measured.outcomes.column("second pair"), strict=True
    ):
        named.setdefault(int(first), set()).add(frozenset((question.a, question.b)))
        named.setdefault(int(second), set()).add(frozenset((question.c, question.d)))
    assert all(len(pairs) == 1 for pairs in named.values())
    assert len(named) < len(questions)


def test_a_pair_is_the_same_in_either_order_and_another_one_in_another_category() -> None:
    questions = [
        AnalogyQuestion("family", "king", "queen", "man", "woman"),
        AnalogyQuestion("family", "woman", "man", "queen", "king"),
        AnalogyQuestion("gram", "king", "queen", "boy", "girl"),
    ]
    first, second, category = word_pairs(questions)
    assert first.tolist() == [0, 1, 2]
    assert second.tolist() == [1, 0, 3]
    assert category.tolist() == [0, 0, 1]


def test_the_number_of_threads_does_not_change_a_figure() -> None:
    assert evaluate(family_embedding(), threads=2).secondary == evaluate(family_embedding()).secondary


def test_without_a_known_question_there_is_no_score() -> None:
    words = [f"word{i}" for i in range(100)]
    with pytest.raises(NoScore, match="all four words"):
        evaluate(embedding(words, random_matrix(100)))


def test_words_that_a_lower_cased_look_up_cannot_find_are_not_candidates() -> None:
    plain = family_embedding()
    doubled = embedding(
        [w.upper() for w in plain.words] + list(plain.words), np.concatenate([plain.matrix, plain.matrix])
    )
    assert evaluate(doubled, replace(DEMO, look_up=LOWER_CASED)).score == 1.0


def test_msr_questions_are_all_syntactic() -> None:
    found = precision_shares(["msr", "msr"], np.array([True, False]), np.array([True, True]), semantic_categories=0)
    assert (found["semantic"], found["syntactic"], found["total"]) == (None, 0.5, 0.5)


def test_questions_with_tabs_and_crlf_are_read() -> None:
    parts = Analogies({"msr": "file"})(lambda path: b"good\tbetter\trough\trougher\r\n")
    assert parts["msr"] == [AnalogyQuestion("msr", "good", "better", "rough", "rougher")]


@pytest.mark.data
@pytest.mark.skipif(
    not GOLDEN.is_dir() or DataStore.default().mirror is None, reason="the mirror of the data sets is not there"
)
def test_msr_analogies_of_the_golden_file_are_those_of_brute_force() -> None:
    task = OPEN_2026.task("analogy-msr")
    vectors = read(GOLDEN / "sg-wiki-50.txt.gz")
    measured = task.family.evaluate(task, vectors, None, Context(OPEN_2026, DataStore.default(), range(1)))
    assert measured.secondary["questions"] == 8_000
    assert measured.outcomes is not None
    questions = [q for q in DataStore.default().load("analogy")["msr"] if isinstance(q, AnalogyQuestion)]
    units = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1)[:, None]
    for i in np.flatnonzero(measured.outcomes.values[:, 1])[::500]:
        a, b, c, d = OPEN_2026.look_up.rows(vectors, questions[i][1:])
        scores = units @ (units[b] + units[c] - units[a])
        scores[[a, b, c]] = -np.inf
        assert bool(measured.outcomes.values[i, 0]) == (scores.argmax() == d)


@pytest.mark.data
@pytest.mark.skipif(not GOLDEN.is_dir(), reason="the golden files are not there")
def test_google_analogies_of_the_golden_file_are_those_of_gensim_in_every_category() -> None:
    expected = json.loads((GOLDEN / "sg-wiki-50.expected.json").read_text())["gensim"]["questions-words.txt"]
    task = OPEN_2026.task("analogy-google")
    vectors = read(GOLDEN / "sg-wiki-50.txt.gz")
    measured = task.family.evaluate(task, vectors, None, Context(OPEN_2026, DataStore.default(), range(1)))
    ours = measured.secondary["categories"]
    for figure in ("correct", "known"):
        theirs = {name: count for name, count in expected[figure].items() if name != "Total accuracy"}
        assert {name: counts[figure] for name, counts in ours.items()} == theirs
    assert measured.score == pytest.approx(expected["known_accuracy"], abs=1e-6)
