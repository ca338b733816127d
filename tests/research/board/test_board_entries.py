from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmark.shipped.trained import TRAINED, TrainedEntry, make, place
from research.board.board_entries import UnknownEntry, board_entries, trained
from research.board.cli import main
from tasks.formats.reading import read
from tasks.formats.text_blocks import write_text
from tasks.suites import DEMO, OPEN_2026
from vecboard.public import PUBLIC


def test_the_board_has_every_algorithm_the_dimensions_and_both_controls() -> None:
    assert len(TRAINED) >= 12
    assert {r.algorithm for r in TRAINED} == {
        "skip-gram", "cbow", "fasttext", "glove", "svd-ppmi", "random", "shuffled",
    }  # fmt: skip
    assert {r.dimensions for r in TRAINED} == {50, 100, 300}
    assert len({r.id for r in TRAINED}) == len(TRAINED) == len({r.title for r in TRAINED})


def test_an_unknown_entry_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownEntry, match="glove-w10-d50"):
        trained("elmo")


def test_an_unknown_entry_gives_one_sentence_and_a_bug_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["vectors", "elmo"]) == 2
    assert capsys.readouterr().err.startswith("board: There is no entry 'elmo'")
    monkeypatch.setattr("research.board.cli.trained", lambda _: {}["nowhere"])
    with pytest.raises(KeyError):
        main(["vectors", "elmo"])


def test_the_board_of_a_suite_ends_with_the_public_entries_measured_with_it() -> None:
    assert board_entries(DEMO) == TRAINED
    public = board_entries(OPEN_2026)[len(TRAINED) :]
    assert [entry.id for entry in public] == [entry.id for entry in PUBLIC if entry.measured == OPEN_2026.id]
    assert "glove-6b-50d" in [entry.id for entry in public]


def test_published_vectors_are_not_trained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vectors", "glove-6b-50d"]) == 2
    assert "vecboard public glove-6b-50d" in capsys.readouterr().err


@pytest.fixture
def trained_file(tmp_path: Path) -> np.ndarray:
    """A stand-in for hours of training: the file from which a control is made, and its criteria."""
    matrix = np.random.default_rng(2).normal(1.0, 0.3, (400, 100)).astype(np.float32)
    made = place(TrainedEntry("skip-gram", 100, 5), tmp_path)
    write_text(made.vectors, [f"word{i}" for i in range(400)], matrix)
    made.criteria.write_text(
        '{"corpus": "c", "licence": "l", "algorithm": "skip-gram", "window": 5, "dimensions": 100, "minimum_count": 10,'
        ' "seed": 1, "tokens": 9, "words": 400, "loss": 0.1, "iterations": 5, "converged": null, "minutes": 1.0,'
        ' "processor_minutes": 1.0}'
    )
    return matrix


def test_shuffled_vectors_are_the_same_rows_for_other_words(trained_file: np.ndarray, tmp_path: Path) -> None:
    found = read(make(trained("shuffled-d100"), DEMO, tmp_path).vectors)
    assert sorted(map(bytes, np.asarray(found.matrix))) == sorted(map(bytes, trained_file))
    assert np.mean(np.all(found.matrix == trained_file, axis=1)) < 0.05


def test_random_vectors_have_the_words_and_scale_of_trained_ones_and_nothing_else(
    trained_file: np.ndarray, tmp_path: Path
) -> None:
    found = read(make(trained("random-d100"), DEMO, tmp_path).vectors)
    assert list(found.words) == [f"word{i}" for i in range(400)]
    assert found.moments.standard_deviation == pytest.approx(trained_file.std(), rel=0.02)
    assert abs(np.corrcoef(np.asarray(found.matrix).ravel(), trained_file.ravel())[0, 1]) < 0.02


def test_an_existing_file_is_not_made_again(trained_file: np.ndarray, tmp_path: Path) -> None:
    made = make(trained("random-d100"), DEMO, tmp_path)
    before = made.vectors.stat().st_mtime_ns
    assert make(trained("random-d100"), DEMO, tmp_path).vectors.stat().st_mtime_ns == before
