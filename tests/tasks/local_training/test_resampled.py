"""A corpus whose documents are drawn with replacement."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from tasks.cli import main
from tasks.datasets.examples import Document
from tasks.datasets.store import DataStore
from tasks.local_training.corpora import corpus, documents_corpus


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
