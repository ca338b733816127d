"""From areas under the curve to estimates, verdicts and sentences (docs/protocol.md §6.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from extensions.sufficiency.measure.report import CandidateUsed, CurvePoint, Decision, Estimate, Verdict
from tasks.results import Interval
from tasks.text import with_sign

MARGIN = 0.03
"""A pre-trained set suffices if its area is certainly less than this below that of local vectors."""
FLOOR = 0.5 + MARGIN
"""The better of two areas is certainly above this, or there is no verdict: near chance, any vectors are as good."""
MOST_TIMES = 100
"""The size of the corpus that would decide is looked for up to so many times its size."""
_SIZES = 2_001
VERDICTS: dict[Verdict, str] = {
    "suffices": "suffices",
    "slightly-better": "suffices, local slightly better",
    "undecided": "can't tell yet",
    "near-chance": "both near chance",
    "train-locally": "train locally",
}
"""In words, the best for pre-trained vectors first."""


def verdict_of(difference: Interval | None, better: Interval | None) -> Verdict:
    """The rule, fixed before any data was seen.

    Parameters
    ----------
    difference : interval of candidate − local.
    better : interval of the larger of the two areas.
    """
    if difference is None or better is None:
        return "undecided"
    if better[0] <= FLOOR:
        return "near-chance"
    suffices, is_worse = difference[0] > -MARGIN, difference[1] < 0.0
    if suffices:
        return "slightly-better" if is_worse else "suffices"
    return "train-locally" if is_worse else "undecided"


def slope(points: Sequence[CurvePoint]) -> float:
    """Gain in area for each unit of the logarithm of the tokens, by least squares; 0 without two sizes."""
    sizes = np.log([point["tokens"] for point in points if point["tokens"] > 0])
    if len(np.unique(sizes)) < 2:
        return 0.0
    means = [point["auc"]["mean"] for point in points if point["tokens"] > 0]
    return float(np.polyfit(sizes, means, 1)[0])


def tokens_to_decide(difference: Estimate, gain: float, tokens: int) -> int | None:
    """Size of the corpus at which the verdict would no longer be undecided, to two digits; None if none is found.

    With k times the tokens, the difference is expected to change by ``gain`` · log k, and the interval to be √k times
    narrower.

    Parameters
    ----------
    gain : slope of the candidate's learning curve minus that of the local vectors'.
    tokens : of the corpus.
    """
    if difference["interval"] is None:
        return None
    half = (difference["interval"][1] - difference["interval"][0]) / 2
    for times in np.geomspace(1, MOST_TIMES, _SIZES)[1:]:
        middle, narrower = difference["mean"] + gain * np.log(times), half / np.sqrt(times)
        if verdict_of((middle - narrower, middle + narrower), (1.0, 1.0)) != "undecided":
            return about(tokens * times)
    return None


def about(tokens: float) -> int:
    """A size to two digits: estimates are no more precise."""
    unit = 10 ** max(0, int(np.floor(np.log10(tokens))) - 1)
    return int(round(tokens / unit) * unit)


def overtaken_at(points: Sequence[CurvePoint], level: float) -> int | None:
    """Tokens at which a learning curve rises above a level, linear in log tokens; None outside the measured sizes."""
    for before, after in pairwise(points):
        low, high = before["auc"]["mean"], after["auc"]["mean"]
        if low <= level < high:
            share = (level - low) / (high - low)
            return round(float(before["tokens"] ** (1 - share) * after["tokens"] ** share))
    return None


def decide(
    candidate: CandidateUsed, area: Estimate, local: Estimate, difference: Estimate, needed: int | None
) -> Decision:
    """The verdict on one candidate with its sentence.

    Parameters
    ----------
    area, local : of the candidate and of the local vectors.
    needed : corpus size that would decide.
    """
    better = max(area, local, key=lambda estimate: estimate["mean"])
    verdict = verdict_of(difference["interval"], better["interval"])
    areas = f"{area['mean']:.3f} against {local['mean']:.3f}, a difference of {signed(difference)}"
    words = ""
    if verdict == "undecided":
        words = f" A corpus of about {needed:,} words would decide." if needed else _NO_SIZE
    elif verdict == "near-chance":
        words = " Compare them on more text."
    return {
        "candidate": candidate["id"],
        "verdict": verdict,
        "difference": difference,
        "tokens_to_decide": needed if verdict == "undecided" else None,
        "sentence": f"{candidate['title']}: {_SENTENCES[verdict]}: {areas}.{words}",
    }


_SENTENCES: dict[Verdict, str] = {
    "suffices": f"suffices. The area under the curve isn't {MARGIN} or more below that of vectors trained here",
    "slightly-better": "suffices, though vectors trained on this corpus are slightly better",
    "undecided": "can't tell yet whether it suffices",
    "near-chance": "both near chance. Neither these vectors nor those trained here clearly tell neighbours from others",
    "train-locally": "train on this corpus. Vectors trained here have a larger area under the curve",
}
_NO_SIZE = f" If the learning curves continue as they are, no corpus up to {MOST_TIMES} times this size would decide."


def signed(estimate: Estimate, says: str = "95 % interval ") -> str:
    """``−0.009 (95 % interval −0.028 to +0.011)``; tables name the interval in their head."""
    interval = estimate["interval"]
    bounds = f" ({says}{with_sign(interval[0], 3)} to {with_sign(interval[1], 3)})" if interval else ""
    return with_sign(estimate["mean"], 3) + bounds


def summary(decisions: Sequence[Decision], candidates: Sequence[CandidateUsed], means: Mapping[str, float]) -> str:
    """The answer in a sentence or two: the best pre-trained set as it is, and the vectors with the largest area.

    Parameters
    ----------
    means : area of every candidate that has one, by id.
    """
    kinds, titles = ({each["id"]: each[key] for each in candidates} for key in ("kind", "title"))
    as_they_are = [each for each in decisions if kinds[each["candidate"]] == "pre-trained"]
    best = min(as_they_are, key=lambda each: (list(VERDICTS).index(each["verdict"]), -each["difference"]["mean"]))
    largest = max(means, key=lambda name: means[name])
    return f"{best['sentence']} The largest area is that of {titles[largest]}: {means[largest]:.3f}."
