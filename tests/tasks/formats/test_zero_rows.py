"""Rows of zeros, as HistWords writes for words that a decade lacks: every command treats their words as unknown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from extensions.associations.measure.word_lists import question_named
from tasks.cli import main
from tasks.datasets.store import DataStore
from tasks.formats.text_blocks import write_text
from tasks.suites import get
from tasks.word_list import words_for
from tasks.word_tasks import ASSOCIATION_TASKS

pytestmark = pytest.mark.data("weat")
Pair = Callable[[bool], list[str]]
DIMENSIONS, ABSENT = 10, 100


def _usual_words() -> list[str]:
    return words_for(get("demo"))().read_text(encoding="utf-8").split()[:2_000]


@pytest.fixture
def decades(tmp_path: Path) -> Pair:
    """Two decades, the later one a rotation of the earlier one with noise, as files with or without rows of zeros."""
    asked = [question_named(task.id, DataStore.default()) for task in ASSOCIATION_TASKS]
    words = list(dict.fromkeys(word for question in asked for one in question.lists for word in one.words))
    words += [word for word in _usual_words() if word not in words]
    random = np.random.default_rng(3)
    earlier = random.normal(size=(len(words), DIMENSIONS))
    turn, _ = np.linalg.qr(random.normal(size=(DIMENSIONS, DIMENSIONS)))
    later = earlier @ turn + 0.05 * random.normal(size=earlier.shape)
    absent = [random.choice(len(words), ABSENT, replace=False) for _ in range(2)]

    def written(with_zeros: bool) -> list[str]:
        paths = []
        for name, matrix, missing in zip(("a", "b"), (earlier, later), absent, strict=True):
            rows = matrix.astype(np.float32)
            rows[missing] = 0
            kept = range(len(words)) if with_zeros else np.setdiff1d(np.arange(len(words)), missing).tolist()
            folder = tmp_path / str(with_zeros)
            folder.mkdir(exist_ok=True)
            write_text(folder / f"{name}.txt", [words[nth] for nth in kept], rows[list(kept)])
            paths.append(str(folder / f"{name}.txt"))
        return paths

    return written


@pytest.mark.parametrize("command", ["drift", "compare", "translate", "associate"])
def test_a_command_finds_the_same_without_the_lines(
    command: str, decades: Pair, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dictionary = tmp_path / "dictionary.txt"
    words = _usual_words()
    dictionary.write_text("".join(f"{word} {word}\n" for word in words), encoding="utf-8")
    more = {
        "translate": ["--dictionary", str(dictionary)],
        "drift": ["--words", ",".join(words[:9])],
        "associate": ["--suite", "demo"],
    }.get(command, [])

    def found(with_zeros: bool) -> object:
        files = decades(with_zeros)[: 1 if command == "associate" else 2]
        status = main([command, *files, *more, "--json"])
        return status, json.loads(capsys.readouterr().out)

    assert found(with_zeros=True) == found(with_zeros=False)


def test_similarities_count_words_of_zeros_as_unknown(decades: Pair, tmp_path: Path) -> None:
    def score(with_zeros: bool) -> object:
        out = tmp_path / f"{with_zeros}.json"
        options = ["--suite", "demo", "--task", "sim-ws-353-all", "--out", str(out)]
        assert main(["evaluate", decades(with_zeros)[0], *options]) == 0
        (result,) = json.loads(out.read_text())["results"]
        return result["score"], result["coverage"]

    assert score(with_zeros=True) == score(with_zeros=False)


def test_drift_of_a_turned_decade_is_small_for_every_word(decades: Pair, capsys: pytest.CaptureFixture[str]) -> None:
    """With rows of zeros as vectors, absent words would have changed most, by more than 1."""
    assert main(["drift", *decades(True), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert max(one["change"] for one in found["most"].values()) < 0.1
