"""``python -m tasks associate`` with one's own lists."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from extensions.associations.measure.word_lists import (
    MOST_WORDS,
    POLITICAL_TESTS,
    read_list,
    shipped_list,
    shipped_names,
    source_of,
)
from tasks.cli import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A vector file and four lists; x leans towards a, y towards b."""
    generator = np.random.default_rng(0)
    towards = {"x": [3, 0], "y": [0, 3], "a": [3, 0], "b": [0, 3], "other": [0, 0]}
    lines = []
    for kind, centre in towards.items():
        words = [f"{kind}{i}" for i in range(100 if kind == "other" else 6)]
        for word in words:
            numbers = generator.normal([*centre, 0, 0, 0])
            lines.append(" ".join([word, *(f"{number:.4f}" for number in numbers)]))
        (tmp_path / f"{kind}.txt").write_text("\n".join([*words, "", words[0]]) + "\n")
    (tmp_path / "vectors.txt").write_text("\n".join(lines) + "\n")
    return tmp_path


def lists(folder: Path, *names: str) -> list[str]:
    x, y, a, b = (str(folder / f"{name}.txt") for name in names)
    return ["--targets", x, y, "--attributes", a, b]


def test_own_lists_as_json_and_as_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["associate", str(folder / "vectors.txt"), *lists(folder, *"xyab")]
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"d", "p", "interval", "partitions", "exact", "words", "missing", "single"}
    assert found["d"] > 1
    assert found["p"] < 0.01
    assert found["partitions"] == 924
    assert found["words"]["x.txt"] == [f"x{i}" for i in range(6)]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "x.txt and" in shown
    assert "Ethayarajh" in shown


def test_half_of_the_lists_is_an_error_and_an_unknown_list_has_no_answer(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["associate", str(folder / "vectors.txt"), *lists(folder, *"xyab")]
    assert main(command[:5]) == 2
    assert "two of attributes" in capsys.readouterr().err
    (folder / "x.txt").write_text("nowhere\nx1\nx2\n")
    assert main(command) == 1
    assert "nowhere" in capsys.readouterr().out


def refused(folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["associate", str(folder / "vectors.txt"), *arguments]) == 2
    return capsys.readouterr().err


def test_a_list_that_is_not_utf8_names_file_and_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.txt").write_bytes("eins\nfünf\n".encode("latin-1"))
    assert "Line 2 of a.txt is not UTF-8" in refused(folder, capsys, *lists(folder, *"xyab"))


@pytest.mark.parametrize(
    "text", ["king\nqueen\n", "king;queen;;\r\n", "# a\nking\tqueen\n", '"king","queen"\n\u200b\n']
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_list_is_read_as_spreadsheets_save_it(tmp_path: Path, text: str, encoding: str) -> None:
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    assert read_list(tmp_path / "a.txt", "a").words == ("king", "queen")


def test_a_list_that_is_too_long_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "b.txt").write_text("\n".join(f"w{i}" for i in range(MOST_WORDS + 1)))
    assert f"b.txt has more than {MOST_WORDS} words" in refused(folder, capsys, *lists(folder, *"xyab"))


@pytest.mark.parametrize("content", ["w" * 300_000, "ä" * 200_000, "w\n" * 150_000])
def test_a_file_that_is_too_large_is_an_error_whatever_it_holds(
    content: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "b.txt").write_text(f"w{content}", encoding="utf-8")
    assert "b.txt is larger than 200 kB" in refused(folder, capsys, *lists(folder, *"xyab"))


def test_lists_of_one_name_in_two_folders_keep_their_paths(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "more").mkdir()
    other = folder / "more" / "x.txt"
    other.write_text((folder / "y.txt").read_text())
    x, _, a, b = (str(folder / f"{name}.txt") for name in "xyab")
    command = ["associate", str(folder / "vectors.txt"), "--targets", x, str(other), "--attributes", a, b, "--json"]
    assert main(command) == 0
    assert set(json.loads(capsys.readouterr().out)["words"]) == {x, str(other), "a.txt", "b.txt"}


def test_political_lists_and_tests_have_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["associate", str(folder / "vectors.txt")]
    assert main([*command, "--test", "parties-morality", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert "democrat" in found["parties-morality"]["missing"]
    shipped = ["--targets", "democrats", "republicans", "--attributes", "virtue", "vice"]
    assert main([*command, *shipped, "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == found["parties-morality"]
    assert "the tests are weat-1" in refused(folder, capsys, "--test", "parties")
    assert "There is no list 'whigs': give a file, or one of" in refused(
        folder, capsys, "--targets", "whigs", "democrats", "--attributes", "virtue", "vice"
    )


def test_every_political_list_has_a_source_and_every_test_four_distinct_lists() -> None:
    assert {name for test in POLITICAL_TESTS for name in test.lists} == set(shipped_names())
    for name in shipped_names():
        assert len(source_of(name)) > 80
        assert 8 <= len(shipped_list(name).words) <= 10
    for test in POLITICAL_TESTS:
        words = [word for one in test.question.lists for word in one.words]
        assert len(words) == len(set(words)), test.id
