"""Association tests: published values, brute force, and simulations with known answers."""

from __future__ import annotations

import json
import math
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import chi, kstest

from tasks.associations import weat
from tasks.associations.weat import (
    AssociationQuestion,
    WordList,
    associate,
    effect_size_interval,
    is_exact,
    p_values,
    partitions,
)
from tasks.suites import OPEN_2026
from tasks.vectors import Embedding, LookUp
from tests.tasks.made import embedding as vectors

LOOK_UP: LookUp = OPEN_2026.look_up


def question(x: list[str], y: list[str], a: list[str], b: list[str]) -> AssociationQuestion:
    lists = [WordList.of(name, words) for name, words in zip("XYAB", (x, y, a, b), strict=True)]
    return AssociationQuestion((lists[0], lists[1]), (lists[2], lists[3]))


def made(seed: int, sizes: tuple[int, int, int, int], shift: float = 0.0) -> tuple[Embedding, AssociationQuestion]:
    """Random vectors; the first targets are moved towards the first attributes."""
    generator = np.random.default_rng(seed)
    names = [[f"{kind}{i}" for i in range(size)] for kind, size in zip("xyab", sizes, strict=True)]
    matrix = generator.normal(size=(sum(sizes), 20))
    a = slice(sizes[0] + sizes[1], sizes[0] + sizes[1] + sizes[2])
    matrix[: sizes[0]] += shift * matrix[a].mean(axis=0)
    return vectors([word for part in names for word in part], matrix), question(*names)


def brute_force(nearness: np.ndarray, first: int) -> float:
    observed = nearness[:first].sum() - nearness[first:].sum()
    others = [
        nearness[list(chosen)].sum() - np.delete(nearness, list(chosen)).sum()
        for chosen in combinations(range(len(nearness)), first)
    ]
    return float(np.mean([other >= observed - 1e-12 for other in others]))


@pytest.mark.parametrize("sizes", [(4, 4, 3, 3), (3, 5, 4, 2), (1, 6, 2, 2), (2, 2, 1, 1)])
def test_p_of_small_lists_is_that_of_brute_force(sizes: tuple[int, int, int, int]) -> None:
    embedding, asked = made(3, sizes)
    found = associate(embedding, LOOK_UP, asked)
    units = embedding.matrix / np.linalg.norm(embedding.matrix, axis=1, keepdims=True)
    x, y, a, b = np.split(units.astype(float), np.cumsum(sizes)[:-1])
    nearness = np.concatenate([x, y]) @ a.mean(axis=0) - np.concatenate([x, y]) @ b.mean(axis=0)
    assert found.exact
    assert found.partitions == math.comb(sizes[0] + sizes[1], sizes[0])
    assert found.p == pytest.approx(brute_force(nearness, sizes[0]))
    difference = nearness[: sizes[0]].mean() - nearness[sizes[0] :].mean()
    assert found.d == pytest.approx(difference / nearness.std(ddof=1), abs=1e-6)
    cosines = np.concatenate([a, b]) @ x[0]
    assert found.single["x0"].p == pytest.approx(brute_force(cosines, sizes[2]))


def test_a_sample_of_partitions_agrees_with_all(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(5).normal(size=(16, 3))
    values[:8] += 0.4
    exact = p_values(values, 8)
    monkeypatch.setattr(weat, "is_exact", lambda n, first: False)
    partitions.cache_clear()
    sampled = p_values(values, 8)
    partitions.cache_clear()
    assert sampled == pytest.approx(exact, abs=4 * 0.5 / math.sqrt(weat.MOST))
    assert not is_exact(64, 32)


def test_every_partition_keeps_the_size_of_its_list() -> None:
    for n, first in ((10, 3), (40, 20)):
        assert set(partitions(n, first).sum(axis=1)) == {first}


def test_p_is_uniform_where_nothing_is_associated_and_small_where_something_is() -> None:
    found = [associate(*swap(made(seed, (8, 8, 6, 6)))).p for seed in range(200)]
    assert kstest(found, "uniform").pvalue > 0.01
    shifted = [associate(*swap(made(seed, (8, 8, 6, 6), shift=6))) for seed in range(20)]
    assert max(one.p for one in shifted) < 0.01
    assert min(one.d for one in shifted) > 1


def swap(case: tuple[Embedding, AssociationQuestion]) -> tuple[Embedding, LookUp, AssociationQuestion]:
    return case[0], LOOK_UP, case[1]


def test_a_fifth_of_a_list_unknown_gives_no_score_and_names_the_words() -> None:
    embedding, asked = made(1, (5, 5, 5, 5))
    lists = [list(one.words) for one in asked.lists]
    lists[1][2] = "nowhere"
    found = associate(embedding, LOOK_UP, question(*lists))
    assert (found.d, found.p, found.interval) == (None, None, None)
    assert found.missing == ("nowhere",)
    assert "1 of the 5 words of “Y”: nowhere" in found.reason


def test_less_than_a_fifth_unknown_is_left_out_and_sizes_stay_unequal() -> None:
    embedding, asked = made(1, (6, 5, 5, 5))
    lists = [list(one.words) for one in asked.lists]
    lists[0][0] = "nowhere"
    found = associate(embedding, LOOK_UP, question(*lists))
    assert found.words["X"] == ("x1", "x2", "x3", "x4", "x5")
    assert found.partitions == math.comb(10, 5)


def test_odd_lists_give_no_nan() -> None:
    embedding, asked = made(2, (4, 4, 3, 3))
    x, y, a, b = (list(one.words) for one in asked.lists)
    for lists in ((x, x, a, b), (x, y, a, a), (["x0"], ["y0"], ["a0"], ["b0"]), (["x0"], ["x0"], a, b), ([], y, a, b)):
        found = associate(embedding, LOOK_UP, question(*lists))
        json.dumps(found.as_dict(), allow_nan=False)
    same = associate(embedding, LOOK_UP, question(x, y, a, a))
    assert same.d is None
    assert same.reason
    single = associate(embedding, LOOK_UP, question(["x0"], ["y0"], ["a0"], ["b0"]))
    assert abs(single.d) == pytest.approx(math.sqrt(2))
    assert single.interval is None
    assert "has no word" in associate(embedding, LOOK_UP, question([], y, a, b)).reason


def test_lists_that_are_all_unknown_or_of_several_words_an_entry_have_a_reason_and_no_nan() -> None:
    embedding, asked = made(2, (4, 4, 3, 3))
    x, y, a, b = (list(one.words) for one in asked.lists)
    nowhere = associate(embedding, LOOK_UP, question(*(["?1", "?2"], ["?3"], ["?4"], ["?5", "?6"])))
    assert nowhere.missing == ("?1", "?2", "?3", "?4", "?5", "?6")
    assert (nowhere.d, nowhere.p, nowhere.interval, nowhere.single) == (None, None, None, {})
    assert "2 of the 2 words of “X”" in nowhere.reason
    phrase = associate(embedding, LOOK_UP, question([*x, "x0 x1"], y, a, b))
    assert phrase.missing == ("x0 x1",)
    for found in (nowhere, phrase):
        json.dumps(found.as_dict(), allow_nan=False)
    joined = vectors([*embedding.words, "x0_x1", "New York"], np.vstack([embedding.matrix, embedding.matrix[:2]]))
    found = associate(joined, LOOK_UP, question([*x, "x0_x1", "New York"], y, a, b))
    assert found.words["X"][-2:] == ("x0_x1", "New York")


def test_overlapping_lists_have_a_finite_answer() -> None:
    embedding, asked = made(2, (4, 4, 3, 3))
    x, y, a, b = (list(one.words) for one in asked.lists)
    for lists in (([*x, y[0]], y, a, b), (x, y, [*a, b[0]], b), (x, y, [*a, x[0]], b)):
        found = associate(embedding, LOOK_UP, question(*lists))
        assert found.d is not None
        json.dumps(found.as_dict(), allow_nan=False)


def test_effect_sizes_of_lists_of_unequal_length_may_be_beyond_two() -> None:
    words = ["x0", *(f"y{i}" for i in range(9)), "a0", "b0"]
    matrix = np.array([[1, 0.01], *[[0.01, 1]] * 9, [1, 0], [0, 1]])
    found = associate(vectors(words, matrix), LOOK_UP, question(words[:1], words[1:10], ["a0"], ["b0"]))
    assert found.d == pytest.approx(math.sqrt(10))


def test_repeated_words_count_once_and_case_is_tried() -> None:
    embedding, asked = made(2, (4, 4, 3, 3))
    x, y, a, b = (list(one.words) for one in asked.lists)
    plain = associate(embedding, LOOK_UP, asked)
    assert associate(embedding, LOOK_UP, question([*x, "x0"], y, a, b)).d == plain.d
    assert associate(embedding, LOOK_UP, question([word.upper() for word in x], y, a, b)).d == plain.d


def test_a_row_counts_once_and_not_in_two_lists() -> None:
    """The result equals that of lists without repetitions and overlaps, regardless of spelling."""
    embedding, plain = made(3, (4, 5, 3, 3), shift=0.5)
    x, y, a, b = ([*one.words] for one in plain.lists)
    found = associate(embedding, LOOK_UP, question([*x, x[1].upper(), y[0]], [*y, y[2].upper()], [*a, "b0"], b))
    expected = associate(embedding, LOOK_UP, question(x, y[1:], a, b[1:]))
    assert (found.d, found.p, found.interval, found.single) == (
        expected.d,
        expected.p,
        expected.interval,
        expected.single,
    )
    assert (found.partitions, found.words) == (70, expected.words)
    assert found.left_out == {
        "X1": "the same vector as “x1”", "Y2": "the same vector as “y2”",
        "y0": "in “X” and “Y”", "b0": "in “A” and “B”",
    }  # fmt: skip


def test_spellings_of_one_row_do_not_make_up_for_unknown_words() -> None:
    embedding, plain = made(3, (4, 5, 3, 3))
    x, y, a, b = ([*one.words] for one in plain.lists)
    found = associate(embedding, LOOK_UP, question([*x, x[0].upper(), x[1].upper(), "nowhere"], y, a, b))
    assert found.d is None
    assert "lacks 1 of the 7 words of “X”: nowhere" in found.reason


def test_lists_of_the_same_words_have_no_score() -> None:
    embedding, plain = made(3, (4, 5, 3, 3))
    x, _, a, b = ([*one.words] for one in plain.lists)
    found = associate(embedding, LOOK_UP, question(x, [word.upper() for word in x], a, b))
    assert (found.d, found.partitions) == (None, 0)
    assert "none is left in “X”, “Y”" in found.reason


def mixed(seed: int, n: int, m: int, effect: float) -> np.ndarray:
    """Nearness of the targets: two normal lists, ``effect`` standard deviations apart."""
    return np.random.default_rng(seed).normal(size=n + m) + effect * (np.arange(n + m) < n)


def effect_size(nearness: np.ndarray, n: int) -> float:
    return float((nearness[:n].mean() - nearness[n:].mean()) / nearness.std(ddof=1))


@pytest.mark.parametrize(("n", "m", "effect"), [(8, 8, 1.0), (5, 12, -2.0), (2, 2, 0.5), (30, 4, 6.0), (25, 25, 0.0)])
def test_the_interval_inverts_the_distribution_of_t(n: int, m: int, effect: float) -> None:
    """Against bisection on the mixture of normal distributions that the noncentral t is."""
    nearness = mixed(7, n, m, effect)
    x, y, total = nearness[:n], nearness[n:], n + m
    within = math.sqrt((x.var() * n + y.var() * m) / (total - 2))
    t = float(x.mean() - y.mean()) / within / math.sqrt(1 / n + 1 / m)
    spread = chi(total - 2).ppf((np.arange(100_000) + 0.5) / 100_000) / math.sqrt(total - 2)
    limits = []
    for share in (0.975, 0.025):
        shift = brentq(lambda shift, share=share: float(ndtr(t * spread - shift).mean()) - share, t - 40, t + 40)
        theta = shift * math.sqrt(1 / n + 1 / m)
        limits.append(theta / math.sqrt(1 + theta**2 * n * m / total**2))
    assert effect_size_interval(effect_size(nearness, n), n, m) == pytest.approx(tuple(limits), abs=2e-4)


def test_d_follows_from_the_effect_within_the_lists() -> None:
    """d = θ √((N − 1) / (N − 2 + θ² nm / N)) with θ in standard deviations within the lists (docs/protocol.md §6.1)."""
    nearness, n, m = mixed(2, 5, 9, 1.5), 5, 9
    x, y, total = nearness[:n], nearness[n:], n + m
    theta = (x.mean() - y.mean()) / math.sqrt((x.var() * n + y.var() * m) / (total - 2))
    d = theta * math.sqrt((total - 1) / (total - 2 + theta**2 * n * m / total))
    assert effect_size(nearness, n) == pytest.approx(d)


@pytest.mark.parametrize(("n", "m"), [(2, 2), (2, 9), (3, 3), (8, 8), (5, 12), (40, 3)])
def test_the_interval_holds_d_and_stays_within_its_bounds(n: int, m: int) -> None:
    for seed, effect in enumerate((0.0, 0.2, 1.0, 3.0, 10.0, 300.0, 1e4)):
        d = effect_size(mixed(seed, n, m, effect), n)
        interval = effect_size_interval(d, n, m)
        assert interval is not None
        assert interval[0] <= d <= interval[1] <= (n + m) / math.sqrt(n * m) + 1e-9


@pytest.mark.parametrize(("n", "m", "effect"), [(8, 8, 0.0), (8, 8, 2.0), (5, 12, 1.0)])
def test_the_interval_covers_the_population_s_effect_size(n: int, m: int, effect: float) -> None:
    true = effect / math.sqrt(1 + effect**2 * n * m / (n + m) ** 2)
    found = [effect_size_interval(effect_size(mixed(seed, n, m, effect), n), n, m) for seed in range(1500)]
    assert 0.935 <= np.mean([low <= true <= high for low, high in found]) <= 0.965  # type: ignore[misc]


def test_lists_without_variance_within_have_no_interval() -> None:
    assert effect_size_interval(effect_size(np.array([0.3, 0.3, 0.3, 0.1, 0.1]), 3), 3, 2) is None
    assert effect_size_interval(0.7, 1, 2) is None
