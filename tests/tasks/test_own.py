"""One's own labelled texts: reading, dividing, scoring and comparing."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from tasks import own
from tasks.cli import main
from tasks.errors import InputError
from tasks.suites import DEMO
from tasks.text import LeftOut

WORDS = {"animal": [f"cat{i}" for i in range(20)], "plant": [f"oak{i}" for i in range(20)]}
Rows = Sequence[dict[str, str]]


def rows(n: int = 60, words: int = 3) -> list[dict[str, str]]:
    """Texts of their label's words, one author for every six texts, the last third for testing."""
    generator = np.random.default_rng(1)
    found = []
    for i in range(n):
        label = ("animal", "plant")[i % 2]
        text = " ".join(generator.choice(WORDS[label], words))
        split = "test" if i >= n * 2 // 3 else "train"
        found.append({"text": text, "label": label, "author": f"a{i // 6}", "part": split})
    return found


@pytest.fixture
def table(tmp_path: Path) -> Callable[[Rows], Path]:
    def write(given: Rows) -> Path:
        path = tmp_path / "texts.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, given[0].keys())
            writer.writeheader()
            writer.writerows(given)
        return path

    return write


@pytest.fixture
def vectors(tmp_path: Path) -> Callable[..., Path]:
    """A file in which the words of a label resemble each other, or don't."""

    def write(name: str, *, apart: float, unknown: int = 0) -> Path:
        generator = np.random.default_rng(2)
        lines = []
        for sign, words in zip((-1, 1), WORDS.values(), strict=True):
            for word in words[unknown:]:
                row = generator.standard_normal(5) + np.array([sign * apart, 0, 0, 0, 0])
                lines.append(f"{word} {' '.join(f'{value:.4f}' for value in row)}")
        lines += [f"filler{i} {' '.join(['0.1'] * 4)} {i}" for i in range(1, 81)]
        path = tmp_path / f"{name}.txt"
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def read(path: Path, **fields: str) -> own.Labelled:
    return own.labelled(path, "label", LeftOut(), **fields)


def test_cross_validation_tests_every_text_twice_and_no_label_is_missing(table: Callable[[Rows], Path]) -> None:
    data = read(table(rows()))
    tested = np.bincount(np.concatenate([test for _, test in data.divisions]), minlength=60)
    assert tested.tolist() == [2] * 60
    assert len(data.divisions) == 10
    for train, test in data.divisions:
        assert set(data.labels[train]) == {"animal", "plant"}
        assert not set(train.tolist()) & set(test.tolist())


def test_texts_of_an_author_are_never_in_both_parts(table: Callable[[Rows], Path]) -> None:
    given = rows()
    data = read(table(given), group_field="author")
    authors = np.array([row["author"] for row in given])
    for train, test in data.divisions:
        assert not set(authors[train]) & set(authors[test])


def test_ones_own_split_is_used_as_it_is(table: Callable[[Rows], Path]) -> None:
    ((train, test),) = read(table(rows()), split_field="part").divisions
    assert (train.tolist(), test.tolist()) == (list(range(40)), list(range(40, 60)))


@pytest.mark.parametrize(
    ("change", "fields", "said"),
    [
        (lambda row, i: row | {"label": "animal"}, {}, "only the label “animal”"),
        (lambda row, i: row | {"label": "rare"} if i < 3 else row, {}, "“rare” has 3 texts in the file, but needs 7"),
        (lambda row, i: row, {"group_field": "nothing"}, "have no “nothing”"),
        (lambda row, i: row | {"author": "one"}, {"group_field": "author"}, "fewer than 5 values"),
        (lambda row, i: row | {"part": "dev"}, {"split_field": "part"}, "has the value “dev”"),
        (lambda row, i: row | {"part": "train"}, {"split_field": "part"}, "No text has the value test"),
        (lambda row, i: row | {"text": ""}, {}, "no labelled text with a word"),
    ],
)
def test_data_that_cannot_be_divided_is_refused_with_the_reason(
    table: Callable[[Rows], Path],
    change: Callable[[dict[str, str], int], dict[str, str]],
    fields: dict[str, str],
    said: str,
) -> None:
    path = table([change(row, i) for i, row in enumerate(rows())])
    with pytest.raises(InputError, match=said):
        read(path, **fields)


def test_a_missing_field_of_labels_has_its_remedy(table: Callable[[Rows], Path]) -> None:
    with pytest.raises(InputError, match=r"they have label, author, part\. Name the field of the labels"):
        own.labelled(table(rows()), "queue", LeftOut())


def test_texts_without_a_label_or_a_word_are_left_out_and_named(table: Callable[[Rows], Path]) -> None:
    given = rows()
    given[3] |= {"label": ""}
    given[4] |= {"text": "   "}
    left_out = LeftOut()
    assert len(own.labelled(table(given), "label", left_out).labels) == 58
    assert "left out: 2" in left_out.sentence("Documents")


def scored(data: own.Labelled, files: Sequence[Path], scratch: Path) -> list[own.SetScore]:
    return list(own.scores(data, files, DEMO.look_up, scratch))


def test_vectors_that_tell_the_labels_apart_beat_words_alone_and_random_ones(
    table: Callable[[Rows], Path], vectors: Callable[..., Path], tmp_path: Path
) -> None:
    data = read(table(rows(words=1)))
    files = [vectors("apart", apart=4.0), vectors("random", apart=0.0)]
    words, apart, random = scored(data, files, tmp_path)
    assert (words.name, words.dimensions) == (own.WORDS, None)
    assert apart.accuracy == pytest.approx(1.0)
    assert random.accuracy < words.accuracy < apart.accuracy
    assert apart.by_division.shape == (10,)
    assert own.compare(data, random, apart, 1.0).verdict == "inferior"
    assert own.compare(data, apart, random, 1.0).verdict == "not inferior"
    only_new, only_old = own.disagreements(random, apart)
    assert not len(only_new)
    assert set(only_old.tolist()) == set(np.flatnonzero(random.right == 0).tolist())


def test_words_without_a_vector_are_counted(
    table: Callable[[Rows], Path], vectors: Callable[..., Path], tmp_path: Path
) -> None:
    data = read(table(rows()), split_field="part")
    _, half = scored(data, [vectors("half", apart=4.0, unknown=10)], tmp_path)
    of_known = [int(word[3:]) >= 10 for own_words in data.words for word in own_words]
    assert half.known == pytest.approx(np.mean(of_known))


def test_a_split_is_judged_by_the_paired_test_texts(table: Callable[[Rows], Path]) -> None:
    data = read(table(rows()), split_field="part")
    right = np.full(60, np.nan)
    right[40:] = 1.0
    other = right.copy()
    other[40:45] = 0.0
    first, second = (
        own.SetScore("", 2, 1.0, float(np.nanmean(one)), 0.0, np.array([0.0]), data.labels, one, 0.0)
        for one in (right, other)
    )
    found = own.compare(data, second, first, 1.0)
    assert found.difference == pytest.approx(-25.0)
    # s² of 5 differences of 100 and 15 of 0 is 100² · (5/20 · 15/20) · 20/19; t with 19 degrees of freedom is 1.7291.
    error = 100 * (0.25 * 0.75 / 19) ** 0.5
    assert found.upper == pytest.approx(-25.0 + 1.7291 * error, abs=1e-3)


def test_the_command_prints_scores_verdicts_and_texts(
    table: Callable[[Rows], Path], vectors: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, differing = table(rows(words=1)), tmp_path / "differing.csv"
    files = [str(vectors("apart", apart=4.0)), str(vectors("random", apart=0.0))]
    command = ["own", str(data), *files, "--suite", "demo"]
    assert main([*command, "--disagreements", str(differing)]) == 0
    printed = capsys.readouterr().out
    assert "60 texts, 2 labels; 5-fold cross-validation, 2 times" in printed
    assert "random.txt − apart.txt" in printed
    assert "inferior by more than 1 point." in printed
    assert "texts that only apart.txt labels rightly" in printed
    with differing.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert found
    assert all(len({row[f"{name}: right"] for name in (own.WORDS, "apart.txt", "random.txt")}) > 1 for row in found)
    assert main([*command, "--split-field", "part", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in answer["scores"]] == [own.WORDS, "apart.txt", "random.txt"]
    assert len(answer["comparisons"]) == 3
