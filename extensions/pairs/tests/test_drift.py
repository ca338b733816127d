"""Alignment and change against known answers: rotations, moved words, brute force."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from extensions.pairs.command_drift import drift_table
from extensions.pairs.measure import drift as of_drift
from extensions.pairs.measure.drift import (
    RESAMPLES,
    bag_products,
    bags_for,
    drift,
    largest_of_rows,
    neighbour_change,
    training_variance,
)
from extensions.shared.measure.alignment import centred_unit_rows, procrustes, rotation_of
from tasks.cli import main
from tasks.formats.text_blocks import write_text
from tasks.statistics.bootstrap import bootstrap_weights
from tasks.statistics.intervals import percentile_interval
from tasks.vectors import Embedding

WORDS = [f"word{i}" for i in range(300)]
GENERATOR = np.random.default_rng(0)
MATRIX = GENERATOR.normal(size=(300, 8)).astype(np.float32)
ROTATION = np.linalg.qr(GENERATOR.normal(size=(8, 8)))[0].astype(np.float32)


def embedding(matrix: np.ndarray, words: list[str] = WORDS) -> Embedding:
    return Embedding("made", words, matrix.astype(np.float32), "made")


def moved() -> np.ndarray:
    """A rotated and shifted copy, with three words displaced."""
    matrix = MATRIX @ ROTATION + 2
    matrix[[7, 8, 9]] = GENERATOR.normal(size=(3, 8)) + 2
    return matrix


def test_two_spellings_of_one_word_are_both_answered() -> None:
    words = ["tax", *WORDS[1:]]
    found = drift(embedding(MATRIX, words), embedding(moved(), words), ["Tax", "tax", "word8"])
    assert list(found.words) == ["Tax", "tax", "word8"]
    assert found.words["Tax"] == found.words["tax"] != found.words["word8"]


def test_a_rotation_is_found_again() -> None:
    left = centred_unit_rows(MATRIX)
    np.testing.assert_allclose(procrustes(left, left @ ROTATION), ROTATION, atol=1e-4)


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
    found = drift(embedding(MATRIX), embedding(moved()), runs=(embedding(MATRIX), noisy))
    assert found.floor is not None
    assert found.floor.above == pytest.approx(3 / 300)
    assert found.floor.above_neighbours == pytest.approx(3 / 300)
    again = drift(embedding(MATRIX), noisy, runs=(embedding(MATRIX), noisy)).floor
    assert again is not None
    assert again.above == pytest.approx(0.05)


def plain_intervals(left: np.ndarray, right: np.ndarray, places: np.ndarray) -> list[tuple[float, float] | None]:
    """Intervals by definition: each resample draws words and recomputes products, rotation and rotated words."""
    found = []
    for drawn in bootstrap_weights(len(left), RESAMPLES):
        rotation = rotation_of((left * drawn[:, None].astype(np.float32)).T @ right)
        found.append(1 - np.einsum("ij,ij->i", left[places] @ rotation, right[places], dtype=np.float64))
    return [percentile_interval(draws) for draws in np.array(found).T]


def test_few_anchors_are_resampled_word_by_word() -> None:
    left, right, places = centred_unit_rows(MATRIX), centred_unit_rows(moved()), np.array([7, 100, 200])
    np.testing.assert_allclose(
        of_drift._intervals(left, right, places), plain_intervals(left, right, places), atol=1e-5
    )


@pytest.mark.parametrize(("bags", "tolerance"), [(of_drift.MOST_BAGS, 0.1), (of_drift.LEAST_BAGS, 0.2)])
def test_anchors_resampled_in_bags_give_intervals_as_wide_as_word_by_word(
    bags: int, tolerance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_drift, "_BAGGED", bags * 8**2)
    generator = np.random.default_rng(1)
    matrix = generator.normal(size=(6_000, 8))
    other = matrix @ ROTATION + generator.normal(size=matrix.shape)
    left, right, places = centred_unit_rows(matrix), centred_unit_rows(other), np.arange(0, 6_000, 50)
    plain, bagged = (np.diff(of(left, right, places)).ravel() for of in (plain_intervals, of_drift._intervals))
    assert np.median(bagged / plain) == pytest.approx(1, abs=tolerance)


def test_products_of_bags_are_in_memory_once_and_sum_to_that_of_all_words() -> None:
    left, right = (GENERATOR.normal(size=(300, 200)).astype(np.float32) for _ in range(2))
    tracemalloc.start()
    try:
        products = bag_products(left, right, 100)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.1 * products.nbytes
    np.testing.assert_allclose(products.sum(axis=0).reshape(200, 200), left.T @ right, atol=1e-3)


@pytest.mark.parametrize(("dimensions", "bags"), [(50, 400), (447, 400), (448, 398), (1_000, 80), (2_000, 20)])
def test_the_wider_the_vectors_the_fewer_bags_so_that_their_products_fit_320_megabytes(
    dimensions: int, bags: int
) -> None:
    assert bags_for(dimensions) == bags
    assert bags * dimensions**2 * 4 <= 320_000_000


def test_the_largest_of_a_row_are_those_of_a_whole_partition() -> None:
    values = np.random.default_rng(2).normal(size=(20, 5_000)).astype(np.float32)
    values[3] = np.sort(values[3])
    values[4] = 0.5
    for row, found in zip(values, largest_of_rows(values, 100), strict=True):
        assert len(set(found.tolist())) == 100
        assert sorted(row[found]) == sorted(np.sort(row)[-100:])


def run(generator: np.random.Generator, meaning: np.ndarray, noise: np.ndarray, name: str) -> Embedding:
    """Another training: the words' meaning, rotated, with noise of each word's own size."""
    rotation = np.linalg.qr(generator.normal(size=(8, 8)))[0]
    matrix = (meaning + noise[:, None] * generator.normal(size=meaning.shape)) @ rotation
    return Embedding("made", WORDS, matrix.astype(np.float32), name)


def test_intervals_hold_the_change_of_other_trainings_if_there_are_two_runs() -> None:
    """The mean change over trainings of both files; anchors alone hold it too seldom."""
    generator = np.random.default_rng(5)
    noise = 0.2 * np.exp(0.5 * generator.normal(size=300))
    after = MATRIX + 1.2 * generator.normal(size=MATRIX.shape)

    def trained() -> tuple[Embedding, Embedding, Embedding]:
        again, other = (run(generator, MATRIX, noise, name) for name in ("again", "left"))
        return other, run(generator, after, noise, "right"), again

    places = np.arange(300)
    sides = [tuple(centred_unit_rows(one.matrix) for one in trained()[:2]) for _ in range(150)]
    truth = np.mean([of_drift._change(*both, places) for both in sides], axis=0)
    held: dict[bool, list[bool]] = {False: [], True: []}
    for _ in range(4):
        left, right, again = trained()
        for runs in (None, (left, again)):
            found = drift(left, right, WORDS, runs)
            assert found.over_trainings is (runs is not None)
            for word, true in zip(WORDS, truth, strict=True):
                one = found.words[word]
                assert one is not None
                assert one.interval is not None
                assert 0 <= one.interval[0] <= one.change <= one.interval[1] <= 2
                held[runs is not None].append(one.interval[0] <= true <= one.interval[1])
    assert np.mean(held[False]) < 0.8
    assert 0.95 <= np.mean(held[True]) <= 0.995


def test_the_interval_adds_the_variances_of_anchors_and_trainings() -> None:
    """On the scale of artanh(cosine); the resamples recompute products, rotation and cosine by definition."""
    left, right = centred_unit_rows(MATRIX), centred_unit_rows(moved())
    (interval,) = of_drift._intervals(left, right, np.array([7]), np.array([0.04]))
    draws = [
        (left[7] @ rotation_of((left * drawn[:, None].astype(np.float32)).T @ right)) @ right[7]
        for drawn in bootstrap_weights(300, RESAMPLES)
    ]
    middle = np.arctanh((left[7] @ procrustes(left, right)) @ right[7])
    half = 1.959964 * np.sqrt(np.var(np.arctanh(draws), ddof=1) + 0.04)
    assert interval == pytest.approx((1 - np.tanh(middle + half), 1 - np.tanh(middle - half)), abs=1e-4)


def test_the_variance_over_trainings_follows_from_the_noise_of_each_word_and_one_factor_for_all() -> None:
    change, again = np.array([0.2, 0.4, 0.6, 0.8]), np.array([0.21, 0.38, np.nan, 0.83])
    noise = np.array([0.05, 0.1, 0.1, 0.02])
    found = training_variance(change, again, noise)
    slow = {}
    factors = [
        (np.arctanh(1 - one) - np.arctanh(1 - other)) ** 2 / (f / (1 - (1 - one) ** 2))
        for one, other, f in zip(change, again, noise, strict=True)
        if np.isfinite(other)
    ]
    for place, (one, f) in enumerate(zip(change, noise, strict=True)):
        share = f / (1 - (1 - one) ** 2)
        slow[place] = np.mean(factors) * share * (1 - share / 2)
    assert found is not None
    assert found.tolist() == pytest.approx(list(slow.values()))
    lacking = training_variance(change, again, np.array([0.05, 0.1, np.nan, 0.02]))
    assert lacking is not None
    assert lacking[2] == pytest.approx(np.median([slow[0], slow[1], slow[3]]))
    assert training_variance(change, again, np.zeros(4)) is None


def test_the_variance_over_trainings_is_that_of_many_trainings_of_both_files() -> None:
    """Words with noise of unequal size that changed little and much; the rotation is known to be none."""
    generator = np.random.default_rng(9)
    n, dimensions, size = 400, 20, 0.25 * np.exp(0.5 * generator.normal(size=400))[:, None]
    before = generator.normal(size=(n, dimensions))
    after = before + generator.choice([0.3, 1.0, 2.5], n)[:, None] * generator.normal(size=before.shape)
    after *= (np.linalg.norm(before, axis=1) / np.linalg.norm(after, axis=1))[:, None]

    def trained(meaning: np.ndarray) -> np.ndarray:
        matrix = meaning + size * generator.normal(size=meaning.shape)
        return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)

    def change(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return 1 - np.einsum("ij,ij->i", a, b)

    true = np.var([np.arctanh(1 - change(trained(before), trained(after))) for _ in range(400)], axis=0)
    found = []
    for _ in range(10):
        one, again, other = trained(before), trained(before), trained(after)
        found.append(training_variance(change(one, other), change(again, other), change(one, again)))
    ratios = np.mean(found, axis=0) / true
    assert np.median(ratios) == pytest.approx(1, abs=0.15)
    for third in (*np.array_split(np.argsort(size[:, 0]), 3), *np.array_split(np.argsort(true), 3)):
        assert np.median(ratios[third]) == pytest.approx(1, abs=0.25)


def test_the_run_may_be_of_either_file_and_strangers_give_no_variance() -> None:
    generator = np.random.default_rng(7)
    noise = np.full(300, 0.2)
    left, right, again, stranger = (run(generator, MATRIX, noise, name) for name in ("l", "r", "a", "s"))
    for runs in ((left, again), (again, left), (right, again), (again, right)):
        assert drift(left, right, runs=runs).over_trainings
    assert drift(left, right, runs=(again, stranger)).over_trainings is False
    assert "over trainings, from the two runs" in drift_table(drift(left, right, runs=(left, again)))
    assert "not over trainings" in drift_table(drift(left, right))


def test_change_of_neighbours_is_that_of_brute_force() -> None:
    left, right = centred_unit_rows(MATRIX), centred_unit_rows(moved())
    found = neighbour_change(left, right, np.array([0, 8, 250]), count=20)
    for place, value in zip((0, 8, 250), found, strict=True):
        sets = [set(sorted(set(range(300)) - {place}, key=lambda i: -(s[place] @ s[i]))[:20]) for s in (left, right)]
        assert value == pytest.approx(1 - len(sets[0] & sets[1]) / len(sets[0] | sets[1]))


def test_files_of_other_dimensions_are_compared_by_neighbours_alone() -> None:
    found = drift(embedding(MATRIX), embedding(moved()[:, :7]), ["word8"], runs=(embedding(MATRIX), embedding(MATRIX)))
    assert (found.median, found.most) == (None, {})
    assert "word8" in found.most_by_neighbours
    asked = found.words["word8"]
    assert asked is not None
    assert (asked.change, asked.interval, found.over_trainings) == (None, None, None)
    assert found.floor is not None
    assert found.floor.above is None
    assert "cannot be aligned" in drift_table(found)


def test_work_can_be_bounded_to_the_first_common_words() -> None:
    found = drift(embedding(MATRIX), embedding(moved()), ["word8", "word250"], most_common=210)
    assert (found.common, found.asked) == (210, 210)
    assert found.words["word250"] is None


def test_the_command_prints_tables_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, matrix in (("a", MATRIX), ("b", moved())):
        lines = (f"{w} {' '.join(f'{x:.4f}' for x in row)}" for w, row in zip(WORDS, matrix, strict=True))
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    command = ["drift", str(tmp_path / "a.txt"), str(tmp_path / "b.txt"), "--words", "word8", "--floor"]
    assert main([*command, str(tmp_path / "b.txt")]) == 0
    assert "Asked for" in capsys.readouterr().out
    assert main([*command, str(tmp_path / "b.txt"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["words"]["word8"]["change"] > 0.2


@pytest.mark.parametrize(("most", "warned"), [(100, True), (20_000, False)])
def test_the_command_warns_of_first_words_that_are_alphabetical(
    most: int, warned: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_drift, "MOST_WORDS", most)
    words = [f"w{n:03}" for n in range(210)]
    for name, seed in (("a.txt", 0), ("b.txt", 1)):
        write_text(tmp_path / name, words, np.random.default_rng(seed).normal(size=(210, 5)).astype(np.float32))
    assert main(["drift", str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]) == 0
    assert ("a.txt” are in alphabetical order" in capsys.readouterr().err) == warned
