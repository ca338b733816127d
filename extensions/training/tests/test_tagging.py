"""Tagging a corpus: half of the occurrences of each chosen word, and the command."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from extensions.training.measure.tagging import tagged_lines, tagging
from tasks.cli import main
from tasks.errors import InputError

LINES = [" ".join(f"word{chr(97 + (i * k) % 26)}" for k in range(20)) for i in range(200)]


def lines() -> Iterator[str]:
    return iter(LINES)


def test_half_of_the_occurrences_of_each_chosen_word_are_marked() -> None:
    before = Counter(" ".join(LINES).split())
    chosen = tagging(lines, count=5)
    after = Counter(" ".join(tagged_lines(lines, chosen)).split())
    assert len(chosen) == 5
    for word in chosen:
        assert after[f"{word}_tp"] == before[word] // 2
        assert after[word] + after[f"{word}_tp"] == before[word]


def test_a_seed_means_the_same_marks() -> None:
    once, again, other = (list(tagged_lines(lines, tagging(lines, count=5, seed=s))) for s in (1, 1, 2))
    assert once == again != other


def test_removing_the_marks_gives_the_text_back() -> None:
    assert [line.replace("_tp", "") for line in tagged_lines(lines, tagging(lines, count=5))] == LINES


def test_words_too_rare_for_two_vectors_are_not_chosen() -> None:
    with pytest.raises(InputError, match="100 are needed"):
        tagging(lines, count=100)


def test_it_refuses_a_corpus_that_is_tagged_already() -> None:
    with pytest.raises(InputError, match="already"):
        tagging(lambda: iter(["war war_tp"]))


def test_the_command_writes_the_text_and_the_words(tmp_path: Path) -> None:
    source = tmp_path / "text.txt"
    source.write_text("\n".join(LINES))
    out = tmp_path / "tagged.txt"
    assert main(["tag", str(source), "--out", str(out), "--words", "3"]) == 0
    chosen = json.loads((tmp_path / "tagged.txt.words.json").read_text())["words"]
    assert {token for token in out.read_text().split() if token.endswith("_tp")} == {f"{word}_tp" for word in chosen}
