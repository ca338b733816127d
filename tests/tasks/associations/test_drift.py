"""Alignment and change against what is known: rotations, moved words, brute force."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tasks.associations.alignment import centred_unit_rows, procrustes
from tasks.associations.drift import drift, neighbour_change
from tasks.cli import main
from tasks.errors import InputError
from tasks.vectors import Embedding

WORDS = [f"word{i}" for i in range(300)]
GENERATOR = np.random.default_rng(0)
MATRIX = GENERATOR.normal(size=(300, 8)).astype(np.float32)
ROTATION = np.linalg.qr(GENERATOR.normal(size=(8, 8)))[0].astype(np.float32)


def embedding(matrix: np.ndarray, words: list[str] = WORDS) -> Embedding:
    return Embedding("made", words, matrix.astype(np.float32), "made")


def moved() -> np.ndarray:
    """Rotated, moved in the whole, and with three words in other places."""
    matrix = MATRIX @ ROTATION + 2
    matrix[[7, 8, 9]] = GENERATOR.normal(size=(3, 8)) + 2
    return matrix


def test_a_rotation_is_found_again() -> None:
    left = centred_unit_rows(MATRIX)
    np.testing.assert_allclose(procrustes(left, left @ ROTATION), ROTATION, atol=1e-4)
    np.testing.assert_allclose(procrustes(left, left @ ROTATION, np.arange(300.0)), ROTATION, atol=1e-4)


def test_words_that_moved_are_named_whatever_the_rotation_and_the_mean() -> None:
    found = drift(embedding(MATRIX), embedding(moved()), ["word8", "word100", "nowhere"])
    assert set(list(found.most)[:3]) == {"word7", "word8", "word9"}
    assert set(list(found.most_by_neighbours)[:3]) == {"word7", "word8", "word9"}
    assert found.median < 0.05
    assert found.words["nowhere"] is None
    asked, still = found.words["word8"], found.words["word100"]
    assert asked is not None
    assert still is not None
    assert asked.change > 10 * still.change
    assert asked.interval is not None
    assert asked.interval[0] < asked.change < asked.interval[1]


def test_the_floor_is_what_another_run_changes() -> None:
    noisy = embedding(MATRIX + 0.2 * GENERATOR.normal(size=MATRIX.shape))
    found = drift(embedding(MATRIX), embedding(moved()), again=noisy)
    assert found.floor is not None
    assert found.above_floor == pytest.approx(3 / 300)


def test_change_of_neighbours_is_that_of_brute_force() -> None:
    left, right = centred_unit_rows(MATRIX), centred_unit_rows(moved())
    found = neighbour_change(left, right, np.array([0, 8, 250]), count=20)
    for place, value in zip((0, 8, 250), found, strict=True):
        sets = [set(sorted(set(range(300)) - {place}, key=lambda i: -(s[place] @ s[i]))[:20]) for s in (left, right)]
        assert value == pytest.approx(1 - len(sets[0] & sets[1]) / len(sets[0] | sets[1]))


def test_other_dimensions_are_an_error() -> None:
    with pytest.raises(InputError, match="8 and 7 dimensions"):
        drift(embedding(MATRIX), embedding(MATRIX[:, :7]))


def test_the_command_prints_tables_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, matrix in (("a", MATRIX), ("b", moved())):
        lines = (f"{w} {' '.join(f'{x:.4f}' for x in row)}" for w, row in zip(WORDS, matrix, strict=True))
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    command = ["drift", str(tmp_path / "a.txt"), str(tmp_path / "b.txt"), "--words", "word8", "--floor"]
    assert main([*command, str(tmp_path / "b.txt")]) == 0
    assert "Asked for" in capsys.readouterr().out
    assert main([*command, str(tmp_path / "b.txt"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["words"]["word8"]["change"] > 0.2
