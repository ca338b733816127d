"""The languages of a suite as a command prints them, and as the documentation counts them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tasks.cli import main
from tasks.languages import LANGUAGES, RIGHT_TO_LEFT, direction

DOCS = Path(__file__).resolve().parents[2] / "docs" / "languages.md"


def test_languages_and_their_tasks_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["languages"]) == 0
    printed = capsys.readouterr().out
    assert "German (de)\n  sim-simlex-999-de," in printed
    assert max(map(len, printed.splitlines())) <= 110


def test_the_documentation_counts_what_the_command_lists(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["languages", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    page = DOCS.read_text()
    groups_only = [language for language, tasks in found.items() if tasks == ["odd-one-out"]]
    assert f"| English | {len(found['en'])}, among them" in page
    assert f"| {len(groups_only)} others | word groups |" in page
    of = {language: {task.partition("-")[0] for task in tasks} for language, tasks in found.items()}
    assert of["de"] == {"sim", "odd", "political"}
    assert (len(found["it"]), len(found["ru"]), found["es"]) == (7, 5, ["odd-one-out", "political-es"])


def test_directions_are_of_known_languages() -> None:
    assert set(LANGUAGES) > RIGHT_TO_LEFT
    assert [direction(code) for code in ("ar", "he", "ja", "th", "en")] == ["rtl", "rtl", "ltr", "ltr", "ltr"]
