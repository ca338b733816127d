"""Ranking correlation: golden values, brute force, edge cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from tasks.errors import NoScore
from tasks.political.compare import all_cue_pearson, cue_correlations, distribution, histogram, moved
from tasks.political.cues import ENGLISH
from tasks.political.vocabulary import common_vocabulary
from tasks.vectors import Embedding
from tests.tasks.made import embedding, random_embedding, words

Golden = tuple[Embedding, Embedding, dict[str, Any]]


def brute_force(left: Embedding, right: Embedding) -> np.ndarray[Any, Any]:
    """Pearson correlation of every row of the two V × V matrices of cosines."""
    units = [side.matrix / np.linalg.norm(side.matrix.astype(float), axis=1, keepdims=True) for side in (left, right)]
    a, b = (unit @ unit.T for unit in units)
    return np.array([pearsonr(a[i], b[i]).statistic for i in range(len(a))])


@pytest.mark.data
def test_pearson_and_spearman_of_every_political_cue_are_those_of_the_golden_file(golden: Golden) -> None:
    left, right, expected = golden
    found = cue_correlations(common_vocabulary(left, right), ENGLISH.words)
    for cue, figures in expected["cues"].items():
        if figures is None:
            assert found[cue] is None
            continue
        got = found[cue]
        assert got is not None
        assert (got["pearson"], got["spearman"]) == pytest.approx((figures["pearson"], figures["spearman"]), abs=1e-5)


@pytest.mark.data
def test_pearson_over_all_words_is_that_of_the_golden_file(golden: Golden) -> None:
    left, right, expected = golden
    common = common_vocabulary(left, right)
    figures = distribution(all_cue_pearson(common))
    assert figures is not None
    assert figures["n"] == len(common) == expected["common_words"]
    got = {name: figures[name] for name in ("mean", "sd", "min", "max")}  # type: ignore[literal-required]
    assert got == pytest.approx(expected["all_cues_pearson"], abs=1e-5)


def test_the_identity_equals_brute_force_with_different_dimensions_and_orders_of_words() -> None:
    left = random_embedding(words(300), seed=0, dimensions=5)
    order = np.random.default_rng(1).permutation(300)
    matrix = np.hstack([left.matrix, np.random.default_rng(2).standard_normal((300, 7))])
    right = embedding([left.words[i] for i in order], matrix[order])
    found = all_cue_pearson(common_vocabulary(left, right))
    expected = brute_force(left, embedding(list(left.words), matrix))
    assert found == pytest.approx(expected, abs=1e-9)


def test_the_identity_holds_where_all_vectors_point_nearly_the_same_way() -> None:
    shift = 50 * np.ones(6)
    left, right = (embedding(words(250), random_embedding(words(250), s, 6).matrix + shift) for s in (3, 4))
    assert all_cue_pearson(common_vocabulary(left, right)) == pytest.approx(brute_force(left, right), abs=1e-5)


@pytest.mark.parametrize(("spread", "share"), [(0.0, 0), (1e-6, 0), (1e-4, 0), (0.025, 0.5), (0.2, 1)])
def test_cosines_that_hardly_vary_have_the_figure_of_brute_force_or_none(spread: float, share: float) -> None:
    left = random_embedding(words(250), 3)
    right = embedding(words(250), spread * random_embedding(words(250), 4).matrix + np.arange(1, 9))
    common = common_vocabulary(left, right)
    every, one_by_one = all_cue_pearson(common), cue_correlations(common, words(250))
    defined = np.isfinite(every)
    assert defined.mean() == pytest.approx(share, abs=0.49 if share == 0.5 else 0)
    if share:
        assert every[defined] == pytest.approx(brute_force(left, right)[defined], abs=1e-5)
    assert [one_by_one[word] is not None for word in words(250)] == defined.tolist()


def test_one_cue_has_the_coefficients_of_scipy_itself_included() -> None:
    left, right = random_embedding(words(220), 5), random_embedding(words(220), 6)
    a, b = ((u := e.matrix / np.linalg.norm(e.matrix.astype(float), axis=1)[:, None]) @ u[7] for e in (left, right))
    found = cue_correlations(common_vocabulary(left, right), ["w7"], kendall=True)["w7"]
    assert found is not None
    expected = (pearsonr(a, b).statistic, spearmanr(a, b).statistic, kendalltau(a, b).statistic)
    assert (found["pearson"], found["spearman"], found["kendall"]) == pytest.approx(expected)


def test_a_rotation_and_a_scale_change_nothing() -> None:
    left = random_embedding(words(300), 0)
    rotation, _ = np.linalg.qr(np.random.default_rng(9).standard_normal((8, 8)))
    right = embedding(list(left.words), 100 * left.matrix @ rotation)
    assert all_cue_pearson(common_vocabulary(left, right)) == pytest.approx(np.ones(300), abs=1e-6)


def test_a_cue_that_one_side_does_not_know_has_no_figure() -> None:
    left = random_embedding([*words(250), "war"], 0)
    found = cue_correlations(common_vocabulary(left, random_embedding(words(250), 1)), ["war", "peace", "w1"])
    assert found["war"] is None
    assert found["peace"] is None
    assert found["w1"] is not None


def test_a_cue_of_another_script_is_found_and_an_accent_may_be_missing() -> None:
    vocabulary = [*words(250), "民主", "inmigracion"]
    common = common_vocabulary(random_embedding(vocabulary, 0), random_embedding(vocabulary, 1))
    assert None not in cue_correlations(common, ["民主", "inmigración"]).values()


def test_a_zero_vector_has_no_figure_and_is_left_out_of_the_mean() -> None:
    left, right = random_embedding(words(250), 0), random_embedding(words(250), 1)
    left.matrix[4] = 0
    common = common_vocabulary(left, right)
    correlations = all_cue_pearson(common)
    assert np.flatnonzero(np.isnan(correlations)).tolist() == [4]
    assert distribution(correlations)["n"] == 249  # type: ignore[index]
    assert cue_correlations(common, ["w4"]) == {"w4": None}


def test_fewer_than_two_hundred_common_words_are_refused_with_the_reason() -> None:
    with pytest.raises(NoScore, match="199 words in common; a comparison needs at least 200"):
        common_vocabulary(random_embedding(words(199), 0), random_embedding(words(300), 1))


def test_the_words_that_moved_most_and_least_come_in_order() -> None:
    found = moved(["a", "b", "c", "d"], np.array([0.5, np.nan, -0.2, 0.9]), count=2)
    assert [item["word"] for item in found["most"]] == ["c", "a"]
    assert [item["word"] for item in found["least"]] == ["d", "a"]


def test_a_single_figure_has_no_spread() -> None:
    figures = distribution(np.array([0.4, np.nan]))
    assert figures is not None
    assert (figures["mean"], figures["sd"], figures["se"], figures["n"]) == (0.4, None, None, 1)


def test_the_histogram_counts_every_figure_once() -> None:
    shape = histogram(np.array([-1.0, 0.0, 1.0, np.nan]))
    assert sum(shape["counts"]) == 3
    assert len(shape["edges"]) == len(shape["counts"]) + 1
