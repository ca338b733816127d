"""A/A test: the same vectors with different seeds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from research.aa import Comparison, Job, compare, keep, read, table, train
from tasks.baseline.published import seed_variances
from tasks.hashes import task_hash
from tasks.results import CellResult, Coverage, Outcomes
from tasks.statistics.intervals import LEVEL
from tasks.statistics.uncertainty import SeedVariance, SeedVariances
from tasks.suites import DEMO

GOLDEN = Path(__file__).resolve().parents[3] / "shared" / "golden" / "sg-wiki-50.txt.gz"
SIGMA = 0.01


def result(seed: int) -> CellResult:
    """A thousand examples with the same outcomes, and a score shifted by its seeds."""
    moved = SIGMA * np.random.default_rng(seed).standard_normal()
    right = (np.arange(1_000) % 10 < 7) + moved
    return CellResult(
        task="pos", task_hash=task_hash(DEMO, DEMO.task("pos"), "fixed"), mode="fixed", metric="accuracy",
        higher_is_better=True, score=float(right.mean()), sd=None, interval=None, seeds=1, n=1_000,
        coverage=Coverage(1.0, 1.0), datasets=(), seconds=0.0,
        outcomes=Outcomes.of(correct=right, total=np.ones(1_000)),
    )  # fmt: skip


def jobs(sets: int) -> dict[Job, CellResult]:
    return {Job(Path("file"), "pos", "fixed", number): result(number) for number in range(sets)}


def published(variance: float) -> SeedVariances:
    return SeedVariances({"pos.fixed": SeedVariance(result(0).task_hash, variance, 15, 30)})


def test_every_pair_of_sets_is_compared_once() -> None:
    assert len(list(compare(jobs(6), published(SIGMA**2)))) == 15


def test_files_and_cells_are_compared_with_themselves_only() -> None:
    results = jobs(2)
    other = {replace(job, file=Path("another")): found for job, found in results.items()}
    assert len(list(compare(results | other, published(SIGMA**2)))) == 2


def test_the_right_variance_finds_one_in_twenty_significant_and_no_variance_most() -> None:
    comparisons = list(compare(jobs(30), published(SIGMA**2)))
    assert np.mean([comparison.p <= LEVEL for comparison in comparisons]) == pytest.approx(0.05, abs=0.04)
    assert np.mean([comparison.examples_alone <= LEVEL for comparison in comparisons]) > 0.8


def test_a_result_is_stored_completely_and_only_under_its_definition(tmp_path: Path) -> None:
    job, kept = Job(Path("file"), "pos", "fixed", 0), result(0)
    keep(kept, job, tmp_path)
    found = read(DEMO, job, tmp_path)
    assert found == kept
    np.testing.assert_array_equal(found.outcomes.values, kept.outcomes.values)
    with pytest.raises(ValueError, match="another definition"):
        read(replace(DEMO, scale=0.3), job, tmp_path)


def test_the_table_has_the_share_of_all_comparisons() -> None:
    found = [Comparison("pos.fixed", 0.01, 0.01, 0.5), Comparison("pos.fixed", 0.01, 0.9, 0.9)]
    assert "| 2 | 100.0 % | 50.0 % | 0.0 % |" in table(DEMO, iter(found), 1, 3).splitlines()


@pytest.mark.slow
@pytest.mark.skipif(not GOLDEN.is_file(), reason="the golden files are not here")
def test_real_vectors_are_hardly_ever_different_from_themselves(tmp_path: Path) -> None:
    """A small form of the study: two cells of the demo in three sets of seeds, six comparisons."""
    results = train(DEMO, [GOLDEN], ["questions"], 3, tmp_path, workers=2)
    comparisons = list(compare(results, seed_variances(DEMO)))
    assert len(comparisons) == 6
    fixed = [r.outcomes for job, r in results.items() if job.mode == "fixed" and r.outcomes is not None]
    assert len({comparison.values.tobytes() for comparison in fixed}) == 3, "the sets have the same seeds"
    assert sum(comparison.p <= LEVEL for comparison in comparisons) <= 1
