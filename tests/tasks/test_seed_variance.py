"""How much a training seed matters: pooled within entries, published beside the baseline."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tasks.baseline.published import seed_variances, write_seed_variances
from tasks.seed_variance import SeedVariance, SeedVariances, pooled
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


def test_an_entry_of_one_seed_tells_nothing() -> None:
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
    assert KNOWN.get("pos.fixed", "abc") == 1 / 3e5
    assert KNOWN.get("pos.fixed", "another definition") is None
    assert KNOWN.get("pos.fine-tuned", "abc") is None


def test_what_is_published_is_found_with_the_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tasks.baseline.published.directories", lambda: [tmp_path])
    assert seed_variances(DEMO) == SeedVariances()
    write_seed_variances(DEMO, KNOWN, tmp_path)
    assert seed_variances(DEMO) == KNOWN
    newer = SeedVariances({"pos.fixed": SeedVariance("abc", 0.5, 2, 3)})
    write_seed_variances(DEMO, newer, tmp_path)
    assert seed_variances(DEMO) == newer
