"""``python -m tasks associate`` with one's own lists."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

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
    assert found["words"][str(folder / "x.txt")] == [f"x{i}" for i in range(6)]
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
