"""The rule against its table, intervals and extrapolations against numbers computed by hand."""

from __future__ import annotations

import math

import pytest

from extensions.sufficiency.measure.decide import decide, overtaken_at, slope, summary, tokens_to_decide, verdict_of
from extensions.sufficiency.measure.report import CandidateUsed, CurvePoint, Decision, Estimate
from tasks.results import Interval


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
    assert verdict_of(interval, (0.531, 0.6)) == verdict


@pytest.mark.parametrize("difference", [(-0.02, 0.01), (-0.02, -0.01), (-0.05, -0.04), (-0.05, 0.01)])
def test_there_is_no_verdict_near_chance(difference: Interval) -> None:
    assert verdict_of(difference, (0.53, 0.6)) == "near-chance"


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


def around(mean: float, half: float = 0.02) -> Estimate:
    return {"mean": mean, "interval": (mean - half, mean + half)}


def decided(id: str, mean: float, half: float, needed: int | None = None) -> Decision:
    return decide(candidate(id, "pre-trained"), around(0.6 + mean), around(0.6), around(mean, half), needed)


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


def test_the_better_of_both_decides_whether_they_are_near_chance() -> None:
    shuffled, local = around(0.5, 0.01), around(0.52, 0.01)
    said = decide(candidate("a", "pre-trained"), shuffled, local, around(-0.02, 0.005), 400_000)
    assert (said["verdict"], said["tokens_to_decide"]) == ("near-chance", None)
    assert "0.500 against 0.520" in said["sentence"]
    assert said["sentence"].endswith("Compare them on more text.")
    knowing = decide(candidate("a", "pre-trained"), around(0.6), local, around(0.08, 0.02), None)
    assert knowing["verdict"] == "suffices"
