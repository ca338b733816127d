"""Is a file ready? What could not be compared is reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vecboard.cli import main


@pytest.fixture
def no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after ``pip install``: nothing was fetched."""
    monkeypatch.setenv("VECBOARD_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("VECBOARD_DATA_MIRROR", str(tmp_path / "mirror"))


@pytest.mark.usefixtures("no_data")
def test_tasks_whose_data_is_not_there_are_reported_beside_the_answer(
    vector_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(vector_file), "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["ready"] is True
    assert "tasks of open-2026, whose data is not on this machine" in printed.err
    assert "pos, chunk, " in printed.err


@pytest.mark.usefixtures("no_data")
def test_with_all_data_present_nothing_is_reported(vector_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(vector_file), "--suite", "demo"]) == 0
    assert "Not compared" not in capsys.readouterr().err


@pytest.mark.usefixtures("no_data")
def test_a_file_that_is_not_ready_says_only_that(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "nowhere.gz")]) == 2
    assert "Not compared" not in capsys.readouterr().err
