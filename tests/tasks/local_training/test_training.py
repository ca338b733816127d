"""Training on a corpus: counts and windows, documents drawn with replacement, ``python -m tasks train``."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from extensions.shared.measure.corpora import corpus, documents_corpus
from tasks.baseline.counting import cooccurrences, encode, whole_weights
from tasks.cli import main
from tasks.datasets.examples import Document
from tasks.datasets.store import DataStore
from tasks.formats import read
from tasks.local_training.corpora import words_only


def test_a_harmonic_weight_is_one_over_the_distance() -> None:
    counts = cooccurrences(encode(["a b c d"], minimum_count=1, gap=12), window=12, weighting="harmonic").toarray()
    assert counts[0].tolist() == pytest.approx([0, 1, 1 / 2, 1 / 3])


def test_a_wider_window_never_reaches_into_the_next_line() -> None:
    counts = cooccurrences(encode(["a b", "c d"], minimum_count=1, gap=12), window=12, weighting="harmonic").toarray()
    assert counts[0].tolist() == [0, 1, 0, 0]


def test_a_window_of_one_sees_neighbours_only() -> None:
    assert cooccurrences(encode(["a b c"], minimum_count=1), window=1).toarray()[0].tolist() == [0, 1, 0]


def test_it_refuses_a_window_wider_than_the_gap_between_lines() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        cooccurrences(encode(["a b"], minimum_count=1), window=6)


@pytest.mark.parametrize("weighting", ["linear", "harmonic"])
def test_weights_are_whole_numbers_so_that_sums_are_exact(weighting: str) -> None:
    weights, unit = whole_weights(12, weighting)  # type: ignore[arg-type]
    assert weights[0] == unit
    assert all(isinstance(weight, int) and weight > 0 for weight in weights)


def test_documents_are_drawn_whole_and_with_replacement() -> None:
    documents = [Document(str(i), "", f"first {chr(97 + i)}\nsecond {chr(97 + i)}") for i in range(20)]
    text = documents_corpus("letters", "Letters", "none", documents)
    lines = list(text.resampled(1).read())
    assert lines == list(text.resampled(1).read())
    assert lines != list(text.resampled(2).read())
    assert len(lines) == 40
    counts = Counter(lines)
    for letter in (chr(97 + i) for i in range(20)):
        assert counts[f"first {letter}"] == counts[f"second {letter}"]
    assert max(counts.values()) > 1
    assert text.resampled(1).title == "Letters, documents resampled"


def test_runs_of_the_command_have_documents_of_their_own(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    words = [f"word{chr(97 + i)}" for i in range(26)]
    source = tmp_path / "text.txt"
    source.write_text("\n".join(" ".join(generator.choice(words, 12)) for _ in range(300)) + "\n")
    options = ["--dimensions", "5", "--iterations", "1", "--runs", "2", "--processes", "1", "--out", str(tmp_path)]
    assert main(["train", str(source), "--algorithm", "glove", "--resample", "documents", *options]) == 0
    files = sorted(tmp_path.glob("*.txt.gz"))
    assert [file.name for file in files] == [f"text-glove-w6-d5-resampled-run{i}.txt.gz" for i in (1, 2)]
    plain = corpus(str(source), DataStore.default())
    assert Counter(plain.resampled(1).read()) != Counter(plain.resampled(2).read())


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """A text of 150 words, each above the minimum count."""
    generator = np.random.default_rng(0)
    names = [chr(97 + i // 26) + chr(97 + i % 26) + "x" for i in range(150)]
    lines = [" ".join(names[i] for i in generator.integers(0, 150, 30)) + ", 7 ." for _ in range(200)]
    path = tmp_path / "speech.txt"
    path.write_text("\n".join(lines))
    return path


def train(text: Path, out: Path, *options: str) -> int:
    return main(["train", str(text), "--dimensions", "6", "--iterations", "2", "--out", str(out), *options])


@pytest.mark.parametrize("algorithm", ["skip-gram", "cbow", "fasttext", "glove"])
def test_every_algorithm_writes_a_readable_file_with_its_criteria(algorithm: str, text: Path, tmp_path: Path) -> None:
    assert train(text, tmp_path, "--algorithm", algorithm, "--window", "3") == 0
    vectors = read(tmp_path / f"speech-{algorithm}-w3-d6.txt.gz")
    criteria = json.loads((tmp_path / f"speech-{algorithm}-w3-d6.json").read_text())
    assert (len(vectors.words), vectors.dimensions) == (150, 6)
    assert {"corpus", "window", "dimensions", "minutes", "licence", "seed"} <= criteria.keys()
    assert (criteria["iterations"], criteria["tokens"], criteria["algorithm"]) == (2, 6_000, algorithm)
    assert (criteria["loss"] is None) == (algorithm == "fasttext")


def test_runs_differ_in_their_seed_and_a_seed_means_the_same_file(text: Path, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        assert train(text, tmp_path / folder, "--algorithm", "glove", "--runs", "2", "--processes", "1") == 0
    first, second = (f"speech-glove-w6-d6-run{run}.txt.gz" for run in (1, 2))
    assert (tmp_path / "a" / first).read_bytes() == (tmp_path / "b" / first).read_bytes()
    assert (tmp_path / "a" / first).read_bytes() != (tmp_path / "a" / second).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["skip-gram", "glove"])
def test_runs_side_by_side_give_the_files_of_one_after_the_other(
    algorithm: str, text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    how = ("--algorithm", algorithm, "--runs", "2")
    assert train(text, tmp_path / "a", *how, "--processes", "1") == 0
    assert train(text, tmp_path / "b", *how, "--processes", "2") == 0
    for run in (1, 2):
        name = f"speech-{algorithm}-w6-d6-run{run}.txt.gz"
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert capsys.readouterr().out.count("-run2.txt.gz") == 2


def test_skip_gram_repeats_bit_for_bit(text: Path, tmp_path: Path) -> None:
    assert train(text, tmp_path / "a") == train(text, tmp_path / "b") == 0
    files = [(tmp_path / folder / "speech-skip-gram-w6-d6.txt.gz").read_bytes() for folder in "ab"]
    assert files[0] == files[1]


def test_punctuation_is_kept_only_when_asked_for(text: Path, tmp_path: Path) -> None:
    assert train(text, tmp_path, "--punctuation", "--algorithm", "glove") == 0
    assert {",", ".", "0"} < set(read(tmp_path / "speech-glove-w6-d6.txt.gz").words)


def test_tokens_without_a_letter_are_dropped_and_words_of_any_script_stay() -> None:
    assert list(words_only(["the 00 , 民主 o'clock", "0 ."])) == ["the 民主 o'clock"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--runs", "21"], "runs must be from 1 to 20"),
        (["--window", "0"], "window must be from 1 to 100"),
        (["--minimum-count", "100000"], "No word occurs 100000 times"),
    ],
)
def test_it_refuses_settings_that_train_nothing(
    options: list[str], said: str, text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(text, tmp_path, "--algorithm", "glove", *options) == 2
    assert said in capsys.readouterr().err


def test_it_names_the_collections_when_there_is_no_such_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "nowhere.txt"]) == 2
    assert "inaugural" in (said := capsys.readouterr().err)
    assert "wiki-corpus" in said
