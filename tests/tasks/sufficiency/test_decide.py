"""The rule against its table, intervals and extrapolations against numbers computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tasks.results import Interval
from tasks.statistics.intervals import resampled_interval
from tasks.sufficiency.decide import decide, estimate, overtaken_at, slope, summary, tokens_to_decide, verdict_of
from tasks.sufficiency.report import CandidateUsed, CurvePoint, Decision


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        ((-0.028, 0.011), "suffices"),
        ((0.01, 0.05), "suffices"),
        ((-0.029, -0.001), "slightly-better"),
        ((-0.098, -0.065), "train-locally"),
        ((-0.03, -0.001), "train-locally"),
        ((-0.05, 0.01), "undecided"),
        ((-0.03, 0.0), "undecided"),
        (None, "undecided"),
    ],
)
def test_the_rule(interval: Interval | None, verdict: str) -> None:
    assert verdict_of(interval) == verdict


def test_the_interval_counts_that_trainings_share_documents() -> None:
    values = np.array([0.1, 0.2, 0.3, 0.4])
    half = 3.182446 * math.sqrt((1 / 4 + 1 / 3) * 0.05 / 3)  # t of 3 degrees of freedom; the variance is 0.05 / 3
    assert resampled_interval(values, 1 / 3) == pytest.approx((0.25 - half, 0.25 + half), abs=1e-6)
    assert resampled_interval(values[:1], 1 / 3) is None


def points(*means: float) -> list[CurvePoint]:
    return [
        {"candidate": "x", "tokens": 1_000 * 2**i, "auc": {"mean": mean, "interval": None}}
        for i, mean in enumerate(means)
    ]


def test_local_vectors_overtake_between_two_sizes_on_the_scale_of_logarithms() -> None:
    assert overtaken_at(points(0.5, 0.6, 0.7), 0.65) == round(2_000 * math.sqrt(2))
    assert overtaken_at(points(0.5, 0.6), 0.7) is None
    assert overtaken_at(points(0.5, 0.6), 0.4) is None


def test_the_slope_is_for_each_unit_of_the_logarithm() -> None:
    assert slope(points(0.5, 0.6, 0.7)) == pytest.approx(0.1 / math.log(2))
    assert slope(points(0.5)) == 0.0


def test_more_words_decide_as_the_interval_narrows() -> None:
    needed = tokens_to_decide({"mean": -0.01, "interval": (-0.05, 0.03)}, 0.0, 100_000)
    assert needed == 400_000  # with four times the words, the interval is -0.03 to 0.01
    falling = tokens_to_decide({"mean": -0.01, "interval": (-0.05, 0.03)}, -0.02, 100_000)
    assert falling == 230_000  # local vectors gain: at 2.3 times the words, -0.027 ± 0.026


def test_no_size_decides_a_difference_at_the_margin() -> None:
    assert tokens_to_decide({"mean": -0.03, "interval": (-0.9, 0.84)}, 0.0, 100_000) is None
    assert tokens_to_decide({"mean": -0.03, "interval": None}, 0.0, 100_000) is None


def candidate(id: str, kind: str) -> CandidateUsed:
    return CandidateUsed(
        id=id, title=f"Set {id}", kind=kind, dimensions=5, window=None, share=1.0, licence="", missing=None  # type: ignore[typeddict-item]
    )  # fmt: skip


def decided(id: str, mean: float, half: float, needed: int | None = None) -> Decision:
    apart = {"mean": mean, "interval": (mean - half, mean + half)}
    return decide(candidate(id, "pre-trained"), 0.6 + mean, 0.6, apart, needed)  # type: ignore[arg-type]


def test_a_decision_says_its_numbers_and_the_words_that_would_decide() -> None:
    said = decided("a", -0.01, 0.04, 400_000)
    assert said["verdict"] == "undecided"
    assert "0.590 against 0.600, a difference of −0.010 (95 % interval −0.050 to +0.030)" in said["sentence"]
    assert "about 400,000 words" in said["sentence"]
    assert decided("a", -0.01, 0.01, 400_000)["tokens_to_decide"] is None
    assert "no corpus up to 100 times" in decided("a", -0.03, 0.04)["sentence"]


def test_the_answer_is_that_of_the_best_pre_trained_set() -> None:
    decisions = [decided("a", -0.08, 0.01), decided("b", -0.01, 0.01)]
    used = [candidate("a", "pre-trained"), candidate("b", "pre-trained"), candidate("local", "local")]
    said = summary(decisions, used, {"a": 0.52, "b": 0.59, "local": 0.6})
    assert said.startswith("Set b: suffices")
    assert said.endswith("Set local: 0.600.")


def test_an_estimate_has_no_interval_for_a_single_split() -> None:
    assert estimate(np.array([0.5]), 1 / 3) == {"mean": 0.5, "interval": None}
