"""The scores without useful vectors on the shipped board."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from research.cli import main
from research.floors import bag_of_second_words, bag_of_words, majority_class
from tasks.extrinsic.examples import SplitColumns, TaskColumns, Texts
from tasks.suites import OPEN_2026


@pytest.mark.slow
@pytest.mark.data(*(task.dataset for task in OPEN_2026.extrinsic_tasks))
def test_the_baseline_is_above_the_majority_class_in_every_trained_cell(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["floors"]) == 0
    head, _, *rows = (line for line in capsys.readouterr().out.splitlines() if line)
    assert head.endswith("bag of words  second text  majority class")
    cells = [f"{task.id}, {mode}" for task, mode in OPEN_2026.cells() if task.extrinsic]
    assert sorted(row.split("  ")[0] for row in rows) == sorted(cells)
    for row in rows:
        baseline, majority = row.split()[-5], row.split()[-1]
        assert float(baseline) > float(majority)


LABELS = np.array([0, 1, 0, 1])
NO_UNITS = np.zeros((0, 2), dtype=np.int64)
SENTIMENT, NER = OPEN_2026.task("sentiment"), OPEN_2026.task("ner")


def part(*texts: list[list[int]]) -> SplitColumns:
    """Examples of one or more texts, given as their words."""
    return SplitColumns(
        tuple(
            Texts(np.concatenate([np.array(words) for words in column]), np.cumsum([0, *map(len, column)]))
            for column in texts
        ),
        LABELS[: len(texts[0])],
    )


def test_a_bag_of_words_learns_which_words_tell_the_class() -> None:
    train = part([[0, 2], [1, 2], [0, 3, 3], [1]])
    found = TaskColumns(
        ["good", "bad", "film", "very"], ("+", "-"), {"train": train, "test": part([[2, 0], [3, 1]])}, NO_UNITS
    )
    assert bag_of_words(SENTIMENT, found) == 1.0


def test_in_a_pair_the_text_that_has_a_word_counts() -> None:
    train = part([[0, 2], [1, 2], [0, 2], [1, 2]], [[1, 2], [0, 2], [1, 2], [0, 2]])
    found = TaskColumns(
        ["cat", "animal", "a"], ("<", ">"), {"train": train, "test": part([[0], [1]], [[1], [0]])}, NO_UNITS
    )
    assert bag_of_words(SENTIMENT, found) == 1.0


def test_the_second_texts_of_pairs_are_read_alone() -> None:
    first, second = [[0], [1], [0], [1]], [[2], [2], [0], [1]]
    test = part([[1], [0]], [[0], [1]])
    examples = TaskColumns(["cat", "dog", "a"], ("<", ">"), {"train": part(first, second), "test": test}, NO_UNITS)
    assert bag_of_words(SENTIMENT, examples) == 0.0
    assert bag_of_second_words(SENTIMENT, examples) == 1.0
    assert bag_of_second_words(SENTIMENT, replace(examples, parts={"train": part(first), "test": test})) is None


def test_tagged_sentences_have_no_bag_of_words() -> None:
    train = SplitColumns((Texts(np.array([0, 1, 0, 1]), np.array([0, 4])),), LABELS)
    assert bag_of_words(NER, TaskColumns(["a", "b"], ("O", "B-PER"), {"train": train, "test": train}, NO_UNITS)) is None


@pytest.mark.parametrize(("commonest", "score"), [("O", 0.0), ("B-PER", 0.5)])
def test_the_majority_class_is_scored_as_the_task_is(commonest: str, score: float) -> None:
    """One of two predicted names is right, and all are found; O everywhere finds none."""
    labels = ("B-PER", "O")
    always = SplitColumns((Texts(np.array([0]), np.array([0, 1])),), np.array([labels.index(commonest)]))
    test = SplitColumns((Texts(np.array([0, 0, 0]), np.array([0, 3])),), np.array([0, 1, 1]))
    assert majority_class(NER, TaskColumns(["a"], labels, {"train": always, "test": test}, NO_UNITS)) == pytest.approx(
        score
    )
