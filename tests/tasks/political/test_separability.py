"""Tagging a corpus, and scores of tagged vectors."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tasks.cli import main
from tasks.errors import InputError, NoScore
from tasks.political import separability as module
from tasks.political.separability import mean_pair_cosine, separability, tagged_lines, tagging
from tests.tasks.made import embedding, words

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


def test_doubles_that_point_the_same_way_are_one_apart_from_chance() -> None:
    matrix = np.random.default_rng(0).standard_normal((600, 50))
    matrix[20:40] = 3 * matrix[:20]
    found = separability(embedding([*words(20), *(f"{w}_tp" for w in words(20)), *words(560, "x")], matrix), 10)
    assert found.same == pytest.approx(1.0, abs=1e-6)
    assert abs(found.random) < 0.05
    assert found.difference == pytest.approx(found.same - found.random)
    assert found.pairs == 20


def test_the_mean_over_all_pairs_is_that_of_brute_force(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = (np.random.default_rng(1).standard_normal((40, 5)) + 0.3).astype(np.float32)
    matrix[7] = 0
    rows = np.array([0, 3, 7, *range(10, 40)])
    pairs = [
        0.0 if 7 in (i, j) else float(matrix[i] @ matrix[j] / np.linalg.norm(matrix[i]) / np.linalg.norm(matrix[j]))
        for i in rows
        for j in rows
        if i != j
    ]
    assert mean_pair_cosine(matrix, rows) == pytest.approx(np.mean(pairs), abs=1e-7)
    monkeypatch.setattr(module, "_A_BLOCK", 4)
    assert mean_pair_cosine(matrix, rows) == pytest.approx(np.mean(pairs), abs=1e-7)


def test_tagged_words_are_not_among_the_other_words() -> None:
    generator = np.random.default_rng(2)
    matrix = generator.standard_normal((70, 4))
    found = separability(embedding([*words(10), *(f"{w}_tp" for w in words(10)), *words(50, "x")], matrix), 10)
    assert found.random == pytest.approx(mean_pair_cosine(matrix.astype(np.float32), np.arange(20, 70)), abs=1e-7)


def test_fewer_tagged_words_than_the_least_have_no_score() -> None:
    names = [*words(9), *(f"{w}_tp" for w in words(9)), *words(200, "x")]
    with pytest.raises(NoScore, match=r"^9 words in this file have a counterpart ending in _tp"):
        separability(embedding(names, np.ones((len(names), 3))), least=10)
    with pytest.raises(NoScore, match=r"^No word in this file has a counterpart ending in _tp"):
        separability(embedding(words(9), np.ones((9, 3))), least=10)


def test_the_command_writes_the_text_and_the_words(tmp_path: Path) -> None:
    source = tmp_path / "text.txt"
    source.write_text("\n".join(LINES))
    out = tmp_path / "tagged.txt"
    assert main(["tag", str(source), "--out", str(out), "--words", "3"]) == 0
    chosen = json.loads((tmp_path / "tagged.txt.words.json").read_text())["words"]
    assert {token for token in out.read_text().split() if token.endswith("_tp")} == {f"{word}_tp" for word in chosen}
