"""The study's measurements outside its grid, and the number of pairs that skip-gram learns from."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from research.study import appendices
from research.study import store as stored
from research.study.appendices import compare_published, trainings
from research.study.corpora import expected_pairs
from research.study.store import PARTIES, PUBLISHED, Results, Similarities, chosen, key
from tasks.datasets.store import DataStore
from tasks.local_training.plan import Plan

QUICK = Plan("glove", window=2, dimensions=10, minimum_count=10, iterations=1)


@pytest.mark.parametrize("words_a_line", [4, 400])
def test_skip_gram_learns_from_as_many_pairs_as_expected(tmp_path: Path, words_a_line: int) -> None:
    """Without learning, every pair and every negative example has the same loss: gensim's table has ln σ(-0.024)."""
    from gensim.models import Word2Vec

    generator = np.random.default_rng(0)
    drawn = generator.zipf(1.5, 200_000).clip(max=2_000).reshape(-1, words_a_line)
    lines = [" ".join(f"w{number}" for number in line) for line in drawn]
    path = tmp_path / "text.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    expected = expected_pairs(lines, (1, 6), minimum_count=10)
    for window, pairs in expected.items():
        model = Word2Vec(sg=1, window=window, min_count=10, vector_size=2, negative=1, workers=1, ns_exponent=0.0)
        model.build_vocab(corpus_file=str(path))
        total, count = model.corpus_total_words, model.corpus_count
        rate = {"start_alpha": 1e-20, "end_alpha": 1e-20, "compute_loss": True, "epochs": 1}
        model.train(corpus_file=str(path), total_words=total, total_examples=count, **rate)
        negatives = 1 - 1 / len(model.wv)  # never the word itself
        a_pair = math.log1p(math.exp(0.024)) * (1 + negatives)
        assert model.running_training_loss / a_pair == pytest.approx(pairs, rel=0.02)


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Results:
    for module in (appendices, stored):
        monkeypatch.setattr(module, "SEPARATED", (QUICK,))
    monkeypatch.setattr(appendices, "PARTY_PLAN", QUICK)
    return Results(tmp_path / "results", tmp_path / "work")


@pytest.mark.data("sotu", "political-neighbours")
def test_every_appendix_gets_a_result_once(results: Results) -> None:
    store, said = DataStore.default(), list[str]()
    for name, train in trainings(results, store, {}).items():
        if not name.startswith("published-"):
            train()
    separated = (results.read("separability") or {})[QUICK.name]
    assert separated["pairs"] == 100
    assert separated["difference"] == pytest.approx(separated["same"] - separated["random"], abs=2e-6)
    with np.load(results.work / f"{PARTIES[0]}.npz") as party:
        words = party["words"]
    vectors = np.random.default_rng(0).normal(size=(len(words), 5)).astype(np.float32)
    np.savez(results.work / f"{PUBLISHED.id}.npz", words=words, vectors=vectors)
    cues = {"political": ["freedom", "abortion"], "random": words[:30].tolist()}
    setting = chosen("sotu", "glove")[0]
    cosines = np.random.default_rng(1).normal(size=(30, len(words))).astype(np.float32)
    results.write_run(setting, 0, {}, Similarities(words, cosines[:2], cosines))
    compare_published(results, cues, said.append)
    compared = (results.read("pairs") or {})[key(setting, PUBLISHED)]
    assert (compared["political"]["n"], compared["random"]["n"]) == (1, 30)
    parties = results.read("parties") or {}
    assert parties["random"]["difference"]["cues"] == 30
    assert list(parties["random"]["groups"]) == list(PARTIES)
    assert said == []
    others = [f"published-{other.id}" for other in chosen("sotu", "glove")[1:]]
    assert list(trainings(results, store, cues)) == results.missing() == others


def test_without_the_published_vectors_the_reason_is_said(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appendices, "PUBLISHED", replace(PUBLISHED, id="no-such-recipe"))
    cosines = np.zeros((0, 1), dtype=np.float32)
    results.write_run(chosen("sotu", "glove")[0], 0, {}, Similarities(np.array(["a"]), cosines, cosines))
    said = list[str]()
    compare_published(results, {"political": [], "random": []}, said.append)
    assert said[0].startswith("Nothing was compared with no-such-recipe: ")
    assert results.read("pairs") is None
