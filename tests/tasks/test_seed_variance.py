"""How much a training seed matters: pooled within entries, published beside the baseline."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tasks.baseline.published import seed_variances, write_seed_variances
from tasks.statistics.uncertainty import SeedVariance, SeedVariances, pooled, prior_freedom
from tasks.suites import DEMO

KNOWN = SeedVariances({"pos.fixed": SeedVariance("abc", 1 / 3e5, 2, 3), "ner.fine-tuned": SeedVariance("d", 0.0, 1, 1)})


def test_it_is_the_mean_square_within_groups_of_the_one_way_analysis() -> None:
    generator = np.random.default_rng(0)
    groups = [generator.normal(mean, 0.01, size) for mean, size in ((0.9, 3), (0.5, 2), (0.7, 5), (0.1, 3))]
    found = pooled("hash", groups)
    assert found is not None
    assert (found.task_hash, found.entries, found.freedom) == ("hash", 4, 13 - 4)
    # F = mean square between / mean square within
    grand = np.concatenate(groups).mean()
    between = sum(len(group) * (group.mean() - grand) ** 2 for group in groups) / 3
    assert found.variance == pytest.approx(between / stats.f_oneway(*groups).statistic)


def test_typed_by_hand() -> None:
    # Within (1, 3): 2 of 1 degree of freedom; within (5, 5, 8): 6 of 2.
    found = pooled("hash", [[1.0, 3.0], [5.0, 5.0, 8.0]])
    assert found == SeedVariance("hash", pytest.approx(8 / 3), 2, 3)


def test_how_far_entries_are_apart_does_not_matter() -> None:
    near, far = (pooled("hash", [[0.50, 0.52], [shift, shift + 0.04]]) for shift in (0.5, 0.9))
    assert near is not None
    assert far is not None
    assert near.variance == pytest.approx(far.variance)


def test_an_entry_of_one_seed_adds_nothing() -> None:
    assert pooled("hash", [[0.5, 0.6], [0.9], []]) == pooled("hash", [[0.5, 0.6]])
    assert pooled("hash", [[0.9], [0.1]]) is None
    assert pooled("hash", []) is None


def test_it_reads_back_what_it_wrote_to_the_bit(tmp_path: Path) -> None:
    path = tmp_path / "seeds.json"
    path.write_text(KNOWN.to_json(), encoding="utf-8")
    assert SeedVariances.read(path) == KNOWN


def test_without_a_file_nothing_is_known(tmp_path: Path) -> None:
    assert SeedVariances.read(tmp_path / "none.json") == SeedVariances()
    assert SeedVariances().get("pos.fixed", "abc") is None


def test_a_variance_holds_for_its_own_definition_only() -> None:
    known = KNOWN.get("pos.fixed", "abc")
    assert known is not None
    assert known.variance == 1 / 3e5
    assert KNOWN.get("pos.fixed", "another definition") is None
    assert KNOWN.get("pos.fine-tuned", "abc") is None


def test_what_is_published_is_found_with_the_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.baseline.published.directories", lambda: [tmp_path])
    assert seed_variances(DEMO) == SeedVariances()
    write_seed_variances(DEMO, KNOWN)
    assert seed_variances(DEMO) == KNOWN
    newer = SeedVariances({"pos.fixed": SeedVariance("abc", 0.5, 2, 3)})
    write_seed_variances(DEMO, newer)
    assert seed_variances(DEMO) == newer


def test_an_entrys_own_seeds_count_by_their_degrees_of_freedom() -> None:
    published = SeedVariance("abc", 4.0, 15, 30, prior_freedom=6.0)
    assert published.of_entry(4.0, 3) == pytest.approx((6 * 4 + 2 * 16) / 8)
    assert published.of_entry(2.0, 100) == pytest.approx(4.0)
    assert published.of_entry(None, 1) == 4.0


def test_entries_that_are_not_known_to_differ_have_the_pooled_variance() -> None:
    assert SeedVariance("abc", 4.0, 15, 30).of_entry(9.0, 3) == 4.0


def seeds_of(freedom: float, entries: int, seeds: int) -> list[list[list[float]]]:
    """Twelve cells of entries whose variances are a scaled inverse χ² with these degrees of freedom."""
    generator = np.random.default_rng(8)
    deviations = np.sqrt(freedom / generator.chisquare(freedom, (12, entries)))
    return (deviations[:, :, None] * generator.standard_normal((12, entries, seeds))).tolist()


@pytest.mark.parametrize("freedom", [4.0, 12.0])
def test_how_much_entries_differ_is_found_again(freedom: float) -> None:
    found = prior_freedom(seeds_of(freedom, 200, 3))
    assert found == pytest.approx(freedom, rel=0.35)


def test_entries_that_differ_by_chance_only_are_not_told_apart() -> None:
    found = prior_freedom([np.random.default_rng(5).standard_normal((20_000, 3)).tolist()])
    assert found is None or found > 30


def test_entries_with_different_numbers_of_seeds_are_refused() -> None:
    with pytest.raises(ValueError, match="different numbers of seeds"):
        prior_freedom([[[1.0, 2.0], [1.0, 2.0, 3.0]]])


def test_without_two_seeds_nothing_is_known_of_how_entries_differ() -> None:
    assert prior_freedom([[[1.0], [2.0]]]) is None
