"""One's own labelled texts: reading, dividing, scoring and comparing."""

from __future__ import annotations

import csv
import json
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from extensions.own.measure.labelled import Labelled, labelled, macro_f1
from extensions.own.measure.measure import LONGEST, WIDER, Response, compare, estimate, measure
from extensions.own.measure.report import DISAGREEMENTS, REPORT, Disagreements, OwnReport
from extensions.shared.measure.vectors import NamedVectors
from tasks.cli import main
from tasks.errors import InputError
from tasks.guess_language import COMMON
from tasks.suites import DEMO

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


def read(path: Path, **fields: str) -> Labelled:
    return labelled(path, "label", **fields)


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
        (lambda row, i: row | {"author": "one"}, {"group_field": "author"}, "fewer than 5 different values"),
        (lambda row, i: row | {"part": "dev"}, {"split_field": "part"}, "has the value “dev”"),
        (lambda row, i: row | {"author": "one"}, {"split_field": "part", "group_field": "author"}, "fewer than 2"),
        (lambda row, i: row | {"text": "cat1 oak1"} if i < 54 else row, {}, "or nearly always the same one"),
        (lambda row, i: row, {"split_field": "fold"}, "have no “fold”; they have label, author, part"),
        (lambda row, i: row | {"part": "train"}, {"split_field": "part"}, "Only 0 of the texts have the value test"),
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
        labelled(table(rows()), "queue")


def test_texts_without_a_label_or_a_word_are_left_out_and_named(table: Callable[[Rows], Path]) -> None:
    given = rows()
    given[3] |= {"label": ""}
    given[4] |= {"text": "   "}
    facts = read(table(given)).facts()
    assert (facts["texts"], facts["left_out"]) == (58, 2)
    assert [reason.split(" has ")[1] for reason in facts["reasons"]] == ["no “label”.", "no word."]


def test_equal_texts_are_never_in_both_parts_and_are_counted(table: Callable[[Rows], Path]) -> None:
    given = rows() + rows()
    for own in ({}, {"group_field": "author"}):
        data = read(table([row | {"author": f"a{i // 6}"} for i, row in enumerate(given)]), **own)
        texts = np.array([row["text"] for row in given])
        assert all(not set(texts[train]) & set(texts[test]) for train, test in data.divisions)
        assert data.facts()["sentence"].endswith("texts that repeat another one, and stay with it: 60")


def test_labels_that_a_coin_gave_three_times_each_cannot_be_learnt(
    table: Callable[[Rows], Path], vectors: Callable[..., Path], tmp_path: Path
) -> None:
    coin = np.random.default_rng(3).integers(0, 2, 60).tolist()
    given = [row | {"label": "ab"[side]} for row, side in zip(rows(words=6), coin, strict=True)]
    report, _ = measured(read(table(given * 3)), [vectors("random", apart=0.0)], tmp_path)
    assert all(one["figures"][0]["value"] < 65 for one in report["scores"])  # 95 and more where copies are apart


def test_texts_of_ones_own_test_part_that_are_trained_on_are_counted(table: Callable[[Rows], Path]) -> None:
    given = rows()
    given[50]["text"] = given[0]["text"].upper()
    assert (
        read(table(given), split_field="part")
        .facts()["sentence"]
        .endswith("20 to test; test texts that equal one to train on: 1")
    )


@pytest.mark.parametrize("word", ["किताब", "పుస్తకం", "می‌روم", "col·lecció"])
def test_a_word_with_signs_and_joiners_is_one_word(word: str, table: Callable[[Rows], Path]) -> None:
    given = [row | {"text": f"{word} {row['text']}\u00ad"} for row in rows()]
    assert [own[0] for own in read(table(given)).words] == [word] * 60
    assert {len(own) for own in read(table(given)).words} == {4}


def test_vectors_in_decomposed_form_know_the_words_of_texts_in_any_form(
    table: Callable[[Rows], Path], tmp_path: Path
) -> None:
    given = [row | {"text": f"élève {row['text']}"} for row in rows()]
    path = tmp_path / "nfd.txt"
    words = [
        unicodedata.normalize("NFD", "élève"),
        *WORDS["animal"],
        *WORDS["plant"],
        *(f"filler{i}" for i in range(60)),
    ]
    path.write_text("".join(f"{word} 0.{i % 9 + 1} 0.{i % 7 + 1} -0.{i % 5 + 1}\n" for i, word in enumerate(words)))
    for form in ("NFC", "NFD"):
        data = read(
            table([row | {"text": unicodedata.normalize(form, row["text"])} for row in given]), split_field="part"
        )
        assert measured(data, [path], tmp_path)[0]["scores"][1]["known"] == 1.0


def test_the_language_is_found_or_stated_and_one_without_spaces_must_be_segmented(
    table: Callable[[Rows], Path], tmp_path: Path
) -> None:
    frequent = " ".join(sorted(COMMON["de"]))
    data = read(table([row | {"text": f"{frequent} {row['text']}"} for row in rows()]))
    assert "60 texts in German" in data.facts()["sentence"]
    assert "60 texts in Dutch" in read(table(rows()), language="nl").facts()["sentence"]
    chinese = table([row | {"text": "我们今天去图书馆看书,学习中文语言文学"} for row in rows()])
    with pytest.raises(InputError, match="Chinese, which is written without spaces"):
        read(chinese)


def measured(data: Labelled, files: Sequence[Path], scratch: Path) -> tuple[OwnReport, Disagreements]:
    return measure(data, [NamedVectors(path.stem, path) for path in files], DEMO.look_up, scratch, 1.0)


def test_vectors_that_tell_the_labels_apart_beat_words_alone_and_random_ones(
    table: Callable[[Rows], Path], vectors: Callable[..., Path], tmp_path: Path
) -> None:
    data = read(table(rows(words=1)))
    files = [vectors("apart", apart=4.0), vectors("random", apart=0.0)]
    report, differing = measured(data, files, tmp_path)
    words, apart, random = report["scores"]
    assert (words["name"], words["dimensions"]) == (Labelled.floor, None)
    figures = [one["figures"][0] for one in (words, apart, random)]
    assert {figure["name"] for figure in figures} == {"accuracy"}
    assert figures[2]["value"] < figures[0]["value"] < figures[1]["value"]
    assert figures[1]["value"] > 90
    low, high = figures[2]["interval"] or (0, 0)
    assert low < figures[2]["value"] < high
    verdicts = {(one["new"], one["old"]): one["verdict"] for one in report["comparisons"]}
    assert verdicts == {
        ("random", "apart"): "inferior",
        ("apart", Labelled.floor): "not inferior",
        ("random", Labelled.floor): verdicts["random", Labelled.floor],
    }
    shares = [[answer["right"] for answer in row["answers"]] for row in differing["rows"]]
    assert differing["total"] == len(shares)
    of_files = [abs(apart - random) for _, apart, random in shares]
    assert of_files == sorted(of_files, reverse=True)
    assert of_files[0] == 1.0
    assert REPORT.validate_json(REPORT.dump_json(report)) == report
    assert DISAGREEMENTS.validate_json(DISAGREEMENTS.dump_json(differing)) == differing


def test_the_report_has_none_of_the_texts_and_the_disagreements_only_their_beginning(
    table: Callable[[Rows], Path], vectors: Callable[..., Path], tmp_path: Path
) -> None:
    given = [row | {"text": f"{row['text']} {'secret ' * 90}"} for row in rows(words=1)]
    data = read(table(given), split_field="part")
    report, differing = measured(data, [vectors("random", apart=0.0)], tmp_path)
    assert "secret" not in str(report)
    assert {len(row["text"]) for row in differing["rows"]} == {LONGEST}


def test_two_files_of_one_name_are_refused(
    table: Callable[[Rows], Path], vectors: Callable[..., Path], tmp_path: Path
) -> None:
    path = vectors("apart", apart=4.0)
    with pytest.raises(InputError, match="the name “apart”"):
        measured(read(table(rows())), [path, path], tmp_path)


def test_words_without_a_vector_are_counted(
    table: Callable[[Rows], Path], vectors: Callable[..., Path], tmp_path: Path
) -> None:
    data = read(table(rows()), split_field="part")
    half = measured(data, [vectors("half", apart=4.0, unknown=10)], tmp_path)[0]["scores"][1]
    of_known = [[int(word[3:]) >= 10 for word in own] for own in data.words]
    assert half["known"] == pytest.approx(np.mean(of_known))
    assert half["without_words"] == sum(not any(own) for own in of_known)


def test_a_split_is_judged_by_the_paired_test_texts(table: Callable[[Rows], Path]) -> None:
    data = read(table(rows()), split_field="part")
    right = np.full(60, np.nan)
    right[40:] = 1.0
    other = right.copy()
    other[40:45] = 0.0
    first, second = (Response({"accuracy": values}, [""] * 60) for values in (right, other))
    found = compare(data, second, first, 1.0)
    assert found.difference == pytest.approx(-25.0)
    # s² of 5 differences of 100 and 15 of 0 is 100² · (5/20 · 15/20) · 20/19; t with 19 degrees of freedom is 1.7291.
    error = 100 * (0.25 * 0.75 / 19) ** 0.5
    assert found.upper == pytest.approx(-25.0 + 1.7291 * error, abs=1e-3)


def test_a_text_has_the_mean_of_both_repeats_and_small_samples_a_wider_error(table: Callable[[Rows], Path]) -> None:
    data = read(table(rows(words=6)))
    tested = np.concatenate([test for _, test in data.divisions])
    predicted = data.labels[tested].copy()
    first = [int(np.flatnonzero(tested == text)[0]) for text in range(12)]
    both = [int(np.flatnonzero(tested == text)[1]) for text in range(3)]
    predicted[first + both] = np.where(data.labels[tested[first + both]] == "animal", "plant", "animal")
    response = data.response(tested, predicted)
    # Three texts are wrong twice, nine once: the mean is (60 − 3 − 9 / 2) / 60 = 0.875.
    assert response.right.tolist() == [0.0] * 3 + [0.5] * 9 + [1.0] * 48
    squares = 3 * 0.875**2 + 9 * 0.375**2 + 48 * 0.125**2
    assert estimate(data, response.right) == pytest.approx((0.875, WIDER * (squares / (60 * 59)) ** 0.5, 59.0))
    assert response.answers[0] != data.labels[0]


def test_texts_of_an_author_count_as_one_in_ones_own_split_too(table: Callable[[Rows], Path]) -> None:
    data = read(table(rows(n=180, words=6)), split_field="part", group_field="author")
    values = np.full(180, np.nan)
    values[120:] = np.repeat([1.0, 0.0], 30)  # ten authors of six texts each, five of them always right
    mean, error, freedom = estimate(data, values)
    assert (mean, freedom) == pytest.approx((0.5, 9.0))
    assert error == pytest.approx((0.25 / 9) ** 0.5)


def test_the_values_of_macro_f1_have_its_mean_and_its_variance() -> None:
    gold = np.array(list("aaaabbc"))
    predicted = np.array(list("aaabbba"))
    values = macro_f1(gold, predicted)
    # F1 of a: 2 · 3 / (4 + 4); of b: 2 · 2 / (2 + 3); of c: 0.
    assert values.mean() == pytest.approx((0.75 + 0.8 + 0.0) / 3)
    generator = np.random.default_rng(1)
    many, answers = gold[generator.integers(0, 7, 2_000)], predicted[generator.integers(0, 7, 2_000)]
    answers = np.where(generator.random(2_000) < 0.6, many, answers)
    drawn = generator.integers(0, 2_000, (400, 2_000))
    resampled = [macro_f1(many[rows], answers[rows]).mean() for rows in drawn]
    assert np.std(resampled) == pytest.approx(macro_f1(many, answers).std() / 2_000**0.5, rel=0.1)


def test_words_alone_tell_the_order_of_words(table: Callable[[Rows], Path]) -> None:
    rows = [
        {"text": ("red wine house" if i % 2 else "house wine red") + f" n{i}", "label": "ab"[i % 2]} for i in range(80)
    ]
    response = read(table(rows)).by_words_alone(lambda share: None)
    assert response.right.mean() == 1.0


def test_the_command_prints_scores_verdicts_and_texts(
    table: Callable[[Rows], Path], vectors: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, differing = table(rows(words=1)), tmp_path / "differing.csv"
    files = [str(vectors("apart", apart=4.0)), str(vectors("random", apart=0.0))]
    command = ["own", str(data), *files, "--suite", "demo"]
    assert main([*command, "--disagreements", str(differing)]) == 0
    printed = capsys.readouterr().out
    assert (
        "60 texts, 2 labels; 5-fold cross-validation, 2 times; texts that repeat another one, and stay with it: 30"
        in printed
    )
    assert "random.txt − apart.txt" in printed
    assert "inferior by more than 1 point." in printed
    assert "texts that apart.txt answers better than random.txt (its answer first):\n" in printed
    with differing.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert found
    assert all(
        len({row[f"{name}: right"] for name in (Labelled.floor, "apart.txt", "random.txt")}) > 1 for row in found
    )
    assert main([*command, "--split-field", "part", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert json.loads(REPORT.dump_json(REPORT.validate_python(answer))) == answer
    assert (answer["data"]["tested"], answer["data"]["divisions"]) == (20, 1)
