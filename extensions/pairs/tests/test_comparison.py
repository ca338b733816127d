"""``python -m tasks compare``: JSON, table, refusals; a cell of the heat map."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from extensions.pairs.measure.comparison import compare, compare_pair
from tasks.cli import main
from tasks.errors import NoScore
from tasks.formats.text_blocks import write_text
from tests.tasks.made import random_embedding, words


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
