"""Ranking correlation: golden values, brute force, edge cases; ``python -m tasks compare``: JSON, table, refusals."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from tasks.cli import main
from tasks.errors import NoScore
from tasks.formats.text_blocks import write_text
from tasks.political.compare import (
    all_cue_pearson,
    compare,
    compare_pair,
    cue_correlations,
    distribution,
    histogram,
    moved,
)
from tasks.political.cues import ENGLISH
from tasks.political.vocabulary import common_vocabulary
from tasks.vectors import Embedding
from tests.tasks.made import embedding, random_embedding, words

Golden = tuple[Embedding, Embedding, dict[str, Any]]


def brute_force(left: Embedding, right: Embedding) -> np.ndarray[Any, Any]:
    """Pearson correlation of every row of the two V × V matrices of cosines."""
    units = [side.matrix / np.linalg.norm(side.matrix.astype(float), axis=1, keepdims=True) for side in (left, right)]
    a, b = (unit @ unit.T for unit in units)
    return np.array([pearsonr(a[i], b[i]).statistic for i in range(len(a))])


@pytest.mark.data
def test_pearson_and_spearman_of_every_political_cue_are_those_of_the_golden_file(golden: Golden) -> None:
    left, right, expected = golden
    found = cue_correlations(common_vocabulary(left, right), ENGLISH.words)
    for cue, figures in expected["cues"].items():
        if figures is None:
            assert found[cue] is None
            continue
        got = found[cue]
        assert got is not None
        assert (got["pearson"], got["spearman"]) == pytest.approx((figures["pearson"], figures["spearman"]), abs=1e-5)


@pytest.mark.data
def test_pearson_over_all_words_is_that_of_the_golden_file(golden: Golden) -> None:
    left, right, expected = golden
    common = common_vocabulary(left, right)
    figures = distribution(all_cue_pearson(common))
    assert figures is not None
    assert figures["n"] == len(common) == expected["common_words"]
    got = {name: figures[name] for name in ("mean", "sd", "min", "max")}  # type: ignore[literal-required]
    assert got == pytest.approx(expected["all_cues_pearson"], abs=1e-5)


def test_the_identity_equals_brute_force_with_different_dimensions_and_orders_of_words() -> None:
    left = random_embedding(words(300), seed=0, dimensions=5)
    order = np.random.default_rng(1).permutation(300)
    matrix = np.hstack([left.matrix, np.random.default_rng(2).standard_normal((300, 7))])
    right = embedding([left.words[i] for i in order], matrix[order])
    found = all_cue_pearson(common_vocabulary(left, right))
    expected = brute_force(left, embedding(list(left.words), matrix))
    assert found == pytest.approx(expected, abs=1e-9)


def test_the_identity_holds_where_all_vectors_point_nearly_the_same_way() -> None:
    shift = 50 * np.ones(6)
    left, right = (embedding(words(250), random_embedding(words(250), s, 6).matrix + shift) for s in (3, 4))
    assert all_cue_pearson(common_vocabulary(left, right)) == pytest.approx(brute_force(left, right), abs=1e-5)


@pytest.mark.parametrize(("spread", "share"), [(0.0, 0), (1e-6, 0), (1e-4, 0), (0.025, 0.5), (0.2, 1)])
def test_cosines_that_hardly_vary_have_the_figure_of_brute_force_or_none(spread: float, share: float) -> None:
    left = random_embedding(words(250), 3)
    right = embedding(words(250), spread * random_embedding(words(250), 4).matrix + np.arange(1, 9))
    common = common_vocabulary(left, right)
    every, one_by_one = all_cue_pearson(common), cue_correlations(common, words(250))
    defined = np.isfinite(every)
    assert defined.mean() == pytest.approx(share, abs=0.49 if share == 0.5 else 0)
    if share:
        assert every[defined] == pytest.approx(brute_force(left, right)[defined], abs=1e-5)
    assert [one_by_one[word] is not None for word in words(250)] == defined.tolist()


def test_one_cue_has_the_coefficients_of_scipy_itself_included() -> None:
    left, right = random_embedding(words(220), 5), random_embedding(words(220), 6)
    a, b = ((u := e.matrix / np.linalg.norm(e.matrix.astype(float), axis=1)[:, None]) @ u[7] for e in (left, right))
    found = cue_correlations(common_vocabulary(left, right), ["w7"], kendall=True)["w7"]
    assert found is not None
    expected = (pearsonr(a, b).statistic, spearmanr(a, b).statistic, kendalltau(a, b).statistic)
    assert (found["pearson"], found["spearman"], found["kendall"]) == pytest.approx(expected)


def test_a_rotation_and_a_scale_change_nothing() -> None:
    left = random_embedding(words(300), 0)
    rotation, _ = np.linalg.qr(np.random.default_rng(9).standard_normal((8, 8)))
    right = embedding(list(left.words), 100 * left.matrix @ rotation)
    assert all_cue_pearson(common_vocabulary(left, right)) == pytest.approx(np.ones(300), abs=1e-6)


def test_a_cue_that_one_side_does_not_know_has_no_figure() -> None:
    left = random_embedding([*words(250), "war"], 0)
    found = cue_correlations(common_vocabulary(left, random_embedding(words(250), 1)), ["war", "peace", "w1"])
    assert found["war"] is None
    assert found["peace"] is None
    assert found["w1"] is not None


def test_a_cue_of_another_script_is_found_and_an_accent_may_be_missing() -> None:
    vocabulary = [*words(250), "民主", "inmigracion"]
    common = common_vocabulary(random_embedding(vocabulary, 0), random_embedding(vocabulary, 1))
    assert None not in cue_correlations(common, ["民主", "inmigración"]).values()


def test_a_zero_vector_has_no_figure_and_is_left_out_of_the_mean() -> None:
    left, right = random_embedding(words(250), 0), random_embedding(words(250), 1)
    left.matrix[4] = 0
    common = common_vocabulary(left, right)
    correlations = all_cue_pearson(common)
    assert np.flatnonzero(np.isnan(correlations)).tolist() == [4]
    assert distribution(correlations)["n"] == 249  # type: ignore[index]
    assert cue_correlations(common, ["w4"]) == {"w4": None}


def test_fewer_than_two_hundred_common_words_are_refused_with_the_reason() -> None:
    with pytest.raises(NoScore, match="199 words in common; a comparison needs at least 200"):
        common_vocabulary(random_embedding(words(199), 0), random_embedding(words(300), 1))


def test_the_words_that_moved_most_and_least_come_in_order() -> None:
    found = moved(["a", "b", "c", "d"], np.array([0.5, np.nan, -0.2, 0.9]), count=2)
    assert [item["word"] for item in found["most"]] == ["c", "a"]
    assert [item["word"] for item in found["least"]] == ["d", "a"]


def test_a_single_figure_has_no_spread() -> None:
    figures = distribution(np.array([0.4, np.nan]))
    assert figures is not None
    assert (figures["mean"], figures["sd"], figures["se"], figures["n"]) == (0.4, None, None, 1)


def test_the_histogram_counts_every_figure_once() -> None:
    shape = histogram(np.array([-1.0, 0.0, 1.0, np.nan]))
    assert sum(shape["counts"]) == 3
    assert len(shape["edges"]) == len(shape["counts"]) + 1


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Two files of different dimensions with nine of the ten political cues and a word in another script."""
    cues = ["democracy", "freedom", "equality", "justice", "immigration", "welfare", "taxes", "republican", "democrat"]
    paths = []
    for name, dimensions in (("a", 6), ("b", 9)):
        vectors = random_embedding([*words(300), *cues, "民主"], seed=dimensions, dimensions=dimensions)
        write_text(tmp_path / f"{name}.txt.gz", vectors.words, vectors.matrix)
        paths.append(str(tmp_path / f"{name}.txt.gz"))
    return paths


def json_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["compare", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]


def test_the_json_has_every_part_of_its_description(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = json_of(capsys, *files)
    assert found["common_words"] == 310
    assert {"pearson", "spearman"} <= found["cues"]["democracy"].keys()
    assert found["all"]["n"] == 310
    assert {"mean", "sd", "min", "max"} <= found["all"].keys()
    assert found["random"]["n"] == 100
    assert list(found["jaccard"]["full"]) == list(found["jaccard"]["common"]) == ["5", "10", "25", "50", "100"]
    assert len(found["moved"]["most"]) == len(found["moved"]["least"]) == 20


def test_what_moved_most_is_below_what_moved_least(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = json_of(capsys, *files, "--cues", "all")
    most, least = ([word["pearson"] for word in found["moved"][end]] for end in ("most", "least"))
    assert most == sorted(most)
    assert least == sorted(least, reverse=True)
    assert (most[0], least[0]) == (found["all"]["min"], found["all"]["max"])
    assert (found["cues"], found["random"], found["jaccard"]) == ({}, None, None)


def test_identical_files_agree_in_every_figure(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = json_of(capsys, files[0], files[0])
    assert found["identical"]
    assert found["all"]["min"] == pytest.approx(1.0)
    assert found["cue_set"]["mean"] == pytest.approx(1.0)
    assert set(found["jaccard"]["full"].values()) == {1.0}


def test_a_word_of_zeros_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vectors = random_embedding([*words(300), "freedom"], 0)
    matrix = vectors.matrix.copy()
    matrix[300] = 0
    paths = [tmp_path / f"{name}.txt" for name in "ab"]
    for path, numbers in zip(paths, (vectors.matrix, matrix), strict=True):
        write_text(path, vectors.words, numbers)
    found = json_of(capsys, *map(str, paths), "--cues", "political-en,all")
    assert found["cues"]["freedom"] is None
    assert (found["all"]["n"], found["all"]["undefined"]) == (300, 0)


def test_an_unknown_cue_is_null_left_out_of_the_mean_and_named(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = json_of(capsys, *files, "--cues", "political-en")
    assert found["cues"]["abortion"] is None
    assert (found["cue_set"]["n"], found["cue_set"]["unknown"]) == (9, ["abortion"])
    known = [figures["pearson"] for figures in found["cues"].values() if figures]
    assert found["cue_set"]["mean"] == pytest.approx(sum(known) / 9)


def test_two_spellings_of_one_word_count_once(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    once, twice = (json_of(capsys, *files, "--words", cues) for cues in ("taxes,welfare", "taxes,Taxes,táxes,welfare"))
    assert twice["cue_set"] == once["cue_set"]
    assert twice["jaccard"] == once["jaccard"]
    assert twice["cues"]["Taxes"] == twice["cues"]["taxes"] == once["cues"]["taxes"]


def test_only_the_sets_that_were_asked_for_are_computed(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = json_of(capsys, *files, "--cues", "random")
    assert (found["cues"], found["all"], found["moved"]) == ({}, None, None)
    assert found["random"]["n"] == 100


def test_the_table_names_an_unknown_cue(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *files]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("abortion"))
    assert "out of vocabulary in one or both" in line


def test_an_unknown_set_is_refused_with_the_known_ones(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *files, "--cues", "political-fi"]) == 2
    assert "political-en, political-es, political-de, random, all" in capsys.readouterr().err


def test_no_known_cue_and_nothing_else_give_no_comparison() -> None:
    left, right = random_embedding(words(300), 0), random_embedding(words(300), 1)
    with pytest.raises(NoScore, match="None of the 1 cues"):
        compare(left, right, ["peace"], random=False, every=False)


def test_a_cell_of_a_heat_map_is_a_figure_or_has_a_reason() -> None:
    entries = [random_embedding(words(300), 0), random_embedding(words(300), 1), random_embedding(words(100), 2)]
    cells = [compare_pair(*pair, None) for pair in combinations(entries, 2)]
    assert [cell.pearson is None for cell in cells] == [False, True, True]
    assert "at least 200" in cells[1].reason
