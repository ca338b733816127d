"""Translation between spaces with a known relation (a rotation, noise, chance), and the contents of dictionaries."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from extensions.shared.measure.texts import text_of
from extensions.translation.measure.translation import (
    LONGEST,
    METHODS,
    Dictionary,
    Translation,
    hubness,
    nearest,
    ranks,
    read_dictionary,
    translate,
)
from tasks.cli import main
from tasks.errors import InputError, NoScore
from tasks.metrics.distances import unit_rows
from tasks.vectors import AS_WRITTEN_THEN_CASE_THEN_DIGITS as LOOK_UP
from tests.tasks.made import embedding

N, D = 400, 12
GENERATOR = np.random.default_rng(0)
MATRIX = GENERATOR.normal(size=(N, D)).astype(np.float32)
ROTATION = np.linalg.qr(GENERATOR.normal(size=(D, D)))[0].astype(np.float32)
ENGLISH, GERMAN = ([f"{start}{i}" for i in range(N)] for start in ("word", "Wort"))
PAIRS = tuple(zip(ENGLISH, GERMAN, strict=True))


LEFT = embedding(ENGLISH, MATRIX)
ROTATED = embedding(GERMAN, 3 * MATRIX @ ROTATION + 1)


def values(found: Translation) -> dict[tuple[str, int], float]:
    return {(one.method, one.at): one.value for one in found.precisions}


def test_a_rotation_is_found_from_half_of_the_words_and_every_other_one_is_right() -> None:
    found = translate(LEFT, ROTATED, Dictionary(PAIRS), LOOK_UP, seeds=(0, 1))
    assert set(values(found).values()) == {1.0}
    assert {one.interval for one in found.precisions} == {(1.0, 1.0)}
    assert (found.coverage, found.tested, found.candidates, found.warning) == (1.0, (200, 200), N, "")
    assert all(one.found[0] == one.translations[0] for one in found.examples)


def test_unrelated_spaces_are_at_chance() -> None:
    other = embedding(GERMAN, GENERATOR.normal(size=(N, D)))
    found = translate(LEFT, other, Dictionary(PAIRS), LOOK_UP, seeds=range(5))
    for one in found.precisions:
        assert one.value < 4 * one.at / N
        assert one.sd is not None


def test_noise_costs_precision_and_the_interval_holds_the_value() -> None:
    noisy = embedding(GERMAN, MATRIX @ ROTATION + GENERATOR.normal(size=(N, D)))
    found = translate(LEFT, noisy, Dictionary(PAIRS), LOOK_UP, seeds=range(3))
    for one in found.precisions:
        assert one.interval is not None
        assert 0 < one.interval[0] < one.value < one.interval[1] <= 1
    at = values(found)
    assert all(at[method, 1] < at[method, 5] < at[method, 10] for method in METHODS)


def test_the_test_words_are_not_learnt_from() -> None:
    """Wrong pairs in the test half don't change the rotation: the training half is still translated."""
    found = translate(LEFT, ROTATED, Dictionary(PAIRS), LOOK_UP)
    tested = {word for word in ENGLISH if word in {one.word for one in found.examples}}
    wrong = tuple((a, GERMAN[-1 - i] if a in tested else b) for i, (a, b) in enumerate(PAIRS))
    again = translate(LEFT, ROTATED, Dictionary(wrong), LOOK_UP)
    assert [one.found[0] for one in again.examples] == [b for a, b in PAIRS if a in tested]
    assert values(again)["CSLS", 1] == pytest.approx(1 - len(tested) / 200)


def test_any_of_several_translations_is_right() -> None:
    both = tuple(pair for i, (a, b) in enumerate(PAIRS) for pair in ((a, b), (a, GERMAN[(i + 1) % N])))
    found = translate(LEFT, embedding(GERMAN, 3 * MATRIX @ ROTATION), Dictionary(both), LOOK_UP)
    assert (found.words, found.pairs, found.tested) == (N, 2 * N, (200,))
    assert values(found)["CSLS", 10] > 0.95
    assert {len(one.translations) for one in found.examples} == {2}


def test_unknown_words_are_left_out_and_counted_and_case_is_looked_up() -> None:
    lower = tuple((a.upper(), b.lower()) for a, b in PAIRS)
    unknown = (("nowhere", "Wort1"), ("word1", "nirgends"), ("nor", "this"))
    found = translate(LEFT, ROTATED, Dictionary(lower + unknown, several_words=7), LOOK_UP)
    assert (found.words, found.known, found.pairs, found.several_words) == (N + 3, N, N, 7)
    assert values(found)["CSLS", 1] == 1.0


def test_forms_that_are_one_word_of_the_file_are_one_word() -> None:
    found = translate(LEFT, ROTATED, Dictionary((*PAIRS, ("WORD1", "Wort1"))), LOOK_UP)
    assert (found.known, found.pairs, sum(found.tested)) == (N + 1, N, N // 2)


def test_later_words_than_the_first_ones_take_no_part() -> None:
    found = translate(LEFT, ROTATED, Dictionary(PAIRS), LOOK_UP, most_words=100)
    assert (found.known, found.candidates, found.tested) == (100, 100, (50,))


def test_of_two_forms_of_a_word_the_one_among_the_first_words_is_found() -> None:
    both = embedding([*ENGLISH, "Word3"], np.vstack([MATRIX, MATRIX[:1]]))
    pairs = (("Word3", "Wort3"), *PAIRS[:3], *PAIRS[4:])
    assert translate(both, ROTATED, Dictionary(pairs), LOOK_UP, most_words=N).known == N


def test_too_few_known_words_and_other_dimensions_are_reported() -> None:
    with pytest.raises(NoScore, match=r"words, 19 are in the first file .* the other way round"):
        translate(LEFT, ROTATED, Dictionary(PAIRS[:19] + tuple((b, a) for a, b in PAIRS)), LOOK_UP)
    with pytest.raises(InputError, match="12 and 11 dimensions"):
        translate(LEFT, embedding(GERMAN, MATRIX[:, :11]), Dictionary(PAIRS), LOOK_UP)


def test_a_rotation_that_few_pairs_leave_open_is_warned_of() -> None:
    found = translate(LEFT, ROTATED, Dictionary(PAIRS[:22]), LOOK_UP)
    assert found.warning == "11 pairs do not determine a rotation of 12 dimensions."


@pytest.mark.parametrize(("most", "warned"), [(100, True), (N + 1, False)])
def test_first_words_that_are_alphabetical_are_warned_of(most: int, warned: bool) -> None:
    left, right = (embedding(sorted(words), MATRIX) for words in (ENGLISH, GERMAN))
    found = translate(left, right, Dictionary(PAIRS), LOOK_UP, most_words=most)
    assert ("are in alphabetical order" in found.warning) == warned


def test_the_command_prints_tables_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, one in (("en", LEFT), ("de", ROTATED)):
        rows = (" ".join([w, *map(str, row)]) for w, row in zip(one.words, one.matrix.tolist(), strict=True))
        (tmp_path / f"{name}.txt").write_text("\n".join(rows) + "\n")
    (tmp_path / "en-de.txt").write_text("\n".join(map("\t".join, (*PAIRS, ("no where", "nirgends")))))
    command = ["translate", *(str(tmp_path / f"{name}.txt") for name in ("en", "de"))]
    command += ["--dictionary", str(tmp_path / "en-de.txt")]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "400 of 400 words known with a translation (100.0 %); left out for terms of several words: 1" in printed
    assert "CSLS, precision at 10" in printed
    assert main([*command, "--json", "--seeds", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["seeds"], found["precisions"][0]["value"], found["coverage"]) == ([0, 1], 1.0, 1.0)


def test_the_command_names_the_line_of_a_bad_dictionary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.txt").write_text("\nice cream Eis\n")
    command = ["translate", str(tmp_path / "bad.txt"), str(tmp_path / "bad.txt")]
    assert main([*command, "--dictionary", str(tmp_path / "bad.txt")]) == 2
    assert "Line 2 of the dictionary has 3 terms" in capsys.readouterr().err


DRAWS = np.random.default_rng(3)
QUERIES, CANDIDATES = (unit_rows(DRAWS.normal(size=(n, 6)).astype(np.float32)) for n in (70, 90))
RIGHT_ANSWERS = [DRAWS.choice(90, size=1 + i % 3, replace=False) for i in range(70)]


def cosine(x: int, y: int) -> float:
    return float(QUERIES[x] @ CANDIDATES[y])


def csls(x: int, y: int) -> float:
    """Conneau et al. (2018), equations 2 and 3, in plain Python."""
    return 2 * cosine(x, y) - mean_to_right(x) - mean_to_left(y)


def mean_of_ten(values: list[float]) -> float:
    return sum(sorted(values)[-10:]) / 10


@cache
def mean_to_right(x: int) -> float:
    return mean_of_ten([float(QUERIES[x] @ row) for row in CANDIDATES])


@cache
def mean_to_left(y: int) -> float:
    return mean_of_ten([float(CANDIDATES[y] @ row) for row in QUERIES])


def test_ranks_are_those_of_the_formulas() -> None:
    found = ranks(QUERIES, CANDIDATES, RIGHT_ANSWERS, hubness(CANDIDATES, QUERIES))
    for x, right in enumerate(RIGHT_ANSWERS):
        for column, score in enumerate((cosine, csls)):
            order = sorted(range(90), key=lambda y: -score(x, y))
            assert found[x, column] == min(order.index(y) for y in right)


def test_ranks_do_not_depend_on_blocks() -> None:
    """8,500 queries and 2,000 candidates need several blocks, in both directions of hubness."""
    queries, candidates = (unit_rows(DRAWS.normal(size=(n, 4)).astype(np.float32)) for n in (8_500, 2_000))
    cosines = queries @ candidates.T
    of_queries, of_candidates = (np.sort(of)[:, -10:].mean(axis=1) for of in (cosines, cosines.T))
    assert hubness(queries, candidates) == pytest.approx(of_queries, abs=1e-6)
    assert hubness(candidates, queries) == pytest.approx(of_candidates, abs=1e-6)
    right = DRAWS.integers(2_000, size=8_500)
    found = ranks(queries, candidates, list(right[:, None]), of_candidates)
    for method, scores in enumerate((cosines, 2 * cosines - of_candidates)):
        of_right = scores[np.arange(8_500), right][:, None]
        np.testing.assert_array_equal(found[:, method], (scores > of_right).sum(axis=1))


def test_hubs_come_first_by_cosine_and_not_by_csls() -> None:
    """Candidate 0 is near every query, and nearer to query 0 than its own translation."""
    queries = unit_rows(np.array([[1, 0.1, 0], [1, -0.1, 0], [1, 0, 0.1], [1, 0, -0.1]], dtype=np.float32))
    candidates = unit_rows(np.array([[1, 0, 0], [1, 0.3, 0]], dtype=np.float32))
    hubs = hubness(candidates, queries, count=2)
    assert ranks(queries[:1], candidates, [np.array([1])], hubs).tolist() == [[1, 0]]
    assert nearest(queries[:1], candidates, hubs, 3).tolist() == [[1, 0]]


def test_of_equal_scores_the_first_in_the_file_comes_first() -> None:
    candidates = np.array([[0, 1], [1, 0], [1, 0], [1, 0]], dtype=np.float32)
    query, hubs = np.array([[1, 0]], dtype=np.float32), np.zeros(4, dtype=np.float32)
    for right, place in (([1], 0), ([2], 1), ([3], 2), ([3, 2], 1), ([0], 3)):
        assert ranks(query, candidates, [np.array(right)], hubs).tolist() == [[place, place]]


def test_fewer_neighbours_than_csls_asks_for_are_all_taken() -> None:
    rows = np.eye(2, dtype=np.float32)
    np.testing.assert_allclose(hubness(rows, rows), [0.5, 0.5])


def test_blanks_and_tabs_separate_terms_and_a_pair_counts_once() -> None:
    text = "\ufeffcat Katze\r\ncat\tKater\n\n  cat   Katze \nשלום سلام\n猫 แมว"
    found = read_dictionary(text_of(text.encode(), "the dictionary", field="dictionary"))
    assert found.pairs == (("cat", "Katze"), ("cat", "Kater"), ("שלום", "سلام"), ("猫", "แมว"))


def test_terms_of_several_words_are_left_out_and_counted() -> None:
    found = read_dictionary("ice cream\tEis\npotato\tpomme de terre\ncat\tchat\n")
    assert (found.pairs, found.several_words) == ((("cat", "chat"),), 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\nice cream Eis\n", "Line 2 of the dictionary has 3 terms instead of two"),
        (b"\n\ncat\n", "Line 3 of the dictionary has 1 term instead of two. .* a space, tab, comma or semicolon"),
        (b"a\tb\tc\n", "Line 1 of the dictionary has 3 terms"),
        (b"cat Katze\ncaf\xe9 Kaffee\n", "Line 2 of the dictionary is not UTF-8"),
        (b"cat " + b"x" * (LONGEST + 1), "line 1 of the dictionary is longer than 200"),
        (b"\n \n", "no pair of single words"),
        (b"ice cream\tEis\n", "no pair of single words"),
    ],
)
def test_a_bad_dictionary_is_refused_with_its_line(text: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        read_dictionary(text_of(text, "the dictionary", field="dictionary"))
    assert refused.value.field == "dictionary"


@pytest.mark.parametrize("odd", ["ice cream Eis", "cat", "a\tb\tc", "cat " + "x" * (LONGEST + 1)])
def test_an_odd_line_is_left_out_counted_and_named(odd: str) -> None:
    found = read_dictionary(f"cat Katze\n{odd}\ndog Hund")
    assert found.pairs == (("cat", "Katze"), ("dog", "Hund"))
    assert re.match("Lines left out: 1. .*ine 2 of the dictionary", found.left_out)


def test_a_dictionary_over_the_limit_is_refused_at_the_line_that_is_too_many() -> None:
    assert len(read_dictionary("a x\na x\nb y\n", most_pairs=2).pairs) == 2
    with pytest.raises(InputError, match="more than 2 pairs, the limit; line 4"):
        read_dictionary("a x\na x\nb y\nc z\n", most_pairs=2)
