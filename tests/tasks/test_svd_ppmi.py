"""The baseline: its vectors, its published scores, and its costs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from tasks.baseline import counting, published
from tasks.baseline.counting import cooccurrences, encode
from tasks.baseline.published import SMALL_POWER, _at, seconds_of_cells, write_published
from tasks.baseline.svd_ppmi import ppmi, singular_vectors, train, train_for
from tasks.cli import main
from tasks.cli.baseline import compare, kept_results, tolerance
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, InputError
from tasks.formats import read
from tasks.hashes import task_hash
from tasks.results import Aggregates, CellResult, Coverage, Outcomes, Report
from tasks.suites import DEMO, OPEN_2026
from tasks.vectors import Embedding

TEXTS = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=25), max_size=12)


def random_lines(seed: int = 0, lines: int = 60, kinds: int = 25) -> list[str]:
    """Words of decreasing frequency, so that some are below any minimum count."""
    generator = np.random.default_rng(seed)
    drawn = (generator.geometric(0.15, size=generator.integers(0, 30)) for _ in range(lines))
    return [" ".join(f"w{min(number, kinds)}" for number in line) for line in drawn]


def counted_by_brute_force(lines: list[str], words: list[str]) -> NDArray[np.float64]:
    number = {word: i for i, word in enumerate(words)}
    counts = np.zeros((len(words), len(words)))
    for tokens in (line.split() for line in lines):
        for i, left in enumerate(tokens):
            for j in range(i + 1, min(i + 6, len(tokens))):
                if left in number and tokens[j] in number:
                    counts[number[left], number[tokens[j]]] += (6 - (j - i)) / 5
                    counts[number[tokens[j]], number[left]] += (6 - (j - i)) / 5
    return counts


def frequencies_of(text: counting.Text) -> dict[str, int]:
    return dict(zip(text.words, np.bincount(text.tokens[text.tokens >= 0]).tolist(), strict=True))


def test_words_come_by_falling_frequency_and_ties_by_first_occurrence() -> None:
    text = encode(["d b c a", "c a b a"], minimum_count=1)
    assert text.words == ["a", "b", "c", "d"]
    assert frequencies_of(text) == {"a": 3, "b": 2, "c": 2, "d": 1}


def test_rare_words_keep_their_place_but_are_not_counted() -> None:
    text = encode(["a rare b a b"], minimum_count=2)
    assert text.words == ["a", "b"]
    counts = cooccurrences(text).toarray()
    assert counts[0, 1] == pytest.approx((4 + 2 + 5 + 5) / 5)
    assert counts[0, 0] == pytest.approx(2 * 3 / 5)


def test_windows_end_at_line_ends() -> None:
    assert cooccurrences(encode(["a b", "c d"], minimum_count=1)).toarray()[1].tolist() == [1, 0, 0, 0]


def test_a_window_reaches_five_words_and_no_further() -> None:
    counts = cooccurrences(encode(["a b c d e f g"], minimum_count=1)).toarray()
    assert counts[0] == pytest.approx([0, 1, 0.8, 0.6, 0.4, 0.2, 0])


@given(TEXTS, st.integers(1, 4), st.integers(1, 40))
def test_counting_equals_brute_force_wherever_blocks_begin(texts: list[list[str]], minimum: int, block: int) -> None:
    lines = [" ".join(tokens) for tokens in texts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_TOKENS_A_CHUNK", block)
        patch.setattr(counting, "_LINES_A_CHUNK", 1 + block % 3)
        text = encode(lines, minimum_count=minimum)
        counts = cooccurrences(text).toarray()
    frequencies = Counter(token for tokens in texts for token in tokens)
    assert frequencies_of(text) == {word: count for word, count in frequencies.items() if count >= minimum}
    assert counts == pytest.approx(counted_by_brute_force(lines, text.words), abs=1e-9)


def test_an_empty_text_has_no_words() -> None:
    assert encode([], minimum_count=1).words == []


def test_ppmi_equals_the_dense_formula() -> None:
    lines = random_lines()
    counts = cooccurrences(encode(lines, minimum_count=3))
    dense = counts.toarray()
    joint = dense / dense.sum()
    context = dense.sum(axis=0) ** 0.75 / (dense.sum(axis=0) ** 0.75).sum()
    with np.errstate(divide="ignore"):
        expected = np.maximum(np.log(joint / (joint.sum(axis=1)[:, None] * context[None, :])), 0)
    assert ppmi(counts).toarray() == pytest.approx(expected, abs=1e-12)
    assert 0 < ppmi(counts).nnz < counts.nnz


def test_a_word_that_never_meets_another_has_no_information() -> None:
    counts = sparse.csr_array(np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    information = ppmi(counts).toarray()
    assert np.isfinite(information).all()
    assert information[2].tolist() == [0, 0, 0]


def test_singular_vectors_equal_those_of_the_full_decomposition() -> None:
    matrix = ppmi(cooccurrences(encode(random_lines(lines=200), minimum_count=2)))
    left, values = singular_vectors(matrix, 6)
    full, all_values, _ = np.linalg.svd(matrix.toarray())
    assert values == pytest.approx(all_values[:6])
    assert np.abs(np.sum(left * full[:, :6], axis=0)) == pytest.approx(np.ones(6))


@pytest.mark.parametrize(
    "matrix",
    [
        ppmi(cooccurrences(encode([f"w{i % 26}" for i in range(300)], minimum_count=2))),
        ppmi(sparse.csr_array(np.full((30, 30), 3.0))),
        sparse.csr_array(np.full((30, 30), np.finfo(float).tiny)),
    ],
    ids=["one-word-lines", "flat-counts", "underflow"],
)
def test_words_without_contexts_are_the_fault_of_the_text(matrix: sparse.csr_array) -> None:
    with pytest.raises(InputError, match="No two words stand together more often than by chance") as refused:
        singular_vectors(matrix, 4)
    assert refused.value.code == "no-contexts"


def test_the_largest_entry_of_every_column_is_positive() -> None:
    matrix = ppmi(cooccurrences(encode(random_lines(lines=200), minimum_count=2)))
    left, _ = singular_vectors(matrix, 6)
    assert (left[np.abs(left).argmax(axis=0), np.arange(6)] > 0).all()


def test_rows_are_scaled_by_the_root_of_the_singular_values() -> None:
    lines = random_lines(lines=200)
    words, matrix = train(lines, 5, minimum_count=2)
    left, values = singular_vectors(ppmi(cooccurrences(encode(lines, minimum_count=2))), 5)
    assert matrix.shape == (len(words), 5)
    assert matrix == pytest.approx(left * np.sqrt(values), abs=1e-5)


def test_training_twice_gives_the_same_bits() -> None:
    assert np.array_equal(train(random_lines(), 4, minimum_count=2)[1], train(random_lines(), 4, minimum_count=2)[1])


def test_too_few_words_for_the_dimensions_is_a_sentence() -> None:
    with pytest.raises(InputError, match="too few for 50 dimensions"):
        train(["a b c"] * 20, 50)


def test_training_reports_what_it_does() -> None:
    progress: list[tuple[float, str]] = []
    train(random_lines(lines=200), 5, lambda share, what: progress.append((share, what)), minimum_count=2)
    shares = [share for share, _ in progress]
    assert shares == sorted(shares)
    assert progress[-1] == (1.0, "done")
    assert any("decomposing" in what for _, what in progress)


@pytest.mark.slow
def test_the_command_writes_the_baseline_of_a_suite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "baseline.txt.gz"
    assert main(["baseline", "--suite", "demo", "--out", str(out)]) == 0
    embedding = read(out)
    assert embedding.dimensions == DEMO.baseline_dimensions
    assert "the" in embedding.words[:5]
    assert not embedding.warnings  # six words without any association, whose rows are zeros, were left out
    assert f"{len(embedding.words):,} words, 50 dimensions" in capsys.readouterr().out


@pytest.mark.slow
def test_other_dimensions_are_trained(tmp_path: Path) -> None:
    out = tmp_path / "baseline.txt.gz"
    assert main(["baseline", "--suite", "demo", "--dimensions", "10", "--out", str(out)]) == 0
    assert read(out).dimensions == 10


def test_scores_are_published_only_for_the_dimensions_of_the_suite(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baseline", "--suite", "demo", "--dimensions", "10", "--publish"]) == 2
    assert "demo publishes no baseline with 10 dimensions; choose one of 50." in capsys.readouterr().err


@pytest.mark.usefixtures("short_text")
def test_a_text_that_is_not_the_prescribed_one_is_refused() -> None:
    with pytest.raises(DataUnavailable, match="not the prescribed text"):
        train_for(DEMO, DataStore.default())


def result(score: float, sd: float | None, values: list[list[float]] | None = None) -> CellResult:
    outcomes = Outcomes(("correct", "total"), np.array(values, dtype=np.float32)) if values else None
    cover = Coverage(1.0, 1.0)
    return CellResult(
        "pos", "0" * 16, "fixed", "accuracy", True, score, sd, None, 3, 2, cover, (), 1.0, outcomes=outcomes
    )


def report(*results: CellResult) -> Report:
    vectors = {"name": "SVD-PPMI", "sha256": "", "words": 100, "dimensions": 2, "language": "en", "warnings": ()}
    return Report(
        {"id": "demo", "version": 1, "hash": "h", "comparable": False},
        vectors,
        results,
        Aggregates(None, None, None),
        (),
        {},
    )


@pytest.mark.parametrize("values", [[[3, 4], [0, 2]], [[300, 400], [0, 70000]], [[1 / 3, 1], [2 / 3, 1]]])
def test_published_scores_come_back_with_their_outcomes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: list[list[float]]
) -> None:
    suite = replace(DEMO, version=1_000_000)
    monkeypatch.setenv("VECBOARD_BASELINE_SCORES", str(tmp_path))
    assert published.published(suite) is None
    write_published(suite, report(result(0.5, 0.01, values)))
    again = published.published(suite)
    assert again is not None
    assert again.results[0].outcomes is not None
    assert np.array_equal(again.results[0].outcomes.values, np.array(values, dtype=np.float32))
    assert again.results[0].outcomes.columns == ("correct", "total")
    assert again.results[0].score == 0.5


@pytest.mark.parametrize("units", [[[0, 1]], [[0, 300], [70_000, 0]]])
def test_published_outcomes_keep_their_units(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, units: list[list[int]]
) -> None:
    suite = replace(DEMO, version=1_000_000)
    monkeypatch.setenv("VECBOARD_BASELINE_SCORES", str(tmp_path))
    made = result(0.5, 0.01, [[3, 4], [0, 2]])
    assert made.outcomes is not None
    outcomes = made.outcomes.with_units(np.array(units))
    write_published(suite, report(replace(made, outcomes=outcomes)))
    again = published.published(suite)
    assert again is not None
    assert again.results[0].outcomes is not None
    assert again.results[0].outcomes.columns == outcomes.columns
    assert again.results[0].outcomes.values.tolist() == outcomes.values.tolist()


def test_a_suite_version_without_scores_has_none() -> None:
    assert published.published(replace(DEMO, version=1_000_001)) is None


def test_a_new_version_begins_with_the_scores_of_the_newest_one_before_it() -> None:
    known = published.published(DEMO)
    assert known is not None
    assert published.latest_published(replace(DEMO, version=DEMO.version + 3)) == known
    assert published.latest_published(replace(DEMO, id="unknown")) is None


def test_scores_within_the_noise_of_their_seeds_agree() -> None:
    near = compare(report(result(0.800, 0.01)), report(result(0.825, 0.01)))
    far = compare(report(result(0.800, 0.01)), report(result(0.850, 0.01)))
    assert [item.agrees for item in (*near, *far)] == [True, False]
    assert tolerance(result(0.8, 0.01), result(0.8, 0.01)) == pytest.approx(5 * 0.01 * math.sqrt(2 / 3))


def test_a_score_that_is_missing_on_one_side_disagrees() -> None:
    assert [item.agrees for item in compare(report(result(0.8, 0.01)), report())] == [False]


def test_only_whole_tasks_of_the_same_definition_and_vectors_keep_their_scores() -> None:
    matrix = np.zeros((100, 2), dtype=np.float32)
    vectors = Embedding("SVD-PPMI", [f"w{i}" for i in range(100)], matrix, "the same")
    hashed = replace(result(0.8, 0.01), task_hash=task_hash(DEMO, DEMO.task("pos"), "fixed"))
    tuned = replace(hashed, mode="fine-tuned", task_hash=task_hash(DEMO, DEMO.task("pos"), "fine-tuned"))
    both = report(hashed, tuned, replace(result(0.7, 0.01), task="chunk"))
    known = replace(both, vectors={**both.vectors, "sha256": "the same"})
    assert [r.task for r in kept_results(known, vectors, DEMO, never)] == ["pos", "pos"]
    assert kept_results(replace(known, results=(hashed,)), vectors, DEMO, never) == []
    assert kept_results(both, vectors, DEMO, never) == []  # other vectors, and no word task to tell how much so


def never(tasks: Sequence[str]) -> Report:
    raise AssertionError(f"{tasks} were measured")


@pytest.mark.parametrize(("change", "kept"), [(1e-5, True), (0.05, False)])
def test_vectors_that_differ_by_rounding_keep_their_scores(change: float, kept: bool) -> None:
    known = published.published(DEMO)
    assert known is not None
    vectors = Embedding("SVD-PPMI", [f"w{i}" for i in range(100)], np.zeros((100, 2), dtype=np.float32), "others")
    measured: list[str] = []

    def measure(tasks: Sequence[str]) -> Report:
        measured.extend(tasks)
        again = [result for result in known.results if result.task in tasks]
        return replace(known, results=tuple(replace(r, score=r.score + change) for r in again))

    found = kept_results(known, vectors, DEMO, measure)
    assert found == (list(known.results) if kept else [])
    assert measured == [result.task for result in known.results if result.mode is None]


def known(seconds: dict[int, float]) -> list[tuple[float, float]]:
    return [(float(np.log(size)), float(np.log(took))) for size, took in seconds.items()]


def test_between_baselines_seconds_grow_by_a_power_and_beyond_the_largest_in_proportion() -> None:
    sizes = known({50: 10.0, 200: 40.0})
    assert [_at(sizes, size) for size in (50, 100, 200, 400)] == pytest.approx([10, 20, 40, 80])


def test_below_the_smallest_they_fall_more_slowly_than_the_dimensions() -> None:
    assert _at(known({50: 10.0}), 25) == pytest.approx(10 * 0.5**SMALL_POWER)


def test_a_baseline_whose_machine_was_busy_counts_no_more_than_a_larger_one() -> None:
    sizes = known({50: 300.0, 100: 90.0, 300: 100.0})
    assert [_at(sizes, size) for size in (50, 100, 300)] == pytest.approx([90, 90, 100])


def test_more_dimensions_never_cost_less() -> None:
    totals = [sum(seconds_of_cells(OPEN_2026, size, 20_000).values()) for size in (10, 25, 50, 75, 100, 300, 500)]
    assert totals == sorted(totals)
    assert totals[0] > 0


def test_a_baseline_with_more_seeds_than_the_suite_costs_no_more() -> None:
    baseline = published.published(OPEN_2026)
    assert baseline is not None
    seconds = seconds_of_cells(OPEN_2026, OPEN_2026.baseline_dimensions)
    (cell,) = (result for result in baseline.results if (result.task, result.mode) == ("chunk", "fixed"))
    assert cell.seeds == 10
    assert seconds["chunk", "fixed"] <= cell.seconds * 3 / 10 * 1.0001
    (task,) = (result for result in baseline.results if result.task == "analogy-google")
    assert seconds["analogy-google", None] <= task.seconds * 1.0001
