"""À la carte embeddings against loops, and comparisons of groups with known answers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest

from extensions.associations.measure.contexts import (
    WINDOW,
    Contexts,
    Tokens,
    compare_groups,
    least_squares,
    mean_contexts,
)
from extensions.associations.measure.regression import NO_INTERVAL, NO_VARIANCE
from tasks.cli import main
from tasks.datasets.examples import Document
from tasks.errors import InputError
from tasks.formats import read
from tasks.suites import OPEN_2026
from tasks.vectors import UNKNOWN, Embedding

WORDS = [f"word{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(120)]


def written(count: int, seed: int = 0, length: int = 60) -> list[Document]:
    """Documents of two paragraphs of random words."""
    generator = np.random.default_rng(seed)
    paragraphs = [[" ".join(generator.choice(WORDS, length)) for _ in range(2)] for _ in range(count)]
    return [Document(str(i), "", "\n".join(own)) for i, own in enumerate(paragraphs)]


def vectors(dimensions: int = 10, seed: int = 1) -> Embedding:
    matrix = np.random.default_rng(seed).normal(size=(len(WORDS), dimensions)).astype(np.float32)
    return Embedding("made", WORDS, matrix, "made")


def learned(documents: list[Document], embedding: Embedding) -> Contexts:
    return Contexts.learn(Tokens.of(documents), embedding, OPEN_2026.look_up)


def test_mean_contexts_are_those_of_a_loop() -> None:
    documents = written(3, length=9)
    tokens = Tokens.of(documents)
    generator = np.random.default_rng(2)
    is_known = generator.random(len(tokens.types)) < 0.7
    rows = np.where(is_known, np.cumsum(is_known) - 1, UNKNOWN)
    matrix = generator.normal(size=(int(is_known.sum()), 4))
    expected: dict[int, list[np.ndarray]] = {}
    for document in documents:
        for paragraph in document.text.split("\n"):
            ids = [tokens.types.index(word) for word in paragraph.split()]
            for i, id_ in enumerate(ids):
                near = [x for k, x in enumerate(ids) if k != i and abs(k - i) <= WINDOW and is_known[x]]
                if near:
                    expected.setdefault(id_, []).append(np.mean([matrix[rows[x]] for x in near], axis=0))
    found = mean_contexts(tokens, rows, matrix)
    for id_, means in expected.items():
        np.testing.assert_allclose(found[id_], np.mean(means, axis=0), atol=1e-12)


def test_the_transformation_is_the_weighted_least_squares_solution() -> None:
    generator = np.random.default_rng(3)
    linear, means = generator.normal(size=(5, 5)), generator.normal(size=(60, 5))
    np.testing.assert_allclose(least_squares(means, means @ linear.T, np.ones(60)), linear, atol=1e-10)
    weights = generator.integers(1, 4, 60)
    noisy = means @ linear.T + generator.normal(size=(60, 5))
    repeated = [np.repeat(rows, weights, axis=0) for rows in (means, noisy)]
    expected = least_squares(repeated[0], repeated[1], np.ones(int(weights.sum())))
    np.testing.assert_allclose(least_squares(means, noisy, weights.astype(float)), expected, atol=1e-10)


def test_a_la_carte_vectors_of_frequent_words_are_near_their_own_where_contexts_tell_words_apart() -> None:
    generator = np.random.default_rng(3)
    topic = np.repeat(np.arange(12), len(WORDS) // 12)
    matrix = (generator.normal(size=(12, 10))[topic] + 0.1 * generator.normal(size=(len(WORDS), 10))).astype(np.float32)
    own = [np.flatnonzero(topic == i % 12) for i in range(240)]
    documents = [Document(str(i), "", " ".join(WORDS[j] for j in generator.choice(of, 60))) for i, of in enumerate(own)]
    assert learned(documents, Embedding("made", WORDS, matrix, "made")).fidelity > 0.95
    assert learned(documents, vectors()).fidelity < 0.6


def test_occurrences_are_transformed_means_of_what_stands_around() -> None:
    documents = written(120)
    embedding = vectors()
    contexts = learned(documents, embedding)
    found, places = contexts.occurrences(WORDS[5])
    tokens = contexts.tokens
    at = np.flatnonzero(tokens.ids == tokens.types.index(WORDS[5]))
    assert places.tolist() == tokens.documents[at].tolist()
    first = at[0]
    near = [
        k
        for k in range(max(0, first - WINDOW), first + WINDOW + 1)
        if k != first and tokens.paragraphs[k] == tokens.paragraphs[first]
    ]
    mean = np.mean([embedding.matrix[WORDS.index(tokens.types[tokens.ids[k]])] for k in near], axis=0)
    np.testing.assert_allclose(found[0], contexts.transformation @ mean, rtol=1e-5)


def test_too_small_a_corpus_and_an_absent_word_are_errors() -> None:
    with pytest.raises(InputError, match="larger corpus"):
        learned(written(2), vectors())
    with pytest.raises(InputError, match="does not occur"):
        learned(written(120), vectors()).occurrences("nowhere")


def test_occurrences_are_averaged_within_documents() -> None:
    documents = [*written(120), Document("without", "", f"{WORDS[1]} {WORDS[2]}")]
    contexts = learned(documents, vectors())
    every, places = contexts.occurrences(WORDS[5])
    uses = contexts.by_document(WORDS[5])
    assert uses.documents.tolist() == sorted(set(places.tolist()))
    assert 120 not in uses.documents
    assert max(uses.occurrences) > 1
    for i, document in enumerate(uses.documents):
        own = [vector for vector, place in zip(every, places, strict=True) if place == document]
        assert uses.occurrences[i] == len(own)
        np.testing.assert_allclose(uses.vectors[i], np.mean(own, axis=0), atol=1e-12)


def test_a_distance_is_that_of_means_over_documents_less_their_noise() -> None:
    contexts = learned(written(120), vectors())
    groups = {"first": list(range(50)), "second": list(range(50, 120))}
    found = compare_groups(contexts, WORDS[3], groups)
    uses = contexts.by_document(WORDS[3])
    sides = [uses.vectors[np.isin(uses.documents, places)] for places in groups.values()]
    means = [side.mean(axis=0) for side in sides]
    noise = sum(side.var(axis=0, ddof=1).sum() / len(side) for side in sides)
    assert found.distance.uncorrected == pytest.approx(sum((a - b) ** 2 for a, b in zip(*means, strict=True)))
    assert found.distance.estimate == pytest.approx(found.distance.uncorrected - noise)
    assert [group.units for group in found.groups.values()] == [len(side) for side in sides]
    assert sum(group.occurrences for group in found.groups.values()) == uses.occurrences.sum()


def test_p_is_uniform_between_random_groups_and_small_between_different_ones() -> None:
    contexts = learned(written(120), vectors())
    generator = np.random.default_rng(4)
    found = []
    for word in WORDS[:60]:
        order = generator.permutation(120)
        found.append(compare_groups(contexts, word, {"a": order[:60].tolist(), "b": order[60:].tolist()}).distance)
    assert kstest([distance.p for distance in found], "uniform").pvalue > 0.01
    estimates = [distance.estimate for distance in found]
    assert min(estimates) < 0 < max(estimates)
    assert abs(np.mean(estimates)) < 0.2 * np.mean([distance.uncorrected for distance in found])
    assert sum(d.interval[0] <= 0 <= d.interval[1] for d in found) >= 54
    bent = [
        Document(d.id, "", d.text.replace(WORDS[0], f"{WORDS[1 if i % 2 else 2]} {WORDS[0]}"))
        for i, d in enumerate(written(120))
    ]
    groups = {"odd": list(range(1, 120, 2)), "even": list(range(0, 120, 2))}
    different = compare_groups(learned(bent, vectors()), WORDS[0], groups)
    assert different.distance.p < 0.01
    assert different.distance.interval is not None
    assert 0 < different.distance.interval[0] < different.distance.estimate < different.distance.interval[1]
    assert set(different.groups) == {"odd", "even"}
    assert all(len(group.neighbours) == 10 for group in different.groups.values())
    assert WORDS[0] not in different.ratios


def test_p_between_few_documents_counts_their_own_division_however_its_sums_round() -> None:
    contexts = learned(written(120), vectors())
    for word in WORDS[:20]:
        a, b, c, d = contexts.by_document(word).documents[:4].tolist()
        found = [
            compare_groups(contexts, word, {"one": one, "other": other}).distance
            for one, other in (([a, b], [c, d]), ([a, c], [b, d]), ([a, d], [b, c]))
        ]
        found.sort(key=lambda distance: -distance.uncorrected / (distance.uncorrected - distance.estimate))
        assert [distance.p for distance in found] == pytest.approx([1 / 3, 2 / 3, 1], abs=0.05)
        assert {distance.reason for distance in found} == {NO_INTERVAL.format(one="document")}


def test_a_group_of_one_document_has_a_distance_without_interval_and_p() -> None:
    contexts = learned(written(120), vectors())
    one, *others = contexts.by_document(WORDS[0]).documents.tolist()
    found = compare_groups(contexts, WORDS[0], {"one": [one], "others": others}).distance
    assert (found.estimate, found.interval, found.p) == (None, None, None)
    assert found.reason == NO_VARIANCE.format(one="document")
    assert found.uncorrected > 0


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    corpus, vector_file = tmp_path / "speeches.jsonl", tmp_path / "vectors.txt"
    rows = [
        {"text": d.text, "party": "left" if i % 2 else "right", "year": 1900 + i} for i, d in enumerate(written(120))
    ]
    corpus.write_text("\n".join(json.dumps(row) for row in rows))
    embedding = vectors()
    lines = (f"{w} {' '.join(f'{x:.4f}' for x in row)}" for w, row in zip(WORDS, embedding.matrix, strict=True))
    vector_file.write_text("\n".join(lines) + "\n")
    return str(corpus), str(vector_file)


def test_the_command_reads_json_lines(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    corpus, vector_file = files
    assert main(["contexts", corpus, vector_file, "--target", WORDS[3], "--by", "party", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["vectors"]
    assert found["vectors"] == Path(vector_file).name
    assert set(found["targets"][WORDS[3]]["groups"]) == {"left", "right"}
    assert found["targets"][WORDS[3]]["distance"]["p"] > 0
    assert main(["contexts", corpus, vector_file, "--target", f"{WORDS[3]},nowhere", "--by", "party"]) == 1
    shown = capsys.readouterr().out
    assert "nowhere: “nowhere” does not occur" in shown
    assert "à la carte" in shown


def test_soft_hyphens_blanks_and_commas_change_no_figure(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, vector_file = files
    command = ["contexts", corpus, vector_file, "--target", WORDS[3], "--by", "party", "--json"]
    rows = [json.loads(line) for line in Path(corpus).read_text().splitlines()]
    answers = []
    for hyphen, names in (
        ("", {"left": "left", "right": "right"}),
        ("\u00ad", {"left": "Smith, J. ", "right": "Doe, J."}),
    ):
        written = [
            row | {"text": row["text"].replace("word", f"wor{hyphen}d"), "party": names[row["party"]]} for row in rows
        ]
        Path(corpus).write_text("\n".join(map(json.dumps, written)))
        groups = ",".join(f'"{name.strip()}"' for name in names.values())
        assert main([*command, "--groups", groups]) == 0
        (found,) = json.loads(capsys.readouterr().out)["vectors"]
        answers.append((found["fidelity"], found["targets"][WORDS[3]]["distance"]))
    assert answers[0] == answers[1]


def test_numbers_of_spreadsheets_in_a_formula_are_refused(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, vector_file = files
    rows = [json.loads(line) for line in Path(corpus).read_text().splitlines()]
    written = [row | {"year": f"{row['year'] / 10:.1f}".replace(".", ",")} for row in rows]
    Path(corpus).write_text("\n".join(map(json.dumps, written)))
    for options in (["--formula", "party + year"], ["--by", "year", "--at", "195"]):
        assert main(["contexts", corpus, vector_file, "--target", WORDS[3], *options]) == 2
        assert "“year” has the number “190,0”, as spreadsheets and R write it" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", ["csv", "npz"])
def test_the_transformation_is_saved_with_the_names_of_its_dimensions(
    suffix: str, files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, vector_file = files
    path = tmp_path / f"transformation.{suffix}"
    command = ["contexts", corpus, vector_file, "--target", WORDS[3], "--by", "party"]
    assert main([*command, "--save-transformation", str(path)]) == 0
    capsys.readouterr()
    expected = learned(written(120), read(Path(vector_file))).transformation
    names = [f"d{i}" for i in range(1, 11)]
    if suffix == "npz":
        stored = np.load(path, allow_pickle=False)
        found, listed = stored["transformation"], stored["dimensions"].tolist()
    else:
        head, *rows = (line.split(",") for line in path.read_text().splitlines())
        assert [row[0] for row in rows] == head[1:]
        found, listed = np.array([row[1:] for row in rows], dtype=float), head[1:]
    assert listed == names
    np.testing.assert_array_equal(found, expected)


def test_a_transformation_is_of_one_vector_file_in_a_known_format(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, vector_file = files
    options = ["--target", WORDS[3], "--by", "party", "--save-transformation"]
    assert main(["contexts", corpus, vector_file, vector_file, *options, "t.csv"]) == 2
    assert "give one vector file" in capsys.readouterr().err
    assert main(["contexts", corpus, vector_file, *options, "t.rds"]) == 2
    assert ".csv or .npz" in capsys.readouterr().err


def test_wrong_fields_groups_and_lines_are_named(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    corpus, vector_file = files
    command = ["contexts", corpus, vector_file, "--target", WORDS[3]]
    for options, message in (
        (["--by", "speaker"], "no “speaker”; they have party, year"),
        (["--by", "party", "--groups", "left,middle"], "“middle” is not a value of party"),
        (["--by", "party", "--from", "1990"], "Only"),
        (["--by", "year"], "“year” has 120 values. Compare two periods with --at"),
        (["--by", "year", "--at", "1800"], "The period “before 1800” has no document"),
        (["--by", "party", "--at", "1950"], "No document has a number as its “party”"),
        (["--by", "party", "--group-by", "speaker"], "no “speaker”; they have party, year"),
        (["--formula", "party + speaker"], "no “speaker”; they have party, year"),
        (["--formula", "party +"], "write different fields joined by +"),
        (["--formula", ""], "write different fields joined by +"),
        (["--formula", "year + year"], "write different fields joined by +"),
        (["--formula", "party", "--groups", "left,right"], "--groups and --at choose two values of the field of --by"),
        (["--formula", "year", "--to", "1900"], "“year” is “1900” in the only one of the documents"),
    ):
        assert main([*command, *options]) == 2
        assert message in capsys.readouterr().err


def test_a_formula_is_printed_with_its_kinds_of_fields(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, vector_file = files
    command = ["contexts", corpus, vector_file, "--target", f"{WORDS[3]},nowhere", "--formula", "party + year"]
    assert main([*command, "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["vectors"]
    party, year = found["targets"][WORDS[3]]["coefficients"]
    assert (party["name"], party["reference"], year["name"], year["reference"]) == (
        "party: right",
        "left",
        "year",
        None,
    )
    assert len(party["towards"]) == len(year["away"]) == 10
    assert "does not occur" in found["without"]["nowhere"]
    assert main(command) == 1
    shown = capsys.readouterr().out
    for part in (r"party: right +left +\d", r"year +per unit", "more year", "less year", "nowhere: “nowhere” does not"):
        assert re.search(part, shown)


def test_both_ways_compare_the_second_value_with_the_first(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, vector_file = files
    command = ["contexts", corpus, vector_file, "--target", WORDS[3]]
    numbers = []
    for options in (["--by", "party"], ["--formula", "party"]):
        assert main([*command, *options]) == 0
        found = re.search(rf"^{WORDS[3]} +(?:party: )?right +left +(?:\d+ +)?(-?\d.*)$", capsys.readouterr().out, re.M)
        assert found is not None
        numbers.append(found[1].split())
    assert numbers[0] == numbers[1]
    assert len(numbers[0]) == 6
    assert main([*command, "--by", "party", "--groups", "right,left"]) == 0
    assert re.search(rf"^{WORDS[3]} +left +right +-?\d", capsys.readouterr().out, re.M)


def test_two_periods_are_compared_and_more_values_than_two_are_reported(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, vector_file = files
    command = ["contexts", corpus, vector_file, "--target", WORDS[3]]
    assert main([*command, "--by", "year", "--at", "1950"]) == 0
    assert re.search(r"before 1950 .*\n.*from 1950", capsys.readouterr().out)
    third = json.dumps({"text": WORDS[3], "party": "third", "year": 1900})
    Path(corpus).write_text(f"{Path(corpus).read_text()}\n{third}\n")
    assert main([*command, "--by", "party"]) == 0
    assert "“party” has 3 values; these are the two with most text" in capsys.readouterr().out


def test_several_vector_files_give_a_row_each(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    corpus, vector_file = files
    other = Path(vector_file).with_name("others.txt")
    other.write_text(Path(vector_file).read_text())
    assert main(["contexts", corpus, vector_file, str(other), "--target", WORDS[3], "--by", "party"]) == 0
    row = rf"^{WORDS[3]} +(vectors|others).txt +right +left +(-?[\d.e-]+)"
    rows = re.findall(row, capsys.readouterr().out, re.MULTILINE)
    assert [name for name, _ in rows] == ["vectors", "others"]
    assert rows[0][1] == rows[1][1]


def test_documents_of_one_speaker_count_as_one(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    corpus, vector_file = files
    rows = [
        json.loads(line) | {"speaker": f"s{i % 12}"} for i, line in enumerate(Path(corpus).read_text().splitlines())
    ]
    Path(corpus).write_text("\n".join(json.dumps(row) for row in rows))
    command = ["contexts", corpus, vector_file, "--target", WORDS[3], "--by", "party"]
    assert main(command) == 0
    alone = capsys.readouterr().out
    assert "compare with --group-by speaker" in alone
    assert "documents  occurrences" in alone
    assert main([*command, "--group-by", "speaker"]) == 0
    grouped = capsys.readouterr()
    assert "compare with --group-by" not in grouped.out
    assert "values of “speaker”  occurrences" in grouped.out
    assert sorted(re.findall(r"(left|right) +6 ", grouped.out)) == ["left", "right"]
    rows[0]["party"] = "left"
    Path(corpus).write_text("\n".join(json.dumps(row) for row in rows))
    assert main([*command, "--group-by", "speaker"]) == 0
    said = capsys.readouterr().err
    assert said.startswith(
        "Documents and values of “speaker” left out: 1. The speaker “s0” has several values of “party”"
    )


def test_with_group_by_every_remark_error_and_number_is_about_the_groups(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, vector_file = files
    rows = [json.loads(line) for line in Path(corpus).read_text().splitlines()]
    options = ["contexts", corpus, vector_file, "--target", WORDS[3], "--group-by", "speaker"]

    def said(few: int, *how: str, without: str = "") -> tuple[int, str]:
        """Exit status and output, where the first ``few`` of 12 speakers are of one party; one lacks the word."""
        for i, row in enumerate(rows):
            row |= {"speaker": f"s{i % 12}", "party": "few" if i % 12 < few else "many"}
        changed = [
            row | {"text": row["text"].replace(WORDS[3], "")} if row["party"] == without else row for row in rows
        ]
        Path(corpus).write_text("\n".join(json.dumps(row) for row in changed))
        status = main([*options, *how])
        output, errors = capsys.readouterr()
        return status, output + errors

    for how in ("--by", "--formula"):
        for few, message in (
            (1, "A single value of “speaker” decides this length"),
            (2, "Without one value of “speaker”, this length"),
            (3, "because few values of “speaker” decide them"),
        ):
            status, shown = said(few, how, "party")
            assert (status, message in shown, "document" in shown) == (0, True, False)
    assert f"“few” has no value of “speaker” with “{WORDS[3]}”" in said(1, "--by", "party", without="few")[1]
    assert "in the only one of the values of “speaker” with" in said(1, "--formula", "party", without="many")[1]


def test_the_json_names_what_is_counted(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    corpus, vector_file = files
    rows = [json.loads(line) for line in Path(corpus).read_text().splitlines()]
    Path(corpus).write_text("\n".join(json.dumps(row | {"speaker": f"s{i % 12}"}) for i, row in enumerate(rows)))
    command = ["contexts", corpus, vector_file, "--target", WORDS[3], "--json"]
    for group_by, units in ((None, False), ("speaker", True)):
        chosen = ["--group-by", group_by] if group_by else []
        for how in ("--by", "--formula"):
            assert main([*command, how, "party", *chosen]) == 0
            found = json.loads(capsys.readouterr().out)
            one = found["vectors"][0]["targets"][WORDS[3]]
            counted = [group["units"] for group in one.get("groups", {}).values()] or [one["units"] / 2] * 2
            assert (found["group_by"], counted == [6, 6]) == (group_by, units)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"not json", "is not a JSON object"),
        (b'{"text": "f\xfcnf"}', "is not UTF-8"),
        (b'{"speech": "a"}', "has no “text”"),
        (b'{"text": 5}', "has a “text” that is a number"),
        (b'{"text": null}', "has a “text” that is null"),
    ],
)
def test_a_wrong_line_is_named_with_what_is_wrong(
    line: bytes, message: str, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, vector_file = files
    Path(corpus).write_bytes(b"\n" + line + b"\n")
    assert main(["contexts", corpus, vector_file, "--target", WORDS[3], "--by", "party"]) == 2
    assert f"Line 2 of speeches.jsonl {message}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('"text": 5', "has a “text” that is a number"),
        ('"text": "a", "year": 1999', "has no “party”"),
        ('"text": "a", "party": null, "year": 1999', "has no “party”"),
        ('"text": "a", "party": "left", "year": "undated"', "has no number as its “year”"),
    ],
)
def test_an_odd_line_is_left_out_counted_and_named(
    line: str, message: str, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, vector_file = files
    command = ["contexts", corpus, vector_file, "--target", WORDS[3], "--by", "party", "--from", "1900"]
    assert main(command) == 0
    before = capsys.readouterr().out
    Path(corpus).write_text(f"\ufeff{Path(corpus).read_text()}\n{{{line}}}\n", encoding="utf-8")
    assert main(command) == 0
    shown = capsys.readouterr()
    assert (shown.out, shown.err[:22]) == (before, "Documents left out: 1.")
    assert re.search(f"ine 121 of speeches.jsonl {message}", shown.err)


def test_a_formula_leaves_out_documents_without_a_field_and_refuses_words_among_numbers(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, vector_file = files
    command = ["contexts", corpus, vector_file, "--target", WORDS[3], "--formula", "party + year"]
    assert main(command) == 0
    before = capsys.readouterr().out
    whole = Path(corpus).read_text()
    Path(corpus).write_text(f'{whole}\n{{"text": "a", "party": "left"}}\n{{"text": "a", "party": " ", "year": 1}}\n')
    assert main(command) == 0
    shown = capsys.readouterr()
    assert shown.out == before
    assert shown.err.startswith("Documents left out: 2.")
    for line, field in ((121, "year"), (122, "party")):
        assert f"Document on line {line} of speeches.jsonl has no “{field}”" in shown.err
    Path(corpus).write_text(f'{whole}\n{{"text": "a", "party": "left", "year": "undated"}}\n')
    assert main(command) == 2
    message = "“year” is a number in 120 of 121 documents, but “undated” in document on line 121 of speeches.jsonl"
    assert message in capsys.readouterr().err
