"""Political tasks of a report: the demo's baseline, its vectors, and edge cases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from extensions.pairs.measure.comparison import compare
from tasks.baseline import svd_ppmi as baseline
from tasks.cells import evaluate_cell
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, NoScore
from tasks.formats.text_blocks import write_text
from tasks.political.cues import ENGLISH, political_tasks
from tasks.political.human import published_lists
from tasks.prepared import store as store_prepared
from tasks.results import CellResult
from tasks.suites import DEMO, OPEN_2026
from tasks.vectors import Embedding
from tests.tasks.made import embedding, random_embedding, words

SUITE = replace(DEMO, tasks=(*DEMO.tasks, *political_tasks("demo-corpus")))


@pytest.fixture
def data(tmp_path: Path, demo_vectors: Embedding) -> DataStore:
    """A data directory with the demo's trained baseline."""
    own = DataStore(tmp_path / "data")
    baseline.keep(demo_vectors, SUITE, own)
    return own


@pytest.fixture
def entry(demo_vectors: Embedding) -> Embedding:
    """The baseline's vectors with noise."""
    noise = np.random.default_rng(3).standard_normal(demo_vectors.matrix.shape)
    return embedding(list(demo_vectors.words), demo_vectors.matrix + 0.5 * noise * demo_vectors.matrix.std(), "entry")


def measured(task: str, vectors: Embedding, data: DataStore, runs: tuple[Path, ...] = ()) -> CellResult:
    return evaluate_cell(vectors, SUITE, SUITE.task(task), None, data=data, runs=runs)


def test_the_report_has_the_figures_of_the_script(entry: Embedding, data: DataStore, demo_vectors: Embedding) -> None:
    script = compare(entry, demo_vectors, ENGLISH.words)
    assert script.cues is not None
    assert script.random is not None
    assert script.every is not None
    scores = [measured(task, entry, data).score for task in ("political-en", "political-random", "political-all")]
    expected = [part["pearson"]["mean"] for part in (script.cues, script.random, script.every) if part["pearson"]]
    assert scores == pytest.approx(expected, abs=1e-12)  # another number of threads may change the last bit


def test_a_political_result_says_what_it_was_compared_with_and_has_no_direction(
    entry: Embedding, data: DataStore, demo_vectors: Embedding
) -> None:
    result = measured("political-en", entry, data)
    assert result.descriptive
    assert result.secondary["reference"]["sha256"] == demo_vectors.sha256
    assert result.secondary["common_words"] == len(demo_vectors.words)


def test_unknown_cues_are_counted_and_left_out(entry: Embedding, data: DataStore) -> None:
    kept = [i for i, word in enumerate(entry.words) if word != "democracy"]
    result = measured("political-en", embedding([entry.words[i] for i in kept], entry.matrix[kept]), data)
    assert "democracy" in result.secondary["unknown"]
    assert result.secondary["cues"]["democracy"] is None
    assert result.n == 10 - len(result.secondary["unknown"])


def test_the_baseline_itself_has_no_score_and_says_why(demo_vectors: Embedding, data: DataStore) -> None:
    with pytest.raises(NoScore, match="1 by definition"):
        measured("political-all", demo_vectors, data)


def test_an_entry_of_another_language_gets_its_own_list_only(entry: Embedding, data: DataStore) -> None:
    spanish = replace(entry, language="es")
    with pytest.raises(NoScore, match="Not applicable"):
        measured("political-en", spanish, data)
    with pytest.raises(NoScore, match="Not applicable"):
        measured("political-de", spanish, data)


def test_another_language_needs_the_operators_reference(data: DataStore) -> None:
    vocabulary = [*words(300), "democracia", "inmigracion"]
    spanish = replace(random_embedding(vocabulary, 0), language="es")
    with pytest.raises(DataUnavailable, match=r"political-reference/es\.txt\.gz"):
        measured("political-es", spanish, data)
    (data.data_dir / "political-reference").mkdir()
    write_text(data.data_dir / "political-reference" / "es.txt.gz", vocabulary, random_embedding(vocabulary, 1).matrix)
    assert measured("political-es", spanish, data).n == 2


def test_the_baselines_vectors_are_trained_once_and_then_kept(
    tmp_path: Path, demo_vectors: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained: list[str] = []

    def train(suite: object, *_: object) -> Embedding:
        trained.append("once")
        return demo_vectors

    monkeypatch.setattr(baseline, "train_for", train)
    own = DataStore(tmp_path)
    hashes = {baseline.baseline_vectors(DEMO, own).sha256 for _ in range(3)}
    assert (hashes, trained) == ({demo_vectors.sha256}, ["once"])


def test_kept_vectors_that_are_damaged_are_trained_again(
    data: DataStore, demo_vectors: Embedding, monkeypatch: pytest.MonkeyPatch
) -> None:
    baseline._open.cache_clear()
    kept = data.data_dir / "baseline-vectors" / demo_vectors.sha256
    (kept / "words.txt").write_bytes(b"")
    monkeypatch.setattr(baseline, "train_for", lambda *_: random_embedding(words(300), 0))
    assert len(baseline.baseline_vectors(SUITE, data).words) == 300


def test_without_the_corpus_the_reason_is_the_corpus(entry: Embedding, tmp_path: Path) -> None:
    own = DataStore(tmp_path, offline=True)
    with pytest.raises(DataUnavailable, match="not here"):
        evaluate_cell(entry, OPEN_2026, OPEN_2026.task("political-all"), None, data=own)


def test_one_file_gives_no_stability(entry: Embedding, data: DataStore) -> None:
    with pytest.raises(NoScore, match="there is one file"):
        measured("stability", entry, data)


def test_stability_is_the_mean_over_every_pair_of_runs(entry: Embedding, data: DataStore, tmp_path: Path) -> None:
    others = [
        embedding(list(entry.words), entry.matrix + np.random.default_rng(seed).normal(0, 0.05, entry.matrix.shape))
        for seed in (1, 2)
    ]
    runs = tuple(store_prepared(run, tmp_path / "runs") for run in others)
    result = measured("stability", entry, data, runs)
    assert (result.n, result.secondary["runs"]) == (3, 3)
    assert result.score == pytest.approx(np.mean(result.secondary["random"]["pairs"]))
    assert result.interval is not None
    assert result.interval[0] < result.score < result.interval[1] < 1.0


def test_vectors_without_tagged_words_have_no_separability(entry: Embedding, data: DataStore) -> None:
    with pytest.raises(NoScore, match="python -m tasks tag"):
        measured("separability", entry, data)


@pytest.mark.data
def test_the_distance_from_people_is_measured_within_the_common_words(store: DataStore) -> None:
    """A larger vocabulary of unrelated words changes the published score, but not the one within the common words."""
    if not store.status("political-neighbours").available:
        pytest.skip("people's lists are not there: set VECBOARD_DATA_MIRROR")
    task = OPEN_2026.task("political-human")
    mentioned = sorted({w for words in published_lists(store).values() for w in words} | set(ENGLISH.words))
    small = random_embedding(mentioned, 1)
    more = random_embedding([f"other{i}" for i in range(5000)], 2)
    large = embedding([*small.words, *more.words], np.concatenate([small.matrix, more.matrix]), "large")
    of_small, of_large = (evaluate_cell(vectors, OPEN_2026, task, None, data=store) for vectors in (small, large))
    assert of_small.score == of_large.score == of_small.secondary["relative"]["mean"]
    assert of_small.secondary["within"] == of_large.secondary["within"]
    assert of_large.secondary["full"]["mean"] > 1.5 * of_small.secondary["full"]["mean"]
